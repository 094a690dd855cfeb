/** The values between tags, as they stand there. */
import type { JsonSchema } from "../../../conversation/ports.ts";
import { skipSpace } from "../syntax/json-spans.ts";
import { jsonOfText, type Untyped } from "./coerce.ts";
import { propertySchema, type Reading } from "./known-tools.ts";

export interface XmlValue {
  readonly key: string;
  readonly text: string;
  /** What the tag says of the type, where it does. */
  readonly isString?: boolean;
}

/**
 * Elements one behind the other until the end of the text. A value ends at the first closing tag
 * behind which another element or the end stands; null when that is not so, or when a value holds
 * an opening tag, because then nobody knows where it ends.
 */
export function readElements(
  body: string,
  opening: RegExp,
  closingOf: (match: RegExpExecArray) => string,
): readonly (XmlValue & { readonly match: RegExpExecArray })[] | null {
  const values: (XmlValue & { match: RegExpExecArray })[] = [];
  let at = skipSpace(body, 0);
  while (at < body.length) {
    opening.lastIndex = at;
    const match = opening.exec(body);
    if (match === null) return null;
    const start = at + match[0].length;
    const closing = closingOf(match);
    const end = valueEnd(body, start, closing, opening);
    const text = body.slice(start, end);
    if (end < 0 || text.includes(match[0])) return null;
    values.push({ key: match[1] ?? "", text, match });
    at = skipSpace(body, end + closing.length);
  }
  return values;
}

function valueEnd(body: string, start: number, closing: string, opening: RegExp): number {
  let end = body.indexOf(closing, start);
  while (end >= 0) {
    const next = skipSpace(body, end + closing.length);
    if (next >= body.length) return end;
    opening.lastIndex = next;
    if (opening.test(body)) return end;
    end = body.indexOf(closing, end + 1);
  }
  return -1;
}

/** One line break at each end belongs to the tags. */
export function withoutOuterBreaks(text: string): string {
  return text.replace(/^\r?\n/, "").replace(/\r?\n$/, "");
}

/** A call whose arguments are these values, typed by the schema. */
export function callOfValues(
  name: string,
  values: readonly XmlValue[],
  schema: JsonSchema | null,
  untyped: Untyped,
): Reading {
  const members = new Map<string, string>();
  for (const { key, text, isString } of values) {
    if (members.has(key)) return { reason: `it repeats the argument ${JSON.stringify(key)}`, name };
    const json =
      isString === true
        ? JSON.stringify(text)
        : jsonOfText(text, propertySchema(schema, key), isString === false ? "guess" : untyped);
    members.set(key, json);
  }
  const text = [...members].map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(",");
  return { calls: [{ name, arguments: `{${text}}`, start: 0 }] };
}
