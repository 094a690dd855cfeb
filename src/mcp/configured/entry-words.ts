/**
 * The keys of a server's entry, as Parley and other programs write them: which mean the same, which grant nothing
 * here, and which are unknown.
 */
import { isObject, type JsonObject, ownValue } from "../../shared/json.ts";
import { nearestWord } from "../../shared/nearest.ts";

/** What another program's key means: our key, and how its value is converted. */
interface Alias {
  readonly word: string;
  readonly convert?: (value: unknown) => unknown;
  /** Whether it means our key with this value; absent: with any. */
  readonly when?: (value: unknown) => boolean;
  /** What to report to the user about it. */
  readonly remark?: string;
}

const seconds = (value: unknown) => (typeof value === "number" ? value * 1000 : value);
const opposite = (value: unknown) => (typeof value === "boolean" ? !value : value);

/** Each key stands for all its spellings: `includeTools` also covers `include_tools` and `include-tools`. */
const aliases: Readonly<Record<string, Alias>> = {
  environment: { word: "env" },
  env_vars: { word: "envPass" },
  httpUrl: { word: "url" },
  serverUrl: { word: "url" },
  baseUrl: { word: "url" },
  http_headers: { word: "headers" },
  auth: { word: "oauth", when: isObject },
  transport: { word: "type" },
  transportType: { word: "type" },
  disable: { word: "disabled" },
  isDisabled: { word: "disabled" },
  enabled: { word: "disabled", convert: opposite },
  enable: { word: "disabled", convert: opposite },
  isEnabled: { word: "disabled", convert: opposite },
  active: { word: "disabled", convert: opposite },
  isActive: { word: "disabled", convert: opposite },
  excludeTools: { word: "disabledTools" },
  excludedTools: { word: "disabledTools" },
  disallowedTools: { word: "disabledTools" },
  deniedTools: { word: "disabledTools" },
  blockedTools: { word: "disabledTools" },
  includeTools: { word: "enabledTools" },
  includedTools: { word: "enabledTools" },
  allowedTools: {
    word: "enabledTools",
    remark: "says which tools are offered, and allows nothing here",
  },
  startup_timeout_sec: { word: "startTimeout", convert: seconds },
  startup_timeout_ms: { word: "startTimeout" },
  tool_timeout_sec: { word: "timeout", convert: seconds },
};

/** Keys that would let calls run without approval. */
const granting = "autoApprove alwaysAllow trust autoStart default_tools_approval_mode".split(" ");

/** Keys that disable things which Parley only ever does when the user presses a key. */
const byHand =
  "disabledPrompts disabledResources disabledResourceTemplates disabledAutoApproveTools".split(" ");

/** Keys that describe an entry and have no effect. */
const describing = [
  ..."description title name displayName icon gallery version homepage author license tags".split(
    " ",
  ),
  ..."$schema metadata source provider registry".split(" "),
];

/** All keys that Parley reads, its own first; for an unknown key, the nearest of them is suggested. */
const read =
  "type command args env envFile envPass cwd sandbox url headers oauth bearer_token_env_var env_http_headers sampling roots protocol instructions disabled disabledTools enabledTools tools timeout startTimeout".split(
    " ",
  );

/** Gives `disabled_tools`, `disabled-tools` and `disabledTools` the same form: programs differ only in this. */
const spelling = (word: string) => word.replace(/[-_]/g, "").toLowerCase();

const entryWords: readonly string[] = [...read, ...Object.keys(aliases)];

const known: ReadonlyMap<string, Alias> = new Map([
  ...Object.entries(aliases).map(([word, alias]) => [spelling(word), alias] as const),
  ...read.map((word) => [spelling(word), { word }] as const),
]);

/** Keys of `oauth`. */
const loginWords =
  "enabled clientId clientSecret clientMetadataUrl scope scopes callbackPort issuer grantType privateKey algorithm".split(
    " ",
  );

const knownOfLogin: ReadonlyMap<string, string> = new Map(
  loginWords.map((word) => [spelling(word), word]),
);

/** What is reported about keys that are known but have no effect; null: nothing. */
const idle: ReadonlyMap<string, string | null> = new Map([
  ...granting.map(
    (word) => [spelling(word), "allows nothing here; use rules in your configuration"] as const,
  ),
  ...byHand.map(
    (word) =>
      [spelling(word), "has no effect here, since you approve each call with a key"] as const,
  ),
  ...describing.map((word) => [spelling(word), null] as const),
]);

/** An unknown key that may restrict the server: it is not used if its restrictions are not understood. */
const restricting =
  /disabl|disallow|exclu|forbid|deny|denied|block|inactive|suppress|restrict|sandbox|readonly|(enabl|inclu|allow|only).*tool|tool.*(enabl|inclu|allow|only)/;

/** Words for what Parley does with no server. A key that restricts only that is followed already. */
const neverDone =
  /^(telemetry|analytics|metrics|statistics|stats|tracking|reports?|reporting|logs?|logging|cach(e|es|ing)|(auto)?updates?|notifications?|sounds?|animations?|colou?rs?|icons?|reason|message|comment|note|tls|ssl|certificates?|verification|(auto)?reconnect|(auto)?restart|reload)$/;

