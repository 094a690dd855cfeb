/** The table of all options of config.json and `setup()`. */
import * as z from "zod";
import { keyPresets, keyRows } from "../../conversation/keys.ts";
import {
  agentOptions,
  chatOptions,
  modelOptions,
  selection,
} from "../../conversation/settings/chat-options.ts";
import {
  type GivenOptions,
  type OptionValues,
  option,
  optional,
  parts,
  type SetBy,
  setBy,
  shapeOf,
} from "../../conversation/settings/option.ts";
import {
  anyText,
  emptyTable,
  filledText,
  named,
  oneLineText,
  positive,
  table,
  texts,
  word,
  yesOrNo,
} from "../../conversation/settings/schema-words.ts";
import { parseSelection } from "../../conversation/settings/tool-selection.ts";
import { readEntries } from "../../mcp/configured/entry.ts";
import { longestTimer } from "../../shared/waiting.ts";
import {
  budgetOptions,
  commandOptions,
  highlightOptions,
  loginOptions,
  screenOptions,
} from "./option-groups.ts";
import { providers } from "./provider-schema.ts";

/** The items of both lists, those of `setup` first. */
function joined<T>(file: readonly T[] | undefined, setup: readonly T[] | undefined): readonly T[] {
  return [...(setup ?? []), ...(file ?? [])];
}

/** Both tables together; where both have a name, `setup` wins. */
function byName<T>(
  file: Readonly<Record<string, T>> | undefined,
  setup: Readonly<Record<string, T>> | undefined,
): Record<string, T> {
  return { ...file, ...setup };
}

/** Both tables together; where both have a name, their values are merged key by key. */
function byNameAndKey<T extends object>(
  file: Readonly<Record<string, T>> | undefined,
  setup: Readonly<Record<string, T>> | undefined,
): Record<string, T> {
  const names = new Set([...Object.keys(file ?? {}), ...Object.keys(setup ?? {})]);
  const merged = [...names].map((name): [string, unknown] => [
    name,
    { ...file?.[name], ...setup?.[name] },
  ]);
  return Object.fromEntries(merged) as Record<string, T>;
}

/** A selection that only removes tools would allow every other one. */
function allowsByName(text: string): boolean {
  return !parseSelection(text).selection.others;
}

const folder = filledText("write a folder");
const folders = z.union(
  [folder.transform((only) => [only]), z.array(folder)],
  word("write a folder or a list of folders"),
);
const commandWords = "write a command as a list of words";
const command = texts(commandWords).min(1, commandWords);

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

/** Servers and tools; with `arguments`, only calls whose values match these patterns. */
export type RuleConfiguration =
  | string
  | { readonly tool: string; readonly arguments?: Readonly<Record<string, string>> };

/** Kept as written: the entries are read when the servers start, and only checked for mistakes here. */
const servers = z.preprocess(
  emptyTable,
  z
    .record(z.string(), z.unknown(), word("write a table of servers"))
    .superRefine((value, context) => {
      for (const { name, path, reason } of readEntries(value).mistakes) {
        const message = [path.join("."), reason].filter((part) => part !== "").join(": ");
        context.addIssue({ code: "custom", path: [name], message });
      }
    }),
);

const money = z.number(word("write dollars per million tokens")).min(0, "write 0 or more");
const price = table({
  input: money,
  output: money,
  cache_read: money.exactOptional(),
  cache_write: money.exactOptional(),
});

const longestSeconds = Math.floor(longestTimer / 1000);
const seconds = z
  .number(word("write seconds"))
  .positive("write more than 0")
  .max(longestSeconds, `write ${longestSeconds} or less`);
const keyWords = "write a key such as <C-g>r, a list of keys, or false";
const oneKey = filledText(keyWords);
const key = z.union([oneKey, z.array(oneKey), z.literal(false)], word(keyWords));
const presetNames = Object.keys(keyPresets);
const presetWords = `write a list of presets: ${presetNames.join(", ")}`;
const preset = z.enum(presetNames, word(presetWords));
const presets = z.union([preset, z.array(preset)], word(presetWords));
const keysByName = shapeOf(
  Object.fromEntries(
    keyRows.map(({ name }) => [
      name,
      optional({ schema: key, by: ["configuration"], help: "", example: "false" }),
    ]),
  ),
);
const globalKeys = table(keysByName);
const keys = table({ ...keysByName, preset: presets.exactOptional() });

