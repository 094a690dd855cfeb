/** Parses a file of MCP servers in any of the common shapes, with the inputs for which it may ask the user. */
import { parseSelection } from "../../conversation/settings/tool-selection.ts";
import { isObject, type JsonObject, stringOf } from "../../shared/json.ts";
import { type JsonPath, readCommentedJsonOrJson5 } from "./commented-json.ts";
import { looksLikeServers, readEntries, type ServerEntry } from "./entry.ts";
import { serverListsOf } from "./server-lists.ts";

export interface ServerFile {
  readonly entries: readonly ServerEntry[];
  readonly inputs: readonly DeclaredInput[];
  /** Patterns of tools that never run (`"parley": {"deny": […]}`). */
  readonly deny: readonly string[];
  /** Sentences with file and line about what is not used; they never contain a value. */
  readonly mistakes: readonly string[];
  /** Sentences about what is used, but which the user should know. */
  readonly remarks: readonly string[];
  /** False: the file is not valid JSON, and only `deny` was read from it. */
  readonly isReadable: boolean;
}

type Complain = (key: JsonPath, reason: string, kept: string) => void;

/** `path` is only used in the sentences. */
export function parseServerFile(path: string, text: string): ServerFile {
  const json = readCommentedJsonOrJson5(text);
  const mistakes: string[] = [];
  const remarks: string[] = [];
  const sentence = (key: JsonPath, reason: string) =>
    `${path}:${json.lineOf(key)}: ${key.join(".")}: ${reason}.`;
  const complain: Complain = (key, reason, kept) =>
    mistakes.push(`${sentence(key, reason)} ${kept}`);
  const remark = (key: JsonPath, reason: string) => remarks.push(sentence(key, reason));
  const { value } = json;
  const [syntaxError] = json.syntaxErrors;
  if (syntaxError !== undefined) {
    const { line, reason } = syntaxError;
    mistakes.push(`${path}:${line}: not valid JSON here (${reason}).`);
    const deny = isObject(value) ? readDeny(value.parley, complain) : [];
    return { ...nothing, deny, mistakes, isReadable: false };
  }
  if (value === undefined) return { ...nothing, mistakes };
  if (!isObject(value)) {
    mistakes.push(`${path}:1: ${wanted(value)} None of it is used.`);
    return { ...nothing, mistakes };
  }
  const tables = findTables(value);
  if (tables.length === 0 && Object.keys(value).some((key) => !besideServers.has(key))) {
    mistakes.push(`${path}:1: ${wanted(value)} None of it is used.`);
  }
  const lists = serverListsOf(value);
  for (const key of lists?.mistakes ?? []) {
    complain(key, "write a list of servers", "Until then no server of this file is used.");
  }
  const entries = readTables(tables, complain, remark).map((entry) =>
    lists?.isOff(entry.name) ? { ...entry, isDisabled: true } : entry,
  );
  for (const key of json.duplicates) remark(key, "is written twice; the last one counts");
  const inputs = readInputs(value.inputs, complain);
  return {
    entries,
    inputs,
    deny: readDeny(value.parley, complain),
    mistakes,
    remarks,
    isReadable: true,
  };
}

const nothing = { entries: [], inputs: [], deny: [], remarks: [], isReadable: true };

function readTables(
  tables: ReturnType<typeof findTables>,
  complain: Complain,
  remark: (key: JsonPath, reason: string) => void,
): readonly ServerEntry[] {
  const entries: ServerEntry[] = [];
  for (const { key, table } of tables) {
    if (!isObject(table)) {
      complain(key, "write a table of servers", "It was ignored.");
      continue;
    }
    const read = readEntries(table);
    for (const mistake of read.mistakes) {
      complain([...key, mistake.name, ...mistake.path], mistake.reason, "This server is left out.");
    }
    for (const { name, path, reason } of read.remarks) remark([...key, name, ...path], reason);
    for (const entry of read.entries) {
      if (!entries.some(({ name }) => name === entry.name)) entries.push(entry);
      else
        complain(
          [...key, entry.name],
          "another table also has this server",
          "The first one is used.",
        );
    }
  }
  return entries;
}

/** Keys that do not hold servers: a file with only these is not reported as having none. */
const besideServers: ReadonlySet<string> = new Set(["inputs", "parley", "$schema"]);

