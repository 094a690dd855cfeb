/**
 * Arguments that a tool requires as HTTP headers as well (`x-mcp-header`; MCP 2026-07-28, Streamable HTTP, "Custom
 * headers from tool parameters"), so that a proxy can route by them. The SDK supports this only in its own `callTool`,
 * which loses texts of results.
 */
import { isObject, type JsonObject, ownValue } from "../../shared/json.ts";
import type { ToolList } from "../catalog/tool-list.ts";

/** One argument and its header. */
export interface ParameterHeader {
  /** Keys from the root of the arguments. */
  readonly path: readonly string[];
  /** The full name. */
  readonly header: string;
}

export type ReadHeaders =
  | { readonly headers: readonly ParameterHeader[] }
  /** Why the tool must not be used, as a clause such as `it wants the header x twice`. */
  | { readonly mistake: string };

const keyword = "x-mcp-header";
const prefix = "Mcp-Param-";
/** RFC 9110, section 5.6.2. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const types: readonly unknown[] = ["string", "integer", "boolean"];

/** All headers of a tool. Only nested `properties` may declare one: elsewhere the argument is ambiguous. */
export function readParameterHeaders(schema: JsonObject): ReadHeaders {
  const headers: ParameterHeader[] = [];
  const mistake = visitProperty(schema, [], headers);
  if (mistake !== null) return { mistake };
  const names = new Set<string>();
  for (const { header } of headers) {
    const name = header.toLowerCase();
    if (names.has(name)) return { mistake: `it wants the header ${name} twice` };
    names.add(name);
  }
  return { headers };
}

function visitProperty(
  schema: JsonObject,
  path: readonly string[],
  headers: ParameterHeader[],
): string | null {
  const { [keyword]: wanted, type, properties, ...others } = schema;
  if (wanted !== undefined) {
    const at = path.join(".");
    if (path.length === 0) return `its whole arguments cannot be a header`;
    if (typeof wanted !== "string" || !token.test(wanted)) {
      return `its argument ${at} wants a header of a name that HTTP does not allow`;
    }
    if (!types.includes(type)) {
      return `its argument ${at} is to be a header and is not a text, a whole number, true or false`;
    }
    headers.push({ path, header: `${prefix}${wanted}` });
  }
  const elsewhere = Object.entries(others).find(([key, value]) => isSchema(key) && mentions(value));
  if (elsewhere !== undefined) {
    return `it wants a header for something under ${elsewhere[0]}, which need not be there`;
  }
  if (!isObject(properties)) return null;
  for (const [key, value] of Object.entries(properties)) {
    const mistake = isObject(value) ? visitProperty(value, [...path, key], headers) : null;
    if (mistake !== null) return mistake;
  }
  return null;
}

/** The listed keywords hold data, which may look like a schema. */
function isSchema(key: string): boolean {
  return !["default", "const", "enum", "examples"].includes(key);
}

function mentions(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(mentions);
  if (!isObject(value)) return false;
  return Object.entries(value).some(([key, item]) => key === keyword || mentions(item));
}

/** The headers of one call; an argument that is missing or has another type gets none. */
export function parameterHeaders(
  headers: readonly ParameterHeader[],
  args: JsonObject,
): Record<string, string> {
  const built: Record<string, string> = {};
  for (const { path, header } of headers) {
    const text = headerText(valueAt(args, path));
    if (text !== null) built[header] = text;
  }
  return built;
}

function valueAt(args: JsonObject, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (isObject(value) ? ownValue(value, key) : undefined),
    args,
  );
}

function headerText(value: unknown): string | null {
  if (typeof value === "boolean" || Number.isSafeInteger(value)) return String(value);
  return typeof value === "string" ? encoded(value) : null;
}

/** A text that a header cannot hold is sent as base64 of its UTF-8. */
function encoded(text: string): string {
  const isPlain = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(text);
  const looksEncoded = /^=\?base64\?.*\?=$/.test(text);
  if (isPlain && !looksEncoded) return text;
  return `=?base64?${Buffer.from(text, "utf8").toString("base64")}?=`;
}

/** The headers of one connection's tools, from the latest list. */
export class ToolHeaders {
  #known: ReadonlyMap<string, readonly ParameterHeader[]> = new Map();

  /** Returns the list without the tools that must not be used, and with sentences about them. */
  learn({ tools, problems }: ToolList): ToolList {
    const known = new Map<string, readonly ParameterHeader[]>();
    const refused: string[] = [];
    for (const { name, inputSchema } of tools) {
      const read = readParameterHeaders(inputSchema);
      if ("headers" in read) known.set(name, read.headers);
      else refused.push(`Its tool ${name} is left out: ${read.mistake}.`);
    }
    this.#known = known;
    return {
      tools: tools.filter(({ name }) => known.has(name)),
      problems: [...problems, ...refused],
    };
  }

  of(name: string, args: JsonObject): Record<string, string> {
    return parameterHeaders(this.#known.get(name) ?? [], args);
  }
}
