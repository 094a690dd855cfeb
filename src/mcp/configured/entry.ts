/** One server as it is written in a file or in `setup`, checked; variables are still as written. */
import * as z from "zod";
import { emptyTable } from "../../conversation/settings/schema-words.ts";
import { matchesPattern } from "../../conversation/settings/tool-selection.ts";
import { given } from "../../shared/given.ts";
import { isObject, type JsonObject } from "../../shared/json.ts";
import { visible } from "../../shared/visible.ts";
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
/** Null, as mcphub writes it: the variable of this name. */
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
/** A list of those offered, where an empty one offers none, or a table with a yes or no for each. */
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
    command: z.string(writeText).trim().min(1, "write the program to start").exactOptional(),
    args: words.exactOptional(),
    env: variables.exactOptional(),
    envFile: z.string(writeText).min(1, "write a file").exactOptional(),
    envPass: words.exactOptional(),
    cwd: z.string(writeText).min(1, "write a folder").exactOptional(),
    sandbox: z
      .strictObject(
        { write: words.exactOptional(), net: z.boolean(yesOrNo).exactOptional() },
        { error: "write a table with write and net" },
      )
      .exactOptional(),
    url: z.string(writeText).min(1, "write an address").exactOptional(),
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

/** How a server is started, with its variables as written. */
export interface StdioLaunch {
  readonly type: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** A file of variables, beside those of `env`. */
  readonly envFile: string | null;
  /** Variables of our own environment that go along. */
  readonly envPass: readonly string[];
  readonly cwd: string | null;
  /** Absent: it runs as a program of the person's own. */
  readonly sandbox?: Sandbox;
}

/** How a server that runs already is reached, with its variables as written. */
export interface RemoteLaunch {
  readonly type: "remote";
  /** `http` tries the older SSE where a server knows nothing newer. */
  readonly transport: "http" | "sse";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null: it is never logged in to. */
  readonly oauth: OAuthSettings | null;
}

export type Launch = StdioLaunch | RemoteLaunch;

/** Which of a server's tools are offered, by its own names; `*` stands for any letters. */
export interface ToolFilter {
  /** Null: all. */
  readonly only: readonly string[] | null;
  readonly without: readonly string[];
}

export interface ServerEntry {
  readonly name: string;
  readonly launch: Launch;
  readonly isDisabled: boolean;
  /** Null: as is best for how it is reached. */
  readonly protocol: ProtocolChoice | null;
  /** Whether it may ask for answers of the person's model; null: as configured for all servers. */
  readonly sampling: "off" | "ask" | null;
  /** Whether it is told which folders are worked in. */
  readonly tellsRoots: boolean;
  /** Whether the model gets its instructions; null: as its place says. */
  readonly instructions: boolean | null;
  readonly tools: ToolFilter;
  /** Milliseconds a call may take; null: as configured for all tools. */
  readonly timeoutMs: number | null;
  /** Milliseconds a start may take; null: as configured for all servers. */
  readonly startTimeoutMs: number | null;
}

export interface EntryMistake {
  readonly name: string;
  /** Keys inside the entry, as they are written. */
  readonly path: readonly (string | number)[];
  /** Never holds a value. */
  readonly reason: string;
}

export interface ReadEntries {
  readonly entries: readonly ServerEntry[];
  /** A mistake costs its server: half a command is another command. */
  readonly mistakes: readonly EntryMistake[];
  /** What is told and costs nothing. */
  readonly remarks: readonly EntryMistake[];
}

/** Reads a table of servers by their names. */
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
    return refused(mistake("name a server with characters that can be seen"));
  }
  if (!isObject(value)) return refused(mistake("write a table with command or url"));
  const { value: canonical, written, clashes, remarks: said } = canonicalEntry(value);
  const remarks = said.map(({ word: key, text }) => mistake(text, [key]));
  const checked = entrySchema.safeParse(canonical);
  if (!checked.success || clashes.length > 0) {
    const found = (checked.error?.issues ?? []).map(({ path, message }) =>
      mistake(message, pathAsWritten(path, written)),
    );
    const double = clashes.map(({ word: key, text }) => mistake(text, [key]));
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
    // One mistake has one sentence: `uri` is why there is no `url`.
    const isCause = ({ guess }: (typeof said)[number]) => guess === "command" || guess === "url";
    const causes = said.filter(isCause).map(({ word: key, text }) => mistake(text, [key]));
    const others = said.filter((one) => !isCause(one));
    return {
      mistakes: causes.length > 0 ? causes : [mistake(launch)],
      remarks: others.map(({ word: key, text }) => mistake(text, [key])),
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
      tellsRoots: roots,
      instructions,
      tools: toolFilter(checked.data),
      timeoutMs: times.timeoutMs,
      startTimeoutMs: times.startTimeoutMs,
    },
  };
}

type Checked = z.output<typeof entrySchema>;

/** A sentence when it is unclear how the server is reached. */
function readLaunch(checked: Checked): Launch | string {
  const { type: written, command, url, args = [], env = {}, envPass = [] } = checked;
  const { cwd = null, envFile = null, sandbox = null } = checked;
  const type = written === undefined ? null : transportKind(written);
  if (written !== undefined && type === null) {
    return "type is none that is known: write stdio, http or sse";
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

/** Codex names variables, where others write headers with variables in them. */
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

/** A time that short is meant in seconds, as some programs have it. */
const shortestMs = 1000;

function timesOf(
  { timeout, startTimeout }: Checked,
  written: ReadonlyMap<string, string>,
  mistake: (reason: string, path: EntryMistake["path"]) => EntryMistake,
) {
  const remarks: EntryMistake[] = [];
  const read = (key: "timeout" | "startTimeout", value: number | undefined) => {
    if (value === undefined) return null;
    if (value >= shortestMs) return value;
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

/** Whether a server's tool is offered. What forbids wins. */
export function includesTool({ only, without }: ToolFilter, tool: string): boolean {
  const fits = (pattern: string) => matchesPattern(pattern, tool);
  return (only === null || only.some(fits)) && !without.some(fits);
}

/** `value` as a table of servers, whose entries look like entries. */
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
