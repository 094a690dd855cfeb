/** Parses and checks one server's entry from a file or from `setup`; variables are not expanded yet. */
import * as z from "zod";
import { emptyTable } from "../../conversation/settings/schema-words.ts";
import { matchesPattern } from "../../conversation/settings/tool-selection.ts";
import { given } from "../../shared/given.ts";
import { isObject, type JsonObject } from "../../shared/json.ts";
import { visible } from "../../shared/visible.ts";
import { longestTimer } from "../../shared/waiting.ts";
import type { Sandbox } from "../../system/sandbox.ts";
import { type OAuthSettings, oauthSchema, toOAuthSettings } from "../oauth/settings.ts";
import { canonicalEntry, emptyTableIsList, ownWord, transportKind } from "./entry-words.ts";
import type { ProtocolChoice } from "./launch-configuration.ts";

const writeText = { error: "write a text" };
const list = { error: "write a list of texts" };
const table = { error: "write a table of texts" };
const yesOrNo = { error: "write true or false" };

const falseIsTable = (value: unknown) => (value === false ? { enabled: false } : emptyTable(value));

const word = z.union([z.string(), z.number(), z.boolean()], writeText).transform(String);
const words = z.preprocess(emptyTableIsList, z.array(word, list));
/** A null value, as mcphub writes it, means the environment variable of the same name. */
const variables = z.preprocess(
  emptyTable,
  z
    .record(z.string(), z.union([word, z.null()], writeText), table)
    .transform((given) =>
      Object.fromEntries(
        Object.entries(given).map(([name, value]) => [name, value ?? `\${env:${name}}`]),
      ),
    ),
);
/** A list of the offered tools (an empty one offers none), or an object with true or false for each tool. */
const toolNames = z.union(
  [z.array(z.string(writeText)), z.record(z.string(), z.boolean(yesOrNo))],
  {
    error: "write a list of tools, or a table of tools with true or false",
  },
);
const milliseconds = z.number({ error: "write milliseconds" }).positive("write milliseconds");

const entrySchema = z.object(
  {
    type: z.string(writeText).exactOptional(),
    command: z.string(writeText).trim().exactOptional(),
    args: words.exactOptional(),
    env: variables.exactOptional(),
    envFile: z.string(writeText).exactOptional(),
    envPass: words.exactOptional(),
    cwd: z.string(writeText).exactOptional(),
    sandbox: z
      .strictObject(
        { write: words.exactOptional(), net: z.boolean(yesOrNo).exactOptional() },
        { error: "write a table with write and net" },
      )
      .exactOptional(),
    url: z.string(writeText).exactOptional(),
    headers: variables.exactOptional(),
    bearer_token_env_var: z.string(writeText).exactOptional(),
    env_http_headers: z.record(z.string(), z.string(writeText), table).exactOptional(),
    oauth: z.preprocess(falseIsTable, oauthSchema).exactOptional(),
    sampling: z.enum(["off", "ask"], { error: "write off or ask" }).exactOptional(),
    roots: z.boolean(yesOrNo).exactOptional(),
    instructions: z.boolean(yesOrNo).exactOptional(),
    protocol: z
      .enum(["auto", "legacy", "2026-07-28"], { error: "write auto, legacy or 2026-07-28" })
      .exactOptional(),
    disabled: z.boolean(yesOrNo).exactOptional(),
    disabledTools: words.exactOptional(),
    enabledTools: words.exactOptional(),
    tools: toolNames.exactOptional(),
    timeout: milliseconds.exactOptional(),
    startTimeout: milliseconds.exactOptional(),
  },
  { error: "write a table with command or url" },
);

/** How a server process is started; variables are not expanded yet. */
export interface StdioLaunch {
  readonly type: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** A file of environment variables, in addition to `env`. */
  readonly envFile: string | null;
  /** Names of our own environment variables that the process gets. */
  readonly envPass: readonly string[];
  readonly cwd: string | null;
  /** Absent: no sandbox; it runs like any program that the user starts. */
  readonly sandbox?: Sandbox;
}

/** How a remote server is reached; variables are not expanded yet. */
export interface RemoteLaunch {
  readonly type: "remote";
  /** `http` falls back to the older SSE transport if the server supports nothing newer. */
  readonly transport: "http" | "sse";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null: Parley never logs in. */
  readonly oauth: OAuthSettings | null;
}

