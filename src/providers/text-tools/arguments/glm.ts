/** Reads the values of a GLM call: `<arg_key>K</arg_key><arg_value>V</arg_value>` for each argument. */
import type { JsonSchema } from "../../../conversation/ports.ts";
import { isSpace } from "../syntax/literal.ts";
import type { Reading } from "./known-tools.ts";
import { callOfValues, readElements } from "./xml-values.ts";

/** The tag that each argument begins with. */
export const glmKey = "<arg_key>";

const opening = /(?:\\n|\s)*<arg_key>([^<>]{1,128})<\/arg_key>(?:\\n|\s)*<arg_value>/y;

/** The call with the values in `text`; null if they cannot be told apart. */
export function readGlmValues(
  name: string,
  text: string,
  schema: JsonSchema | null,
): Reading | null {
  const elements = readElements(withoutBreaks(text), opening, () => "</arg_value>");
  if (elements === null) return null;
  const values = elements.map(({ key, text }) => ({ key: key.trim(), text }));
  return callOfValues(name, values, schema, "guess");
}

/** Without white space and written `\n` at the end. A pattern for that would start again at each of them anywhere. */
function withoutBreaks(text: string): string {
  let end = text.length;
  for (;;) {
    if (end > 0 && isSpace(text.charCodeAt(end - 1))) end -= 1;
    else if (text.endsWith("\\n", end)) end -= 2;
    else return text.slice(0, end);
  }
}
