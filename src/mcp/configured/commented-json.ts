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
  /** What could be read; undefined when there is nothing. */
  readonly value: unknown;
  /** Where it is no JSON; `value` then is what could be read around it. Lines are counted from 1. */
  readonly syntaxErrors: readonly { readonly line: number; readonly reason: string }[];
  /** Keys that an object has twice: JSON keeps the last and says nothing. */
  readonly duplicates: readonly JsonPath[];
  /** Counted from 1: the line of the key, or of the nearest one above it that is in the text. */
  lineOf(path: JsonPath): number;
}

/** The same for files that other programs write as JSON5 too; what is neither is read as JSON. */
export function readCommentedJsonOrJson5(text: string): CommentedJson {
  const json = readCommentedJson(text);
  if (json.syntaxErrors.length === 0) return json;
  return readJson5(text.replace(/^\ufeff/, "")) ?? json;
}

/** Never throws: what can be read around a mistake is read, as lua/parley/config/json.lua does. */
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
      reason: reasonOf(error),
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

/** No settings nest like this, and the parser recurses: a stack that runs out throws, or ends the process. */
const deepest = 200;

/** Where the text nests deeper than is read; null: nowhere. */
function tooDeepAt(text: string): number | null {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (;;) {
    scanner.scan();
    const offset = scanner.getTokenOffset();
    if (offset >= text.length) return null;
    // Brackets in strings and comments are within their tokens.
    const first = text.charAt(offset);
    if (first === "{" || first === "[") depth += 1;
    if (first === "}" || first === "]") depth = Math.max(0, depth - 1);
    if (depth > deepest) return offset;
  }
}

function unreadable(line: number, reason: string): CommentedJson {
  return { value: undefined, syntaxErrors: [{ line, reason }], duplicates: [], lineOf: () => line };
}

function reasonOf({ error }: ParseError): string {
  return printParseErrorCode(error)
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();
}

/** Null when it is none either. JSON5's parser tells no places, so a key is looked for in the text. */
function readJson5(text: string): CommentedJson | null {
  let value: unknown;
  try {
    value = JSON5.parse(text);
  } catch (error) {
    // Its own error for what is none, and the engine's for too many brackets.
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

/** Line of an offset; the places of line ends are found once. */
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
