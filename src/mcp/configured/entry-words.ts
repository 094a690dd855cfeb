/**
 * The words of a server's entry, as Parley and other programs write them: which mean the same, which grant nothing
 * here, and which are nobody's.
 */
import { isObject, type JsonObject, ownValue } from "../../shared/json.ts";
import { nearestWord } from "../../shared/nearest.ts";

/** Words of other programs for a word of ours, with what turns their value into ours. */
interface Alias {
  readonly word: string;
  readonly convert?: (value: unknown) => unknown;
}

const seconds = (value: unknown) => (typeof value === "number" ? value * 1000 : value);
const opposite = (value: unknown) => (typeof value === "boolean" ? !value : value);

const aliases: Readonly<Record<string, Alias>> = {
  environment: { word: "env" },
  env_vars: { word: "envPass" },
  env_file: { word: "envFile" },
  httpUrl: { word: "url" },
  serverUrl: { word: "url" },
  http_headers: { word: "headers" },
  transport: { word: "type" },
  transportType: { word: "type" },
  enabled: { word: "disabled", convert: opposite },
  disabled_tools: { word: "disabledTools" },
  excludeTools: { word: "disabledTools" },
  includeTools: { word: "enabledTools" },
  enabled_tools: { word: "enabledTools" },
  startup_timeout_sec: { word: "startTimeout", convert: seconds },
  startup_timeout_ms: { word: "startTimeout" },
  tool_timeout_sec: { word: "timeout", convert: seconds },
};

/** Words that would let calls run unasked. They mean nothing here, and that is said. */
const granting: ReadonlySet<string> = new Set([
  "autoApprove",
  "alwaysAllow",
  "trust",
  "autoStart",
  "allowedTools",
  "default_tools_approval_mode",
]);

/** Words that say something about an entry and change nothing. */
const describing: ReadonlySet<string> = new Set([
  ..."description title name displayName icon gallery version homepage author license tags".split(
    " ",
  ),
  ..."$schema metadata _meta source provider registry".split(" "),
]);

/** All words that are read, ours first: the nearest of them is proposed for one that is not. */
const read =
  "type command args env envFile envPass cwd sandbox url headers oauth bearer_token_env_var env_http_headers sampling roots protocol instructions disabled disabledTools enabledTools tools timeout startTimeout".split(
    " ",
  );

export interface CanonicalEntry {
  readonly value: JsonObject;
  /** Where a word was written under another name: ours to theirs. */
  readonly written: ReadonlyMap<string, string>;
  /** What is to be told and costs nothing: sentences without a value, each with its word. */
  readonly remarks: readonly { readonly word: string; readonly text: string }[];
  /** Words that contradict each other; the entry is not used. */
  readonly clashes: readonly { readonly word: string; readonly text: string }[];
}

/** The entry in our own words. A value that cannot be converted is left as it is, for the schema to name. */
export function canonicalEntry(entry: JsonObject): CanonicalEntry {
  const value: Record<string, unknown> = {};
  const written = new Map<string, string>();
  const remarks: { word: string; text: string }[] = [];
  const clashes: { word: string; text: string }[] = [];
  for (const [word, given] of Object.entries(entry)) {
    if (describing.has(word) || word.startsWith("//") || word.startsWith("_")) continue;
    if (granting.has(word)) {
      remarks.push({ word, text: "grants nothing here: rules in your configuration do" });
      continue;
    }
    const alias = ownValue(aliases, word);
    const own = alias?.word ?? word;
    if (!read.includes(own)) {
      const near = nearestWord(word, [...read, ...Object.keys(aliases)]);
      const guess = near === null ? "" : `; you may mean ${near}`;
      remarks.push({ word, text: `is not known here and does nothing${guess}` });
      continue;
    }
    const converted = alias?.convert?.(given) ?? given;
    if (Object.hasOwn(value, own)) {
      // Whatever forbids counts.
      if (own === "disabled") value.disabled = value.disabled === true || converted;
      else if (own === "disabledTools")
        value.disabledTools = joined(value.disabledTools, converted);
      else clashes.push({ word, text: `says the same as ${written.get(own) ?? own}; write one` });
      continue;
    }
    value[own] = converted;
    if (own !== word) written.set(own, word);
  }
  return { value: splitCommand(value), written, remarks, clashes };
}

function joined(first: unknown, second: unknown): unknown {
  return Array.isArray(first) && Array.isArray(second) ? [...first, ...second] : second;
}

/** `command` is a list in opencode's files, and a table in older ones of Zed. */
function splitCommand(value: JsonObject): JsonObject {
  const { command } = value;
  if (Array.isArray(command)) {
    const [program, ...words] = command;
    const args = Array.isArray(value.args) ? value.args : [];
    return { ...value, command: program, args: [...words, ...args] };
  }
  if (isObject(command) && command.path !== undefined) {
    const { path, args = [], env = {} } = command;
    return { args, env, ...value, command: path };
  }
  return value;
}

/** Kinds of transport as the clients of the field write them. */
const kinds: Readonly<Record<string, "stdio" | "http" | "sse">> = {
  stdio: "stdio",
  local: "stdio",
  command: "stdio",
  process: "stdio",
  http: "http",
  https: "http",
  streamablehttp: "http",
  streaminghttp: "http",
  httpstream: "http",
  remote: "http",
  sse: "sse",
};

/** Null when it is none. */
export function transportKind(written: string): "stdio" | "http" | "sse" | null {
  const word = written.toLowerCase().replace(/[^a-z]/g, "");
  return ownValue(kinds, word) ?? null;
}