function restricts(word: string, value: unknown): boolean {
  if (isObject(value) && Object.entries(value).some(([key, inner]) => restricts(key, inner))) {
    return true;
  }
  const isTable = typeof value === "object" && value !== null;
  const isFilled = isTable ? Object.keys(value).length > 0 : Boolean(value);
  return isFilled && restricting.test(spelling(word)) && !isNeverDone(word);
}

function isNeverDone(word: string): boolean {
  const parts = word
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[-_. ]/);
  return parts.some((part) => neverDone.test(part)) && !parts.some((part) => /^tools?$/.test(part));
}

/** A key with one of these has no value: generated files contain every key that their program knows. */
const isUnset = (value: unknown) =>
  value === null || (typeof value === "string" && value.trim() === "");

/** Returns our key for a key of any program; null if Parley does not read it. */
export function ownWord(word: string): string | null {
  return known.get(spelling(word))?.word ?? null;
}

export interface CanonicalEntry {
  readonly value: JsonObject;
  /** For keys that were written under another name: from our key to the written one. */
  readonly written: ReadonlyMap<string, string>;
  /** Reports that do not prevent the entry from being used: sentences without a value, each with its keys. */
  readonly remarks: readonly Remark[];
  /** Keys that contradict each other, or restrict something unknown; the entry is then not used. */
  readonly clashes: readonly Remark[];
}

interface Remark {
  readonly path: readonly string[];
  readonly text: string;
  /** Our key that may have been meant. */
  readonly guess?: string | null;
}

/** Returns the entry with our keys. A value that cannot be converted is kept, so that the schema reports it. */
export function canonicalEntry(entry: JsonObject): CanonicalEntry {
  const value: Record<string, unknown> = {};
  const written = new Map<string, string>();
  const remarks: Remark[] = [];
  const clashes: Remark[] = [];
  for (const [word, given] of Object.entries(entry)) {
    const said = idle.get(spelling(word));
    if (said === null || isUnset(given) || /^(\/\/|_)/.test(word)) continue;
    if (said !== undefined) {
      remarks.push({ path: [word], text: said });
      continue;
    }
    const alias = known.get(spelling(word));
    if (alias === undefined || alias.when?.(given) === false) {
      if (restricts(word, given)) clashes.push(unknownWord([word], forbidding));
      else remarks.push(unknownWord([word], "does nothing"));
      continue;
    }
    const { word: own, convert, remark } = alias;
    if (remark !== undefined) remarks.push({ path: [word], text: remark });
    const converted =
      own === "oauth" ? loginEntry(word, given, remarks) : (convert?.(given) ?? given);
    if (Object.hasOwn(value, own)) {
      // A restriction always wins, and a value that cannot be read is kept so that the schema reports it.
      if (own === "disabled")
        value.disabled = value.disabled === false ? converted : value.disabled;
      else if (own === "disabledTools")
        value.disabledTools = joined(value.disabledTools, converted);
      else
        clashes.push({
          path: [word],
          text: `means the same as ${written.get(own) ?? own}; keep one of them`,
        });
      continue;
    }
    value[own] = converted;
    if (own !== word) written.set(own, word);
  }
  return { value: splitCommand(value), written, remarks, clashes };
}

const forbidding = "may forbid something, so remove it if it does not";

function unknownWord(path: readonly string[], effect: string): Remark {
  const near = nearestWord(path.at(-1) ?? "", path.length > 1 ? loginWords : entryWords);
  const text = `is unknown and ${effect}`;
  if (near === null) return { path, text };
  return { path, text: `${text}; you may mean ${near}`, guess: ownWord(near) };
}

/** `oauth` with our keys: Cursor writes `CLIENT_ID`, others `client_id`. */
function loginEntry(word: string, value: unknown, remarks: Remark[]): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, given]) => {
      if (isUnset(given)) return [];
      const own = knownOfLogin.get(spelling(key));
      if (own === undefined) remarks.push(unknownWord([word, key], "does nothing"));
      return own === undefined ? [] : [[own, given]];
    }),
  );
}

function joined(first: unknown, second: unknown): unknown {
  const [one, other] = [emptyTableIsList(first), emptyTableIsList(second)];
  if (!Array.isArray(one)) return one;
  return Array.isArray(other) ? [...one, ...other] : other;
}

/** Lua and some programs write an empty list as an empty object. */
export function emptyTableIsList(value: unknown): unknown {
  return isObject(value) && Object.keys(value).length === 0 ? [] : value;
}

/** `command` is a list in opencode's files, and an object in older files of Zed. */
function splitCommand(value: JsonObject): JsonObject {
  const { command } = value;
  if (Array.isArray(command)) {
    const [program, ...words] = command;
    const args = Array.isArray(value.args) ? value.args : [];
    return { ...value, command: program, args: [...words, ...args] };
  }
  if (isObject(command) && command.path !== undefined) {
    const { path, args, env } = command;
    return { args: args ?? [], env: env ?? {}, ...value, command: path };
  }
  return value;
}

/** Names of transports in the configurations of known MCP clients. */
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

/** Null for an unknown name. */
export function transportKind(written: string): "stdio" | "http" | "sse" | null {
  const word = written.toLowerCase().replace(/[^a-z]/g, "");
  return ownValue(kinds, word) ?? null;
}
