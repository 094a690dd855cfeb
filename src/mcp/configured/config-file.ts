/** A file of MCP servers, in the shape of Claude and others (`mcpServers`) or of VS Code (`servers`). */
import { parseSelection } from "../../conversation/settings/tool-selection.ts";
import { isObject, type JsonObject, stringOf } from "../../shared/json.ts";
import { type JsonPath, readCommentedJson } from "./commented-json.ts";
import { readEntries, type ServerEntry } from "./server-entry.ts";

/** What `${input:id}` asks for. */
export interface DeclaredInput {
  readonly id: string;
  readonly prompt: string;
}

export interface ServerFile {
  readonly entries: readonly ServerEntry[];
  readonly inputs: readonly DeclaredInput[];
  /** Patterns of tools that are never run (`"parley": {"deny": […]}`). */
  readonly deny: readonly string[];
  /** Sentences with file and line; they hold no value. */
  readonly mistakes: readonly string[];
}

/** `path` is only for the sentences. */
export function parseServerFile(path: string, text: string): ServerFile {
  const json = readCommentedJson(text);
  const mistakes = json.syntaxErrors.map(
    ({ line, reason }) =>
      `${path}:${line}: not readable as JSON here (${reason}). What could be read around it is used.`,
  );
  const complain = (key: JsonPath, reason: string, kept: string) =>
    mistakes.push(`${path}:${json.lineOf(key)}: ${key.join(".")}: ${reason}. ${kept}`);
  const { value } = json;
  if (value === undefined) return { ...nothing, mistakes };
  if (!isObject(value)) {
    mistakes.push(`${path}:1: write one object with mcpServers in it. Nothing of it is used.`);
    return { ...nothing, mistakes };
  }
  const entries: ServerEntry[] = [];
  for (const key of ["mcpServers", "servers"]) {
    const table = value[key];
    if (table === undefined) continue;
    if (!isObject(table)) {
      complain([key], "write a table of servers", "It was passed over.");
      continue;
    }
    const read = readEntries(table);
    for (const mistake of read.mistakes) {
      complain([key, mistake.name, ...mistake.path], mistake.reason, "This server is left out.");
    }
    entries.push(...read.entries.filter(({ name }) => !entries.some((one) => one.name === name)));
  }
  return {
    entries,
    inputs: readInputs(value.inputs),
    deny: readDeny(value.parley, complain),
    mistakes,
  };
}

const nothing = { entries: [], inputs: [], deny: [] };

function readInputs(value: unknown): readonly DeclaredInput[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((input: unknown) => {
    if (!isObject(input) || typeof input.id !== "string") return [];
    return [{ id: input.id, prompt: stringOf(input.description) ?? input.id }];
  });
}

function readDeny(
  value: unknown,
  complain: (key: JsonPath, reason: string, kept: string) => void,
): readonly string[] {
  if (value === undefined) return [];
  const table: JsonObject = isObject(value) ? value : {};
  for (const key of Object.keys(table)) {
    if (key === "deny") continue;
    complain(["parley", key], "only deny can stand in this file", "It was passed over.");
  }
  const { deny = [] } = table;
  if (Array.isArray(deny) && deny.every(isPattern)) return deny;
  // What should forbid something and cannot be read must not come to mean nothing.
  complain(
    ["parley", "deny"],
    "write a list of servers and tools",
    "Until then no tool may be run.",
  );
  return ["*"];
}

function isPattern(item: unknown): item is string {
  if (typeof item !== "string") return false;
  const { selection, problems } = parseSelection(item);
  return problems.length === 0 && selection.words.length > 0;
}