export type Launch = StdioLaunch | RemoteLaunch;

/** Which of a server's tools are offered, by the server's own names; `*` matches any characters. */
export interface ToolFilter {
  /** Null: all tools. */
  readonly only: readonly string[] | null;
  readonly without: readonly string[];
}

export interface ServerEntry {
  readonly name: string;
  readonly launch: Launch;
  readonly isDisabled: boolean;
  /** Null: the default of its transport. */
  readonly protocol: ProtocolChoice | null;
  /** Whether it may request answers from the user's model (sampling); null: as configured for all servers. */
  readonly sampling: "off" | "ask" | null;
  /** Whether it gets the working folders (roots). */
  readonly sharesRoots: boolean;
  /** Whether the model gets its instructions; null: the default for the place that configures the server. */
  readonly instructions: boolean | null;
  readonly tools: ToolFilter;
  /** Timeout of a call in milliseconds; null: as configured for all tools. */
  readonly timeoutMs: number | null;
  /** Timeout of a start in milliseconds; null: as configured for all servers. */
  readonly startTimeoutMs: number | null;
}

export interface EntryMistake {
  readonly name: string;
  /** Path of keys inside the entry, as written. */
  readonly path: readonly (string | number)[];
  /** A sentence that never contains a value. */
  readonly reason: string;
}

export interface ReadEntries {
  readonly entries: readonly ServerEntry[];
  /** A server whose entry has a mistake is left out: half a command would be a different command. */
  readonly mistakes: readonly EntryMistake[];
  /** Reports that do not prevent a server from being used. */
  readonly remarks: readonly EntryMistake[];
}

/** Reads a table of servers, keyed by name. */
export function readEntries(servers: Readonly<Record<string, unknown>>): ReadEntries {
  const entries: ServerEntry[] = [];
  const mistakes: EntryMistake[] = [];
  const remarks: EntryMistake[] = [];
  for (const [name, value] of Object.entries(servers)) {
    const read = readEntry(name, value);
    remarks.push(...read.remarks);
    if ("entry" in read) entries.push(read.entry);
    else mistakes.push(...read.mistakes);
  }
  return { entries, mistakes, remarks };
}

type ReadEntry = { readonly remarks: readonly EntryMistake[] } & (
  | { readonly entry: ServerEntry }
  | { readonly mistakes: readonly EntryMistake[] }
);

function readEntry(name: string, value: unknown): ReadEntry {
  const mistake = (reason: string, path: EntryMistake["path"] = []) => ({ name, path, reason });
  const refused = (...mistakes: readonly EntryMistake[]) => ({ mistakes, remarks: [] });
  if (name.trim() === "" || visible(name) !== name) {
    return refused(mistake("give the server a name of visible characters"));
  }
  if (!isObject(value)) return refused(mistake("write a table with command or url"));
  const { value: canonical, written, clashes, remarks: said } = canonicalEntry(value);
  const remarks = said.map(({ path, text }) => mistake(text, path));
  const checked = entrySchema.safeParse(canonical);
  if (!checked.success || clashes.length > 0) {
    const found = (checked.error?.issues ?? []).map(({ path, message }) =>
      mistake(message, pathAsWritten(path, written)),
    );
    const double = clashes.map(({ path, text }) => mistake(text, path));
    return {
      mistakes: [
        ...new Map([...found, ...double].map((one) => [one.path.join("."), one])).values(),
      ],
      remarks,
    };
  }
  const times = timesOf(checked.data, written, mistake);
  const launch = readLaunch(checked.data);
  if (typeof launch === "string") {
    // One mistake gives one sentence: if `uri` was written, report that, and not the missing `url` as well.
    const isCause = ({ guess }: (typeof said)[number]) => guess === "command" || guess === "url";
    const causes = said.filter(isCause).map(({ path, text }) => mistake(text, path));
    const others = said.filter((one) => !isCause(one));
    return {
      mistakes: causes.length > 0 ? causes : [mistake(launch)],
      remarks: others.map(({ path, text }) => mistake(text, path)),
    };
  }
  const { disabled = false, sampling = null, protocol = null } = checked.data;
  const { roots = true, instructions = null } = checked.data;
  return {
    remarks: [...remarks, ...times.remarks],
    entry: {
      name,
      launch,
      isDisabled: disabled,
      protocol,
      sampling,
      sharesRoots: roots,
      instructions,
      tools: toolFilter(checked.data),
      timeoutMs: times.timeoutMs,
      startTimeoutMs: times.startTimeoutMs,
    },
  };
}

