/** What a configuration may hold, checked value by value: one mistake costs one value, not the rest. */

import { z } from "zod";
import { reasoningEfforts } from "../../conversation/ports.ts";
import { toolProtocols } from "../../conversation/proposed-call.ts";
import { toolChoice } from "../../conversation/settings/chat-settings.ts";
import { parseModelName } from "../../conversation/settings/model-name.ts";
import { parseSelection } from "../../conversation/settings/tool-selection.ts";
import { readEntries } from "../../mcp/configured/server-entry.ts";
import { isObject } from "../../shared/json.ts";
import { named, positive, providers, table, word } from "./provider-schema.ts";

function isSelection(text: string): boolean {
  return parseSelection(text).problems.length === 0;
}

/** A list that only removes would allow every other tool. */
function allowsByName(text: string): boolean {
  return !parseSelection(text).selection.others;
}

const selection = z
  .string(word("write a text with commas between servers and tools"))
  .refine(isSelection, "write servers, tools or server.tool, with commas between them");
const yesOrNo = z.boolean(word("write true or false"));
const folder = z.string().min(1);
const command = z.array(z.string().min(1), word("write a command as a list of words")).min(1);

/** Lua reads these for itself; here they are only known. */
const luaKeys = new Set(["keys", "global_keys", "stream_highlight", "fold_results"]);

const folders = z.union(
  [folder.transform((only) => [only]), z.array(folder)],
  word("write a folder or a list of folders"),
);

const rule = selection.refine(allowsByName, "name the servers or tools that the rule is about");
const rules = z.array(
  z.union(
    [
      rule,
      z.strictObject({ tool: rule, arguments: z.record(z.string(), z.string()).exactOptional() }),
    ],
    word("write a tool, or a table with tool and arguments (patterns of their values)"),
  ),
  word("write a list of tools"),
);

/** As written: they are read where they are started, and looked at here for their mistakes. */
const servers = z.preprocess(
  (value) => (Array.isArray(value) && value.length === 0 ? {} : value),
  z
    .record(z.string(), z.unknown(), word("write a table of servers"))
    .superRefine((value, context) => {
      for (const { name, path, reason } of readEntries(value).mistakes) {
        const message = [path.join("."), reason].filter((part) => part !== "").join(": ");
        context.addIssue({ code: "custom", path: [name], message });
      }
    }),
);

const modelName = z
  .string(word("write provider/model-id"))
  .refine((text) => parseModelName(text) !== null, "write provider/model-id, such as mock/demo");
const oneLineText = z.string(word("write a text")).regex(/^[^\r\n]+$/, "write one line");

/** What a chat's header may set too; a preset holds some of it. */
const preset = {
  system_prompt: z.string(word("write a text")).exactOptional(),
  tools: selection.exactOptional(),
  tool_choice: z
    .string(word("write auto, required, none or the name of a tool"))
    .refine((text) => toolChoice(text) !== null, "write auto, required, none or the name of a tool")
    .exactOptional(),
  parallel_tool_calls: yesOrNo.exactOptional(),
  max_full_exchanges: z
    .number(word("write a number"))
    .int("write a whole number")
    .nonnegative("write 0 or more")
    .exactOptional(),
  max_tokens: positive.exactOptional(),
  reasoning_effort: z
    .enum(reasoningEfforts, word(`write one of ${reasoningEfforts.join(", ")}`))
    .exactOptional(),
  temperature: z
    .number(word("write a number"))
    .min(0, "write a number from 0 to 2")
    .max(2, "write a number from 0 to 2")
    .exactOptional(),
  top_p: z
    .number(word("write a number"))
    .gt(0, "write a number above 0 and up to 1")
    .max(1, "write a number above 0 and up to 1")
    .exactOptional(),
  server_tools: z.array(z.string().min(1), word("write a list of names")).exactOptional(),
  tool_protocol: z
    .enum(toolProtocols, word(`write one of ${toolProtocols.join(", ")}`))
    .exactOptional(),
};

const agent = table({
  ...preset,
  model: modelName.exactOptional(),
  label: oneLineText.exactOptional(),
  description: oneLineText.exactOptional(),
});

const money = z.number(word("write dollars per million tokens")).min(0, "write 0 or more");
const price = table({
  input: money,
  output: money,
  cache_read: money.exactOptional(),
  cache_write: money.exactOptional(),
});

