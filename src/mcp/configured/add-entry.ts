/** Puts servers into a file of servers, whose comments and order stay as they are. */
import {
  applyEdits,
  findNodeAtLocation,
  modify,
  type Node,
  type ParseError,
  parseTree,
} from "jsonc-parser";
import { isObject, type JsonObject } from "../../shared/json.ts";
import { readCommentedJsonOrJson5 } from "./commented-json.ts";
import { findTables } from "./config-file.ts";

/** What a file of another program holds, as it is written there. */
export interface RawServers {
  readonly servers: Readonly<Record<string, JsonObject>>;
  readonly inputs: readonly JsonObject[];
}

/** None where the file cannot be read. */
export function rawServers(text: string): RawServers {
  const { value, syntaxErrors } = readCommentedJsonOrJson5(text);
  if (!isObject(value) || syntaxErrors.length > 0) return { servers: {}, inputs: [] };
  const tables = findTables(value).flatMap(({ table }) => (isObject(table) ? [table] : []));
  const entries = tables
    .flatMap((table) => Object.entries(table))
    .flatMap(([name, entry]) => (isObject(entry) ? [[name, entry] as const] : []));
  const inputs = Array.isArray(value.inputs) ? value.inputs.filter(isObject) : [];
  return { servers: Object.fromEntries(entries), inputs };
}

/**
 * The text with these servers at the beginning of `mcpServers`, so that every comment stays beside what it is about.
 * Names that are there already have to be left out before. Null for a text that is not JSON with comments.
 */
export function withServers(text: string, { servers, inputs }: RawServers): string | null {
  let now: string | null = text.trim() === "" ? "{}\n" : text;
  for (const [name, entry] of Object.entries(servers).reverse()) {
    now = now && withMember(now, "mcpServers", `${JSON.stringify(name)}: ${written(entry)}`);
  }
  for (const input of inputs) now = now && withMember(now, "inputs", written(input));
  return now;
}

const indent = "  ";

function written(value: JsonObject): string {
  return JSON.stringify(value, null, indent).replaceAll("\n", `\n${indent.repeat(2)}`);
}

/** Puts a member first into the table or list at the root's key, which is made where it is missing. */
function withMember(text: string, key: string, member: string): string | null {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  if (root?.type !== "object" || errors.length > 0) return null;
  const table = findNodeAtLocation(root, [key]);
  if (table === undefined) {
    const [open, close] = key === "inputs" ? "[]" : "{}";
    const made = `"${key}": ${open}\n${indent.repeat(2)}${member}\n${indent}${close}`;
    return inserted(text, root, made, 1);
  }
  return inserted(text, table, member, 2);
}

function inserted(text: string, parent: Node, member: string, depth: number): string {
  const at = parent.offset + 1;
  const isOnly = (parent.children ?? []).length === 0;
  const end = isOnly ? `\n${indent.repeat(depth - 1)}` : ",";
  return `${text.slice(0, at)}\n${indent.repeat(depth)}${member}${end}${text.slice(at)}`;
}

/** The text with this value at the root's key, or without the key; null for a text that is not JSON with comments. */
export function withOption(text: string, key: string, value: unknown): string | null {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  if (root?.type !== "object" || errors.length > 0) return null;
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol: "\n" };
  return applyEdits(text, modify(text, [key], value, { formattingOptions }));
}
