/** One server as it is written in a file or in `setup`, checked; variables are still as written. */
import { z } from "zod";
import { isObject } from "../../shared/json.ts";
import { type OAuthSettings, oauthSchema, toOAuthSettings } from "../oauth/settings.ts";
import type { ProtocolChoice } from "./server-configuration.ts";

const writeText = { error: "write a text" };
const list = { error: "write a list of texts" };
const table = { error: "write a table of texts" };

/** An empty table of Lua arrives as an empty list. */
const emptyListIsTable = (value: unknown) =>
  Array.isArray(value) && value.length === 0 ? {} : value;
const emptyTableIsList = (value: unknown) =>
  isObject(value) && Object.keys(value).length === 0 ? [] : value;
const falseIsTable = (value: unknown) =>
  value === false ? { enabled: false } : emptyListIsTable(value);

const variables = z.preprocess(
  emptyListIsTable,
  z.record(
    z.string(),
    z.union([z.string(), z.number(), z.boolean()], writeText).transform(String),
    table,
  ),
);

const types = ["stdio", "http", "streamable-http", "sse"] as const;

/** Keys of other programs (`gallery`, `autoApprove`, …) are passed over: a server may not approve itself. */
const entrySchema = z.object(
  {
    type: z.enum(types, { error: "write stdio, http, streamable-http or sse" }).exactOptional(),
    command: z.string(writeText).trim().min(1, "write the program to start").exactOptional(),
    args: z.preprocess(emptyTableIsList, z.array(z.string(list), list)).exactOptional(),
    env: variables.exactOptional(),
    cwd: z.string(writeText).min(1, "write a folder").exactOptional(),
    url: z.string(writeText).min(1, "write an address").exactOptional(),
    httpUrl: z.string(writeText).min(1, "write an address").exactOptional(),
    headers: variables.exactOptional(),
    oauth: z.preprocess(falseIsTable, oauthSchema).exactOptional(),
    sampling: z.enum(["off", "ask"], { error: "write off or ask" }).exactOptional(),
    roots: z.boolean({ error: "write true or false" }).exactOptional(),
    protocol: z
      .enum(["auto", "legacy", "2026-07-28"], { error: "write auto, legacy or 2026-07-28" })
      .exactOptional(),
    disabled: z.boolean({ error: "write true or false" }).exactOptional(),
    timeout: z
      .number({ error: "write milliseconds" })
      .min(1000, "write milliseconds, 1000 or more")
      .exactOptional(),
    envFile: z
      .never({ error: "it is not supported; write the variables into env" })
      .exactOptional(),
  },
  { error: "write a table with command or url" },
);

/** How a server is reached, with its variables as written. */
export type Launch =
  | {
      readonly type: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string | null;
    }
  | {
      readonly type: "remote";
      /** `http` tries the older SSE where a server knows nothing newer. */
      readonly transport: "http" | "sse";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** Null: it is never logged in to. */
      readonly oauth: OAuthSettings | null;
    };

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
  /** Milliseconds a call may take; null: as configured for all tools. */
  readonly timeoutMs: number | null;
}

export interface EntryMistake {
  readonly name: string;
  /** Keys inside the entry. */
  readonly path: readonly (string | number)[];
  /** Never holds a value. */
  readonly reason: string;
}

export interface ReadEntries {
  readonly entries: readonly ServerEntry[];
  /** A mistake costs its server: half a command is another command. */
  readonly mistakes: readonly EntryMistake[];
}

/** Reads a table of servers by their names. */
export function readEntries(servers: Readonly<Record<string, unknown>>): ReadEntries {
  const entries: ServerEntry[] = [];
  const mistakes: EntryMistake[] = [];
  for (const [name, value] of Object.entries(servers)) {
    const read = readEntry(name, value);
    if ("launch" in read) entries.push(read);
    else mistakes.push(...read.mistakes);
  }
  return { entries, mistakes };
}

function readEntry(
  name: string,
  value: unknown,
): ServerEntry | { readonly mistakes: readonly EntryMistake[] } {
  const mistake = (reason: string, path: EntryMistake["path"] = []) => ({ name, path, reason });
  if (!/^[\p{L}\p{N}_.-][\p{L}\p{N}_. /-]*$/u.test(name)) {
    return { mistakes: [mistake("name a server with letters, digits, _, - and .")] };
  }
  const checked = entrySchema.safeParse(value);
  if (!checked.success) {
    const found = checked.error.issues.map(({ path, message }) => {
      const keys = path.map((key) => (typeof key === "number" ? key : String(key)));
      return mistake(message, keys);
    });
    return { mistakes: found };
  }
  const { type, command, args = [], env = {}, cwd = null, headers = {} } = checked.data;
  const { disabled = false, timeout = null, sampling = null, protocol = null } = checked.data;
  const { roots = true } = checked.data;
  const oauth = toOAuthSettings(checked.data.oauth ?? {});
  const url = checked.data.url ?? checked.data.httpUrl;
  const kept = { timeoutMs: timeout, sampling, protocol, tellsRoots: roots };
  const common = { name, isDisabled: disabled, ...kept };
  if (command !== undefined && url !== undefined) {
    return { mistakes: [mistake("write command or url, not both")] };
  }
  if (command !== undefined && (type === undefined || type === "stdio")) {
    return { ...common, launch: { type: "stdio", command, args, env, cwd } };
  }
  if (url !== undefined && type !== "stdio") {
    const transport = type === "sse" ? "sse" : "http";
    return { ...common, launch: { type: "remote", transport, url, headers, oauth } };
  }
  const missing = type === undefined ? "command or url" : type === "stdio" ? "command" : "url";
  return { mistakes: [mistake(`${missing} is missing`)] };
}