const valuesSchema = table({
  ...preset,
  model: modelName.exactOptional(),
  agent: oneLineText.exactOptional(),
  agents: named(agent).exactOptional(),
  models: named(table(preset)).exactOptional(),
  system_prompts: named(z.string(word("write a text"))).exactOptional(),
  tool_files: z
    .union(
      [folder.transform((only) => [only]), z.array(folder)],
      word("write a file or a list of files"),
    )
    .exactOptional(),
  auto_approve: selection
    .refine(allowsByName, "name the servers or tools to allow, or write none")
    .exactOptional(),
  rules: table({
    allow: rules.exactOptional(),
    ask: rules.exactOptional(),
    deny: rules.exactOptional(),
  }).exactOptional(),
  tool_timeout: z.number(word("write seconds")).positive("write more than 0").exactOptional(),
  result_limit: positive.exactOptional(),
  max_model_calls: positive.exactOptional(),
  max_retries: z
    .number(word("write a number"))
    .int("write a whole number")
    .min(0, "write a number from 0 to 10")
    .max(10, "write a number from 0 to 10")
    .exactOptional(),
  idle_timeout: z.number(word("write seconds")).positive("write more than 0").exactOptional(),
  prices: named(price).exactOptional(),
  image_commands: table({
    clipboard: command.exactOptional(),
    capture: command.exactOptional(),
  }).exactOptional(),
  chat_dirs: folders.exactOptional(),
  chat_dir: folders.exactOptional(),
  providers: providers.exactOptional(),
  mcp: table({
    mock: yesOrNo.exactOptional(),
    sampling: z.enum(["off", "ask"], word("write off or ask")).exactOptional(),
    servers: servers.exactOptional(),
  }).exactOptional(),
});

/** The values that are given; the others have their defaults. */
export type ConfigurationValues = Omit<z.infer<typeof valuesSchema>, "chat_dir">;

export type KeyPath = readonly (string | number)[];

export interface Mistake {
  readonly path: KeyPath;
  /** What is wrong with the value there; never holds the value. */
  readonly reason: string;
}

/** The values that can be used, and a mistake for each that cannot. A value of null is like none. */
export function checkValues(given: unknown): {
  readonly values: ConfigurationValues;
  readonly mistakes: readonly Mistake[];
} {
  const mistakes: Mistake[] = [];
  let rest: unknown = withoutLuaKeys(withoutNulls(given));
  for (;;) {
    const checked = valuesSchema.safeParse(rest);
    if (checked.success) {
      const { chat_dir, ...read } = checked.data;
      const values = mistakes.some(({ path }) => path[0] === "rules") ? allowNothing(read) : read;
      if (chat_dir === undefined) return { values, mistakes };
      return { values: { chat_dirs: chat_dir, ...values }, mistakes };
    }
    const found = firstOfEach(checked.error.issues.flatMap(mistakesOf));
    mistakes.push(...found);
    // All of them as the value was checked: what two mistakes have in common is dropped once.
    const wrong = found.map(({ path }) => presentPath(rest, path));
    rest = wrong.reduce(without, rest);
  }
}

/** One sentence for one value: of an empty text that is no list both its kind and its length are wrong. */
function firstOfEach(mistakes: readonly Mistake[]): readonly Mistake[] {
  const byPath = new Map(
    mistakes.toReversed().map((mistake) => [mistake.path.join("\n"), mistake]),
  );
  return [...byPath.values()].toReversed();
}

/** A rule that cannot be read may be one that forbids: until it is mended, no rule allows anything. */
function allowNothing(values: ConfigurationValues): ConfigurationValues {
  return { ...values, auto_approve: "none", rules: { ...values.rules, allow: [] } };
}

function mistakesOf(issue: z.core.$ZodIssue): Mistake[] {
  const path = issue.path.map((key) => (typeof key === "number" ? key : String(key)));
  if (issue.code !== "unrecognized_keys") return [{ path, reason: issue.message }];
  return issue.keys.map((key) => ({ path: [...path, key], reason: "there is no such key" }));
}

/** What is missing cannot be dropped: the path to the value that misses it, which cannot be used. */
function presentPath(value: unknown, [key, ...below]: KeyPath): KeyPath {
  if (key === undefined || !isObject(value) || !Object.hasOwn(value, key)) return [];
  return [key, ...presentPath(value[key], below)];
}

/** The value without what is at the path. Of a list the whole is dropped: half a command is another command. */
function without(value: unknown, path: KeyPath): unknown {
  const [key, ...below] = path;
  if (key === undefined || !isObject(value)) return {};
  const inner = value[key];
  const { [key]: _, ...others } = value;
  return below.length > 0 && isObject(inner) ? { ...others, [key]: without(inner, below) } : others;
}

function withoutLuaKeys(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !luaKeys.has(key)));
}

function withoutNulls(value: unknown): unknown {
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutNulls(item)]));
}