/** Keys of the table of servers: Claude and most others; VS Code; Zed; Codex. `findTables` adds those under `mcp`. */
const tableKeys = ["mcpServers", "servers", "context_servers", "mcp_servers"];

export function findTables(
  value: JsonObject,
): readonly { readonly key: JsonPath; readonly table: unknown }[] {
  const found = tableKeys.flatMap((key) =>
    value[key] === undefined ? [] : [{ key: [key], table: value[key] }],
  );
  const { mcp } = value;
  if (isObject(mcp) && isObject(mcp.servers) && !looksLikeServers(mcp)) {
    return [...found, { key: ["mcp", "servers"], table: mcp.servers }];
  }
  if (mcp !== undefined && serverListsOf(value) === null && !looksLikeServers(value))
    return [...found, { key: ["mcp"], table: mcp }];
  return found.length === 0 && looksLikeServers(value) ? [{ key: [], table: value }] : found;
}

const mostShown = 5;

/** Says what was found instead of servers. It shows keys of the file, never values. */
function wanted(value: unknown): string {
  const shape = 'write {"mcpServers": {"NAME": {"command": "PROGRAM"}}}';
  if (Array.isArray(value)) return `this is a list; ${shape}.`;
  if (!isObject(value)) return `this is not a table; ${shape}.`;
  const keys = Object.keys(value).map((key) => JSON.stringify(key.slice(0, 40)));
  const more = keys.length > mostShown ? ", …" : "";
  return `this contains no servers, but ${keys.slice(0, mostShown).join(", ")}${more}; ${shape}.`;
}

function readDeny(value: unknown, complain: Complain): readonly string[] {
  if (value === undefined) return [];
  const table: JsonObject = isObject(value) ? value : {};
  for (const key of Object.keys(table)) {
    if (key === "deny") continue;
    complain(["parley", key], "under parley, this file may contain only deny", "It was ignored.");
  }
  const { deny = [] } = table;
  if (Array.isArray(deny) && deny.every(isPattern)) return deny;
  // A deny rule that cannot be read must not be ignored, so it denies everything.
  complain(["parley", "deny"], "write a list of servers and tools", "Until then no tool may run.");
  return ["*"];
}

function isPattern(item: unknown): item is string {
  if (typeof item !== "string") return false;
  const { selection, problems } = parseSelection(item);
  return problems.length === 0 && selection.words.length > 0;
}

/** The declaration of one `${input:id}`. */
export interface DeclaredInput {
  readonly id: string;
  readonly prompt: string;
  /** Null: the user types a value; otherwise the user picks one of these. */
  readonly options: readonly string[] | null;
  /** The value that Enter gives without typing; null: none. */
  readonly preset: string | null;
  /** Typed characters are not shown. */
  readonly isSecret: boolean;
}

/** Reports and leaves out an input that cannot be used; its server then fails because the input is missing. */
function readInputs(value: unknown, complain: Complain): readonly DeclaredInput[] {
  if (value === undefined) return [];
  const kept = "It was ignored.";
  if (!Array.isArray(value)) {
    complain(["inputs"], "write a list of inputs", kept);
    return [];
  }
  return value.flatMap((input: unknown, index): DeclaredInput[] => {
    if (!isObject(input) || typeof input.id !== "string") {
      complain(["inputs", index], "write a table with an id", kept);
      return [];
    }
    const { id, type = "promptString" } = input;
    const prompt = stringOf(input.description) ?? id;
    const preset = stringOf(input.default);
    if (type === "promptString") {
      // The typed text is visible only if the file explicitly says that it is not a password.
      return [{ id, prompt, options: null, preset, isSecret: input.password !== false }];
    }
    const options = type === "pickString" ? readOptions(input.options) : null;
    if (options !== null) return [{ id, prompt, options, preset, isSecret: false }];
    const known =
      type === "pickString"
        ? "pickString needs a list of options"
        : "only promptString and pickString are known";
    complain(["inputs", index], known, kept);
    return [];
  });
}

function readOptions(value: unknown): readonly string[] | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const options = value.map((option: unknown) =>
    isObject(option) ? stringOf(option.value) : stringOf(option),
  );
  return options.every((option) => option !== null) ? options : null;
}
