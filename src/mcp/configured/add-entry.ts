/** Adds servers to a file of servers and keeps the file's comments and order. */
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
import { serverListsOf } from "./server-lists.ts";

/** The servers and inputs of another program's file, as written there; what a list there turns off is disabled. */
export interface RawServers {
  readonly servers: Readonly<Record<string, JsonObject>>;
  readonly inputs: readonly JsonObject[];
}

/** Returns no servers and no inputs if the file cannot be parsed. */
export function rawServers(text: string): RawServers {
  const { value, syntaxErrors } = readCommentedJsonOrJson5(text);
  return syntaxErrors.length > 0 ? { servers: {}, inputs: [] } : serversIn(value);
}

/** Reads the TOML of Codex. `mistake`: what is wrong with the file, as a sentence; null if it can be read. */
export async function rawServersOfToml(
  text: string,
): Promise<RawServers & { readonly mistake: string | null }> {
  const { parse, TomlError } = await import("smol-toml");
  try {
    return { mistake: null, ...serversIn(parse(text)) };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // The message goes on with the lines of the file, which may hold keys.
    const [what = ""] = error.message.split("\n");
    const reason = what.replace(/^Invalid TOML document: /, "").replace(/\.$/, "");
    const mistake = `${reason} (line ${error.line}, column ${error.column}).`;
    return { mistake, servers: {}, inputs: [] };
  }
}

/** Returns the servers and inputs of a file's value: none if it has no tables of servers. */
function serversIn(value: unknown): RawServers {
  if (!isObject(value)) return { servers: {}, inputs: [] };
  const tables = findTables(value).flatMap(({ table }) => (isObject(table) ? [table] : []));
  const lists = serverListsOf(value);
  const entries = tables
    .flatMap((table) => Object.entries(table))
    .flatMap(([name, entry]) => {
      if (!isObject(entry)) return [];
      return [[name, lists?.isOff(name) ? { ...entry, disabled: true } : entry] as const];
    });
  const inputs = Array.isArray(value.inputs) ? value.inputs.filter(isObject) : [];
  return { servers: Object.fromEntries(entries), inputs };
}

/**
 * Returns the text with these servers at the beginning of `mcpServers`, so that every comment stays next to its entry.
 * The caller removes names that the text already has. Null for a text that is not JSON with comments.
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

/** Inserts a first member into the object or array at this key of the root, and creates that if it is missing. */
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

/** The text with this value at this key of the root, or without the key; null if it is not JSON with comments. */
export function withOption(text: string, key: string, value: unknown): string | null {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  if (root?.type !== "object" || errors.length > 0) return null;
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol: "\n" };
  return applyEdits(text, modify(text, [key], value, { formattingOptions }));
}
