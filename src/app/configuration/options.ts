/** The table of everything that config.json and `setup()` may say. */
import * as z from "zod";
import { keyPresets, keyRows } from "../../conversation/keys.ts";
import {
  agentOptions,
  chatOptions,
  modelOptions,
  selection,
} from "../../conversation/settings/chat-options.ts";
import {
  type Given,
  type InForce,
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
import {
  budgetOptions,
  commandOptions,
  highlightOptions,
  loginOptions,
  screenOptions,
} from "./option-groups.ts";
import { providers } from "./provider-schema.ts";

/** Both of them, those of `setup` before those of the file. */
function joined<T>(file: readonly T[] | undefined, setup: readonly T[] | undefined): readonly T[] {
  return [...(setup ?? []), ...(file ?? [])];
}

/** What `setup` names wins over what the file calls the same. */
function byName<T>(
  file: Readonly<Record<string, T>> | undefined,
  setup: Readonly<Record<string, T>> | undefined,
): Record<string, T> {
  return { ...file, ...setup };
}

/** The same, and within each name key by key. */
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

/** A list that only removes would allow every other tool. */
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

/** Servers and tools; with `arguments`, only calls whose values fit these patterns. */
export type RuleConfiguration =
  | string
  | { readonly tool: string; readonly arguments?: Readonly<Record<string, string>> };

/** As written: they are read where they are started, and looked at here for their mistakes. */
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

const seconds = z.number(word("write seconds")).positive("write more than 0");
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
    help: "Folders whose files may be chats; the first is for new ones. `~` and `$NAME` are expanded.",
    shownDefault: '`stdpath("data")/parley`',
    example: '{ "~/chats", "~/notes/chats" }',
    isLua: true,
  }),
  chat_dir: optional({
    schema: folders,
    by: ["configuration"],
    help: "The same for one folder.",
    shownDefault: "see `chat_dirs`",
    example: '"~/chats"',
    isLua: true,
  }),
  keys: option({
    schema: keys,
    default: {},
    by: ["configuration"],
    merge: byName,
    help: "Keys of chats by their names, see |parley-keys|: a key, a list of keys, or `false` for none; `preset` takes a set of keys.",
    shownDefault: "see |parley-keys|",
    example: '{ preset = { "one" }, respond = "<leader>r", stop = false }',
    isLua: true,
  }),
  global_keys: option({
    schema: globalKeys,
    default: {},
    by: ["configuration"],
    merge: byName,
    help: "Keys that exist in every buffer, by the same names.",
    shownDefault: "none",
    example: '{ new = "<leader>pn" }',
    isLua: true,
  }),
  ...highlightOptions,
  connect_ahead: option({
    schema: z.union([yesOrNo, z.literal("always")], word('write true, false or "always"')),
    default: true,
    by: ["configuration"],
    help: 'Open the connection to the vendor while you type, so that the question leaves at once. Nothing is sent over it. `true`: to vendors that this Neovim asked before; `"always"`: to any; `false`: never.',
    example: "false",
  }),
  ...screenOptions,
  agents: option({
    schema: named(table(shapeOf(agentOptions))),
    default: {},
    by: ["configuration"],
    merge: byName,
    help: "Presets by name. `:Parley agent` writes one into a chat's header, in place of a model that was chosen before; other lines of the header win over it.",
    shownDefault: "none",
    example: '{ coder = { model = "openai/gpt-5.5", tools = "builtin" } }',
  }),
  agent: optional({
    schema: oneLineText,
    by: ["configuration", "header"],
    help: "The agent of chats whose header names none.",
    shownDefault: "none",
    example: '"coder"',
  }),
  models: option({
    schema: named(table(shapeOf(modelOptions))),
    default: {},
    by: ["configuration"],
    merge: byName,
    help: "Presets by `provider/id`, for that model wherever it is asked; an agent and a header win over them.",
    shownDefault: "none",
    example: '{ ["openai/gpt-5.5"] = { reasoning_effort = "low" } }',
  }),
  system_prompts: option({
    schema: named(anyText),
    default: {},
    by: ["configuration"],
    merge: byName,
    help: "Texts by name, for `:Parley system_prompt`.",
    shownDefault: "none",
    example: '{ brief = "Be brief." }',
  }),
  tool_files: optional({
    schema: z.union(
      [folder.transform((only) => [only]), z.array(folder)],
      word("write a file or a list of files"),
    ),
    by: ["configuration"],
    help: "A file or a list of files with tools of your own, see |parley-tools|. Relative paths begin at the folder of config.json; `{}` means no file.",
    shownDefault: "tools.mjs in that folder, if it is there",
    example: '"my-tools.mjs"',
  }),
  auto_approve: option({
    schema: selection.refine(allowsByName, "name the servers or tools to allow, or write none"),
    default: "none",
    by: ["configuration", "command line"],
    help: "Tools, written as in `tools`, whose calls run without a key.",
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
    help: "What to do with calls, see |parley-rules|.",
    shownDefault: "every call is asked about",
    example: '{ deny = { "files.write_*" } }',
  }),
  tool_timeout: option({
    schema: seconds,
    default: 60,
    by: ["configuration"],
    help: "Seconds that a tool may take.",
    example: "300",
  }),
  result_limit: option({
    schema: positive,
    default: 65_536,
    by: ["configuration"],
    help: "Bytes of a result that are kept in the chat; a longer result is also written whole to a file beside it.",
    example: "16384",
  }),
  ...budgetOptions,
  ...commandOptions,
  max_model_calls: option({
    schema: positive,
    default: 25,
    by: ["configuration", "command line"],
    help: "Requests that one turn may make before it stops.",
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
    help: "How often a request that got no response is sent again, see |parley-retries|; at most 10.",
    example: "0",
  }),
  idle_timeout: option({
    schema: seconds,
    default: 120,
    by: ["configuration"],
    help: "Seconds without a word of an answer after which its connection is closed.",
    example: "300",
  }),
  prices: option({
    schema: named(price),
    default: {},
    by: ["configuration"],
    merge: byName,
    help: "Prices by `provider/id`, in place of the known ones, in dollars per million tokens.",
    shownDefault: "the known ones",
    example:
      '{ ["openai/gpt-5.5"] = { input = 5, output = 30, cache_read = 0.5, cache_write = 5 } }',
  }),
  providers: option({
    schema: providers,
    default: {},
    by: ["configuration"],
    merge: byNameAndKey,
    help: "Keys, addresses and the like by vendor, see |parley-models|. A key may be a command as a list of words, which is run without a shell. What is left out is taken from $OPENAI_API_KEY, $OPENAI_BASE_URL and the like.",
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
    help: "`servers` are your own, see |parley-mcp|; `mock` offers the built-in mock server to every model and not only to `mock/*`; `sampling` (|parley-mcp-sampling|) lets servers ask for answers.",
    shownDefault: "no servers",
    example: '{ servers = { files = { command = "npx" } } }',
  }),
  ...loginOptions,
  image_commands: option({
    schema: table({ clipboard: command.exactOptional(), capture: command.exactOptional() }),
    default: {},
    by: ["configuration"],
    merge: (file, setup) => ({ ...file, ...setup }),
    help: "Programs as lists of words, run without a shell, which print an image (PNG, JPEG, GIF, WebP) or write it to the file `{file}`, see |parley-images|.",
    shownDefault: "the first of wl-paste, xclip, pngpaste and powershell.exe for the clipboard",
    example: '{ capture = { "maim", "--select" } }',
  }),
};

export const options = { ...chatOptions, ...own };
export const configurationOptions = setBy(options, "configuration");

type ConfigurationOptions = SetBy<typeof options, "configuration">;

/** The values that a file or `setup` gives; the others have their defaults. */
export type ConfigurationValues = Omit<Given<ConfigurationOptions>, "chat_dir">;

/** All of them. Folders are absolute; `chat_dirs` is never empty. */
export type Configuration = Omit<InForce<ConfigurationOptions>, "chat_dir">;