type Checked = z.output<typeof entrySchema>;

/** Returns a sentence if it is unclear how to reach the server. */
function readLaunch(checked: Checked): Launch | string {
  const { type: written, command, url, args = [], env = {}, envPass = [] } = checked;
  const { cwd = null, envFile = null, sandbox = null } = checked;
  const type = written === undefined ? null : transportKind(written);
  if (written !== undefined && type === null) {
    return "unknown type: write stdio, http or sse";
  }
  if (command !== undefined && url !== undefined) return "write command or url, not both";
  if (command !== undefined && (type === null || type === "stdio")) {
    return { type: "stdio", command, args, env, envFile, envPass, cwd, ...given({ sandbox }) };
  }
  if (url !== undefined && sandbox !== null) return "write sandbox for a command, not for a url";
  if (url !== undefined && type !== "stdio") {
    const transport = type === "sse" ? "sse" : "http";
    const oauth = toOAuthSettings(checked.oauth ?? {});
    return { type: "remote", transport, url, headers: headersOf(checked), oauth };
  }
  return `${type === null ? "command or url" : type === "stdio" ? "command" : "url"} is missing`;
}

/** Codex names environment variables for headers; other programs write headers that contain variables. */
function headersOf(checked: Checked): Readonly<Record<string, string>> {
  const { headers = {}, bearer_token_env_var: bearer, env_http_headers: named = {} } = checked;
  const fromNames = Object.entries(named).map(([header, name]) => [header, `\${env:${name}}`]);
  return {
    ...(bearer === undefined ? {} : { Authorization: `Bearer \${env:${bearer}}` }),
    ...Object.fromEntries(fromNames),
    ...headers,
  };
}

function toolFilter({ tools, enabledTools, disabledTools = [] }: Checked): ToolFilter {
  const listed = Array.isArray(tools) ? tools : null;
  const flags = tools === undefined || Array.isArray(tools) ? [] : Object.entries(tools);
  const off = flags.flatMap(([name, isOn]) => (isOn ? [] : [name]));
  const on = listed ?? enabledTools ?? null;
  const both = listed !== null && enabledTools !== undefined;
  return {
    only: both ? listed.filter((name) => enabledTools.includes(name)) : on,
    without: [...disabledTools, ...off],
  };
}

/** A shorter time is taken as seconds, the unit of some other programs. */
const shortestMs = 1000;

function timesOf(
  { timeout, startTimeout }: Checked,
  written: ReadonlyMap<string, string>,
  mistake: (reason: string, path: EntryMistake["path"]) => EntryMistake,
) {
  const remarks: EntryMistake[] = [];
  const read = (key: "timeout" | "startTimeout", value: number | undefined) => {
    if (value === undefined) return null;
    if (value >= shortestMs) return Math.min(value, longestTimer);
    const text = `is read as ${value} seconds; write ${value * 1000} milliseconds`;
    remarks.push(mistake(text, [written.get(key) ?? key]));
    return value * 1000;
  };
  const timeoutMs = read("timeout", timeout);
  return { timeoutMs, startTimeoutMs: read("startTimeout", startTimeout), remarks };
}

function pathAsWritten(
  path: readonly PropertyKey[],
  written: ReadonlyMap<string, string>,
): readonly (string | number)[] {
  return path.map((key, index) => {
    if (typeof key === "number") return key;
    return index === 0 ? (written.get(String(key)) ?? String(key)) : String(key);
  });
}

/** Whether a server's tool is offered. `without` wins over `only`. */
export function includesTool({ only, without }: ToolFilter, tool: string): boolean {
  const fits = (pattern: string) => matchesPattern(pattern, tool);
  return (only === null || only.some(fits)) && !without.some(fits);
}

/** Whether `value` is a table of servers: each member has a command or an address. */
export function looksLikeServers(value: JsonObject): boolean {
  const entries = Object.values(value);
  return (
    entries.length > 0 &&
    entries.every(
      (entry) =>
        isObject(entry) &&
        Object.keys(entry).some((key) => ["command", "url"].includes(ownWord(key) ?? "")),
    )
  );
}
