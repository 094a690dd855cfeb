/**
 * The value of one header key, read as YAML: a text in any of its forms, or a list of texts. What is no YAML but
 * stands on one line is the text as it is written, as headers were always read (format, section 3).
 */
import { isAlias, isMap, isScalar, isSeq, type ParsedNode, parseDocument, Scalar } from "yaml";
import type { HeaderEntry } from "./transcript.ts";

export interface HeaderValue extends Pick<HeaderEntry, "value" | "form" | "reason"> {
  /** What stands behind the value on its last line: white space and a comment. */
  readonly tail: string;
}

/** Characters of a value. The parser's time is linear, with a factor that hurts beyond this. */
const longest = 65_536;
/** A header holds flat values. The parser recurses, and a stack that runs out would end the process. */
const deepest = 20;

/** `inline` is what stands behind the colon, `below` the lines of the value that follow. */
export function readHeaderValue(inline: string, below: readonly string[]): HeaderValue {
  const refused = refusal(inline, below);
  const read = refused === null ? readYaml(inline, below) : refused;
  if (typeof read !== "string") return read;
  if (below.length > 0) return { value: "", form: "unreadable", tail: "", reason: read };
  // Only these begin something that was meant as YAML; a colon or a star is of the text.
  const isMeant = /^[ \t]*["'[{|>]/.test(inline);
  return { value: inline.trim(), form: "literal", tail: "", reason: isMeant ? read : null };
}

/** A value that every reader of YAML reads like this: one line, on which it stays. */
export function renderHeaderValue(value: string, tail: string): string {
  const plain = readHeaderValue(` ${value}${tail}`, []);
  if (plain.value === value && plain.form === "plain" && plain.tail === tail) return value;
  return JSON.stringify(value);
}

function refusal(inline: string, below: readonly string[]): string | null {
  const length = below.reduce((sum, line) => sum + line.length + 1, inline.length);
  if (length > longest) return `it is longer than ${longest} characters`;
  const lines = [inline, ...below];
  const opened = lines.reduce((sum, line) => sum + (line.match(/[[{]/g)?.length ?? 0), 0);
  const isFlow = /^[ \t]*[[{]/.test(inline) || /^[ \t]*$/.test(inline);
  const isNested = lines.some((line) => /^[ \t]*(?:[-?:][ \t]+){3}/.test(line));
  if (isNested || (isFlow && opened > deepest)) return "it is nested too deeply";
  return null;
}

/** A sentence when it cannot be read. */
function readYaml(inline: string, below: readonly string[]): HeaderValue | string {
  const text = [`k:${inline === "" ? "" : ` ${inline}`}`, ...below].join("\n");
  const document = parseDocument<ParsedNode>(text, {
    // All scalars are texts; what they mean is the setting's own affair.
    schema: "failsafe",
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "silent",
  });
  const [error] = document.errors;
  if (error !== undefined) return lowerFirst(error.message);
  const pairs = isMap(document.contents) ? document.contents.items : [];
  const node = pairs[0]?.value ?? null;
  if (pairs.length !== 1 || node === null) return "it is more than one value";
  if (isSeq(node)) return readList(node.items);
  if (isMap(node)) return "it is a table, and a text or a list is wanted";
  return readScalar(node, text);
}

function readScalar(node: ParsedNode, text: string): HeaderValue | string {
  if (isAlias(node)) return "aliases are not followed";
  if (!isScalar(node) || typeof node.value !== "string") return "it is no text";
  if (node.tag !== undefined || node.anchor !== undefined) return "tags and anchors are not read";
  const [, end] = node.range;
  const tail = /^[^\n]*/.exec(text.slice(end))?.[0] ?? "";
  const form = forms[node.type ?? Scalar.PLAIN] ?? "plain";
  // The line ends below a block belong to no text of a header.
  if (form === "block")
    return { value: node.value.replace(/\n+$/, ""), form, tail: "", reason: null };
  return { value: node.value, form, tail, reason: null };
}

const forms: Readonly<Record<string, "plain" | "quoted" | "block">> = {
  [Scalar.PLAIN]: "plain",
  [Scalar.QUOTE_DOUBLE]: "quoted",
  [Scalar.QUOTE_SINGLE]: "quoted",
  [Scalar.BLOCK_LITERAL]: "block",
  [Scalar.BLOCK_FOLDED]: "block",
};

function readList(items: readonly unknown[]): HeaderValue | string {
  const texts: string[] = [];
  for (const item of items) {
    if (!isScalar(item) || typeof item.value !== "string" || item.tag !== undefined) {
      return "its list holds something other than texts";
    }
    texts.push(item.value);
  }
  return { value: texts.join(", "), form: "list", tail: "", reason: null };
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}