const own = {
  chat_dirs: option({
    schema: folders,
    default: [],
    by: ["configuration"],
    help: "Folders that contain chats; new chats go into the first. `~` and `$NAME` are expanded.",
    shownDefault: '`stdpath("data")/parley`',
    example: '{ "~/chats", "~/notes/chats" }',
    isLua: true,
  }),
  chat_dir: optional({
    schema: folders,
    by: ["configuration"],
    help: "The same as `chat_dirs`, for one folder.",
    shownDefault: "see `chat_dirs`",
    example: '"~/chats"',
    isLua: true,
  }),
  keys: option({
    schema: keys,
    default: {},
    by: ["configuration"],
    merge: byName,
    help: "Keys in chats by name, see |parley-keys|: a key, a list of keys, or `false` for no key; `preset` selects a set of keys.",
    shownDefault: "see |parley-keys|",
    example: '{ preset = { "one" }, respond = "<leader>r", stop = false }',
    isLua: true,
  }),
  global_keys: option({
    schema: globalKeys,
    default: {},
    by: ["configuration"],
    merge: byName,
    help: "Keys in every buffer, with the same names.",
    shownDefault: "none",
    example: '{ new = "<leader>pn" }',
    isLua: true,
  }),
  ...highlightOptions,
  connect_ahead: option({
    schema: z.union([yesOrNo, z.literal("always")], word('write true, false or "always"')),
    default: true,
    by: ["configuration"],
    help: 'Open the connection to the vendor while you type, so that the request is sent without delay. No data is sent over it before that. `true`: only to vendors that this Neovim has used before; `"always"`: to any vendor; `false`: never.',
    example: "false",
  }),
  ...screenOptions,
  agents: option({
    schema: named(table(shapeOf(agentOptions))),
    default: {},
    by: ["configuration"],
    merge: byName,
    help: "Named sets of settings. `:Parley agent` writes the name into a chat's header and removes a `model` line there; the header's other lines override the agent's settings.",
    shownDefault: "none",
    example: '{ coder = { model = "openai/gpt-5.5", tools = "builtin" } }',
  }),
  agent: optional({
    schema: oneLineText,
    by: ["configuration", "header"],
    help: "The agent of chats whose header does not name one.",
    shownDefault: "none",
    example: '"coder"',
  }),
  models: option({
    schema: named(table(shapeOf(modelOptions))),
    default: {},
    by: ["configuration"],
    merge: byName,
    help: "Settings by `provider/id`, used whenever that model answers; agents and headers override them.",
    shownDefault: "none",
    example: '{ ["openai/gpt-5.5"] = { reasoning_effort = "low" } }',
  }),
  system_prompts: option({
    schema: named(anyText),
    default: {},
    by: ["configuration"],
    merge: byName,
    help: "Named system prompts, for `:Parley system_prompt`.",
    shownDefault: "none",
    example: '{ brief = "Be brief." }',
  }),
  tool_files: optional({
    schema: z.union(
      [folder.transform((only) => [only]), z.array(folder)],
      word("write a file or a list of files"),
    ),
    by: ["configuration"],
    help: "One or more files that define your own tools, see |parley-tools|. Paths are relative to the folder of config.json; `{}` means no file.",
    shownDefault: "tools.mjs in that folder, if it exists",
    example: '"my-tools.mjs"',
  }),
  auto_approve: option({
    schema: selection.refine(allowsByName, "name the servers or tools to allow, or write none"),
    default: "none",
    by: ["configuration", "command line"],
    help: "Tools, written as in `tools`, whose calls run without approval.",
    example: '"builtin.read_file"',
  }),
  rules: parts({
    schema: table({
      allow: rules.exactOptional(),
      ask: rules.exactOptional(),
      deny: rules.exactOptional(),
    }),
    default: { allow: [], ask: [], deny: [] } as {
      readonly allow: readonly RuleConfiguration[];
      readonly ask: readonly RuleConfiguration[];
      readonly deny: readonly RuleConfiguration[];
    },
    by: ["configuration"],
    merge: (file, setup) => ({
      allow: joined(file?.allow, setup?.allow),
      ask: joined(file?.ask, setup?.ask),
      deny: joined(file?.deny, setup?.deny),
    }),
    help: "Rules that allow, ask about or deny tool calls, see |parley-rules|.",
    shownDefault: "every call waits for approval",
    example: '{ deny = { "files.write_*" } }',
  }),
  tool_timeout: option({
    schema: seconds,
    default: 60,
    by: ["configuration"],
    help: "Time limit of a tool call, in seconds without progress.",
    example: "300",
  }),
  result_limit: option({
    schema: positive,
    default: 65_536,
    by: ["configuration"],
    help: "Maximum size of a result in the chat, in bytes. A longer result is shortened in the chat and saved in full in the chat's files folder.",
    example: "16384",
  }),
  ...budgetOptions,
  ...commandOptions,
  max_model_calls: option({
    schema: positive,
    default: 25,
    by: ["configuration", "command line"],
    help: "Maximum number of requests to the model in one turn.",
    example: "50",
  }),
  max_retries: option({
    schema: z
      .number(word("write a number"))
      .int("write a whole number")
      .min(0, "write a number from 0 to 10")
      .max(10, "write a number from 0 to 10"),
    default: 3,
    by: ["configuration"],
    help: "Maximum number of retries of a request that got no response, see |parley-retries|.",
    example: "0",
  }),
  idle_timeout: option({
    schema: seconds,
    default: 120,
    by: ["configuration"],
    help: "Seconds without data from the model after which the connection is closed.",
    example: "300",
  }),
  prices: option({
    schema: named(price),
    default: {},
    by: ["configuration"],
    merge: byName,
    help: "Prices by `provider/id`, in US dollars per million tokens; they replace the built-in ones.",
    shownDefault: "the built-in ones",
    example:
      '{ ["openai/gpt-5.5"] = { input = 5, output = 30, cache_read = 0.5, cache_write = 5 } }',
  }),
  providers: option({
    schema: providers,
    default: {},
    by: ["configuration"],
    merge: byNameAndKey,
    help: "API key, address and other settings by vendor, see |parley-models|. A key may be a command, as a list of words, which is run without a shell. Missing values come from $OPENAI_API_KEY, $OPENAI_BASE_URL and the like.",
    shownDefault: "the known vendors",
    example: '{ openai = { api_key = { "pass", "openai" } } }',
  }),
  mcp: parts({
    schema: table({
      mock: yesOrNo.exactOptional(),
      sampling: z.enum(["off", "ask"], word("write off or ask")).exactOptional(),
      servers: servers.exactOptional(),
    }),
    default: { mock: false, sampling: "off", servers: {} } as {
      readonly mock: boolean;
      readonly sampling: "off" | "ask";
      readonly servers: Readonly<Record<string, unknown>>;
    },
    by: ["configuration"],
    merge: (file, setup) => ({
      mock: setup?.mock ?? file?.mock ?? false,
      sampling: setup?.sampling ?? file?.sampling ?? "off",
      servers: byName(file?.servers, setup?.servers),
    }),
    help: "MCP, see |parley-mcp|. `servers`: your servers by name; `mock`: offer the built-in mock server to every model, not only to `mock/*`; `sampling` (|parley-mcp-sampling|): let servers request answers from your model.",
    shownDefault: "no servers",
    example: '{ servers = { files = { command = "npx" } } }',
  }),
  ...loginOptions,
  image_commands: option({
    schema: table({ clipboard: command.exactOptional(), capture: command.exactOptional() }),
    default: {},
    by: ["configuration"],
    merge: (file, setup) => ({ ...file, ...setup }),
    help: "Commands, as lists of words, that print an image (PNG, JPEG, GIF, WebP) or write it to the file `{file}`; run without a shell, see |parley-images|.",
    shownDefault: "for the clipboard the first of wl-paste, xclip, pngpaste and powershell.exe",
    example: '{ capture = { "maim", "--select" } }',
  }),
};

export const options = { ...chatOptions, ...own };
export const configurationOptions = setBy(options, "configuration");

type ConfigurationOptions = SetBy<typeof options, "configuration">;

/** The values given in a file or to `setup`; the other options have their defaults. */
export type ConfigurationValues = Omit<GivenOptions<ConfigurationOptions>, "chat_dir">;

/** All options. Folders are absolute; `chat_dirs` is never empty. */
export type Configuration = Omit<OptionValues<ConfigurationOptions>, "chat_dir">;
