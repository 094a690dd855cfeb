/** JSON as people write it in settings: with comments and trailing commas, or as JSON5. */
import JSON5 from "json5";
import {
  createScanner,
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";

export type JsonPath = readonly (string | number)[];

export interface CommentedJson {
  /** What could be parsed; undefined when there is nothing. */
  readonly value: unknown;
  /** The invalid places; `value` is then what could be parsed around them. Lines are counted from 1. */
  readonly syntaxErrors: readonly { readonly line: number; readonly reason: string }[];
  /** Keys that occur twice in an object: JSON silently keeps the last. */
  readonly duplicates: readonly JsonPath[];
  /** Returns the line (from 1) of the key, or of its nearest parent that is in the text. */
  lineOf(path: JsonPath): number;
}

/** Also accepts JSON5, for files that other programs write; if the text is neither, the errors are those of JSON. */
export function readCommentedJsonOrJson5(text: string): CommentedJson {
  const json = readCommentedJson(text);
  if (json.syntaxErrors.length === 0) return json;
  return readJson5(text.replace(/^\ufeff/, "")) ?? json;
}

/** Never throws. Reads what it can around a mistake, as lua/parley/config/json.lua does. */
export function readCommentedJson(text: string): CommentedJson {
  const errors: ParseError[] = [];
  const clean = text.replace(/^\ufeff/, "");
  const deep = tooDeepAt(clean);
  if (deep !== null) return unreadable(lineCounter(clean)(deep), "nested too deeply");
  const root = parseTree(clean, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const lineAt = lineCounter(clean);
  return {
    value: root === undefined ? undefined : getNodeValue(root),
    syntaxErrors: errors.map((error) => ({
      line: lineAt(error.offset),
      reason: errorText(error),
    })),
    duplicates: root === undefined ? [] : duplicatesIn(root),
    lineOf(path) {
      if (root === undefined) return 1;
      for (let length = path.length; length > 0; length -= 1) {
        const node = findNodeAtLocation(root, path.slice(0, length));
        if (node !== undefined) return lineAt((node.parent ?? node).offset);
      }
      return lineAt(root.offset);
    },
  };
}

/** Real settings never nest this deep. The parser is recursive: a stack overflow throws, or ends the process. */
const deepest = 200;

/** Returns the offset at which the text nests deeper than `deepest`; null if it never does. */
function tooDeepAt(text: string): number | null {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (;;) {
    scanner.scan();
    const offset = scanner.getTokenOffset();
    if (offset >= text.length) return null;
    // The scanner returns strings and comments as whole tokens, so brackets inside them are not counted.
    const first = text.charAt(offset);
    if (first === "{" || first === "[") depth += 1;
    if (first === "}" || first === "]") depth = Math.max(0, depth - 1);
    if (depth > deepest) return offset;
  }
}

function unreadable(line: number, reason: string): CommentedJson {
  return { value: undefined, syntaxErrors: [{ line, reason }], duplicates: [], lineOf: () => line };
}

function errorText({ error }: ParseError): string {
  return printParseErrorCode(error)
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();
}

/** Null if it is not JSON5 either. JSON5's parser reports no positions, so `lineOf` searches the text for the key. */
function readJson5(text: string): CommentedJson | null {
  let value: unknown;
  try {
    value = JSON5.parse(text);
  } catch (error) {
    // JSON5 throws a SyntaxError for invalid text; the engine throws a RangeError for too many brackets.
    if (error instanceof SyntaxError || error instanceof RangeError) return null;
    throw error;
  }
  const lines = text.split("\n");
  return {
    value,
    syntaxErrors: [],
    duplicates: [],
    lineOf(path) {
      let at = 0;
      for (const key of path) {
        const found = lines.findIndex((line, index) => index >= at && holdsKey(line, String(key)));
        if (found >= 0) at = found;
      }
      return at + 1;
    },
  };
}

function holdsKey(line: string, key: string): boolean {
  const at = line.indexOf(key);
  return at >= 0 && /^["']?\s*:/.test(line.slice(at + key.length));
}

/** Returns a function from an offset to its line; the line ends are found only once. */
function lineCounter(text: string): (offset: number) => number {
  const ends = [...text.matchAll(/\n/g)].map(({ index }) => index);
  return (offset) => ends.filter((end) => end < offset).length + 1;
}

function duplicatesIn(root: Node): readonly JsonPath[] {
  const found: JsonPath[] = [];
  const waiting: { readonly node: Node; readonly path: JsonPath }[] = [{ node: root, path: [] }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, path } = next;
    const seen = new Set<string>();
    for (const [index, child] of (node.children ?? []).entries()) {
      const [name, value] = child.type === "property" ? (child.children ?? []) : [];
      const key = node.type === "array" ? index : String(name?.value);
      if (node.type === "object" && seen.has(String(key))) found.push([...path, key]);
      seen.add(String(key));
      const inside = node.type === "array" ? child : value;
      if (inside !== undefined) waiting.push({ node: inside, path: [...path, key] });
    }
  }
  return found;
}
