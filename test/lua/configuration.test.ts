/** One configuration, two readers: what is in force in Lua and in the host, and which messages appear, over many mistakes. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  checkSetup,
  mergeConfiguration,
  parseConfiguration,
} from "../../src/app/configuration/config.ts";
import { options } from "../../src/app/configuration/options.ts";
import type { Option } from "../../src/conversation/settings/option.ts";
import { readCommentedJson } from "../../src/mcp/configured/commented-json.ts";
import fc from "../support/property.ts";
import { type Editor, neovims, startEditor } from "./editor.ts";

interface Case {
  readonly name: string;
  /** config.json; absent: there is no such file. */
  readonly file?: string;
  /** Lua, as written in `setup(…)`. */
  readonly setup?: string;
  /** What is in force beside the defaults. */
  readonly values: Readonly<Record<string, unknown>>;
  /** In order, without the path of the file. */
  readonly says?: readonly string[];
}

const wrongKey = "write a key such as <C-g>r, a list of keys, or false";
const wrongLines = "write a number of lines, or false";

const cases: readonly Case[] = [
  { name: "nothing", values: {} },
  { name: "an empty file", file: "", values: {} },
  {
    name: "comments, a trailing comma and a byte order mark",
    file: '\ufeff{ // note\n "fold_results": 3, /* " */\n "chat_dir": "/D", // note\n}',
    values: { fold_results: 3, chat_dirs: ["/D"] },
  },
  {
    name: "a comment at the end of the only line",
    file: '{ "chat_dir": "/D", // note\n}',
    values: { chat_dirs: ["/D"] },
  },
  {
    name: "two escapes in a row, and what looks like a comment in a text",
    file: '{ "system_prompt": "\\\\\\"// \\u00e9", "fold_results": 4 }',
    values: { fold_results: 4 },
  },
  {
    name: "broken syntax",
    file: '{\n "fold_results": 5\n "stream_highlight" true,\n "chat_dir": "/D"\n',
    values: { fold_results: 5, chat_dirs: ["/D"] },
    says: [
      "3: not valid JSON here (comma expected)",
      "5: not valid JSON here (close brace expected)",
    ],
  },
  {
    name: "keys that are no table",
    file: '{"keys":"oops"}',
    values: {},
    says: ["1: keys: write a table"],
  },
  {
    name: "a key that is a number",
    file: '{"keys":{\n"respond":5, "stop": "<C-s>"}}',
    values: { keys: { stop: "<C-s>" } },
    says: [`2: keys.respond: ${wrongKey}`],
  },
  {
    name: "misspelt keys",
    file: '{"keys":{"respnd":"x"}, "global_keys": {"nwe": "y", "other": "z"}}',
    values: {},
    says: [
      "1: keys.respnd: there is no such key; did you mean respond?",
      "1: global_keys.nwe: there is no such key; did you mean new?",
      "1: global_keys.other: there is no such key",
    ],
  },
  {
    name: "words where numbers belong",
    file: '{ "fold_results": "no", "stream_highlight": "yes" }',
    values: {},
    says: ["1: stream_highlight: write true or false", `1: fold_results: ${wrongLines}`],
  },
  {
    name: "numbers out of range",
    setup: "{ fold_results = 0, keys = { stop = '' } }",
    values: {},
    says: [`setup: keys.stop: ${wrongKey}`, `setup: fold_results: ${wrongLines}`],
  },
  {
    name: "false",
    file: '{ "fold_results": false, "stream_highlight": true, "keys": { "stop": false } }',
    setup: "{ stream_highlight = false }",
    values: { fold_results: false, keys: { stop: false } },
  },
  {
    name: "null, which is none",
    file: '{ "fold_results": null, "keys": { "stop": null }, "chat_dirs": null }',
    setup: "{ fold_results = vim.NIL }",
    values: {},
  },
  {
    name: "chat_dir of setup over chat_dirs of the file",
    file: '{ "chat_dirs": ["/F", "/G"] }',
    setup: "{ chat_dir = '/S' }",
    values: { chat_dirs: ["/S"] },
  },
  {
    name: "chat_dirs before chat_dir of one source",
    file: '{ "chat_dir": "/F", "chat_dirs": ["/G"] }',
    values: { chat_dirs: ["/G"] },
  },
  {
    name: "an empty list of folders, which is none",
    file: '{ "chat_dir": "/F" }',
    setup: "{ chat_dirs = {} }",
    values: { chat_dirs: ["/F"] },
  },
  {
    name: "wrong folders",
    file: '{ "chat_dir": 5,\n "chat_dirs": ["/a", 1] }',
    setup: "{ chat_dir = { a = 'b' } }",
    values: {},
    says: [
      "1: chat_dir: write a folder or a list of folders",
      "2: chat_dirs: write a folder or a list of folders",
      "setup: chat_dir: write a folder or a list of folders",
    ],
  },
  {
    name: "folders with variables, dots and slashes at their ends",
    file: JSON.stringify({
      chat_dirs: ["~/n/", "$PARLEY_T/a/../b", `$${"{PARLEY_T}"}c`, "$PARLEY_TU/x", "r/s", "/"],
    }),
    values: {
      chat_dirs: ["HOME/n", "/notes/b", "/notesc", "CONFIG/$PARLEY_TU/x", "CONFIG/r/s", "/"],
    },
  },
  {
    name: "lists of keys, and presets",
    file: '{"keys":{"stop":["<F2>","<F3>"],"preset":["one","two"],"help":["x",""]}}',
    setup: "{ keys = { preset = 'one', new = { 'y', 5 } }, global_keys = { preset = 'one' } }",
    values: { keys: { stop: ["<F2>", "<F3>"], preset: "one" } },
    says: [
      `1: keys.help.1: ${wrongKey}`,
      "1: keys.preset: write a list of presets: one, parley.nvim",
      `setup: keys.new: ${wrongKey}`,
      "setup: global_keys.preset: there is no such key",
    ],
  },
  {
    name: "keys of both",
    file: '{ "keys": { "stop": "a", "help": "b" }, "global_keys": { "new": "c" } }',
    setup: "{ keys = { stop = 'd' }, global_keys = { stop = 'e' } }",
    values: { keys: { stop: "d", help: "b" }, global_keys: { new: "c", stop: "e" } },
  },
  {
    name: "a function",
    setup: "{ keys = { respond = function() end }, model = print }",
    values: {},
    says: ["setup: model: write provider/model-id", `setup: keys.respond: ${wrongKey}`],
  },
  {
    name: "a list that is a table too",
    setup: "{ 'x', fold_results = 7, keys = { 'y' } }",
    values: { fold_results: 7 },
    says: ["setup: keys: write a table", "setup: 1: there is no such key"],
  },
  { name: "no table", setup: "'x'", values: {}, says: ["setup: the configuration: write a table"] },
  {
    name: "a file that is a list",
    file: "[1]",
    values: {},
    says: ["1: the configuration: write a table"],
  },
  {
    name: "a key that is there twice, and JSON5",
    file: `{ "fold_results": 3,\n "fold_results": 9, keys: {}, 'chat_dir': '/D' }`,
    values: { fold_results: 9 },
    says: [
      "1: fold_results: it is set twice; the last one counts",
      "2: not valid JSON here (invalid symbol)",
    ],
  },
  {
    name: "a text that nests too deeply",
    file: `{ "fold_results": 3, "a": ${"[".repeat(60_000)}`,
    values: {},
    says: ["1: not valid JSON here (nested too deeply)"],
  },
  {
    name: "what is of the host alone",
    file: '{ "model": "gpt", "agents": "x", "fold_results": 8 }',
    values: { fold_results: 8 },
    says: ["1: model: write provider/model-id, such as mock/demo", "1: agents: write a table"],
  },
];

describe.each(neovims)("the configuration in Neovim $version and in the host", (neovim) => {
  let editor: Editor;
  let paths: { readonly config: string; readonly data: string; readonly home: string };
  let file: string;

  beforeAll(async () => {
    editor = await startEditor(neovim, { env: { PARLEY_T: "/notes" } });
    paths = await editor.lua(
      'return { config = vim.fn.stdpath("config"), data = vim.fn.stdpath("data"), home = vim.uv.os_homedir() }',
    );
    mkdirSync(join(paths.config, "parley"), { recursive: true });
    file = join(paths.config, "parley", "config.json");
  });
  afterAll(() => editor.quit());

  async function inLua(setup: string) {
    return editor.lua<{ values: Record<string, unknown>; given: unknown }>(`
      local config = require("parley.config")
      require("parley").setup(${setup})
      local values = vim.deepcopy(config.get())
      for _, name in ipairs({ "keys", "global_keys" }) do
        if next(values[name]) == nil then values[name] = vim.empty_dict() end
      end
      return { values = values, given = config.given() }`);
  }

  function inHost(text: string | undefined, given: unknown) {
    const read = parseConfiguration("", text ?? "");
    const setup = checkSetup(given);
    const merged = mergeConfiguration(read.values, setup.values, {
      home: paths.home,
      environment: { PARLEY_T: "/notes" },
      chats: join(paths.data, "parley"),
      config: join(paths.config, "parley"),
    });
    const names = Object.entries<Option>(options).flatMap(([name, row]) =>
      row.isLua ? [name] : [],
    );
    const values = Object.fromEntries(
      Object.entries(merged).filter(([name]) => names.includes(name)),
    );
    const said = [...read.mistakes, ...setup.mistakes].map((mistake) => mistake.replace(/^:/, ""));
    return { values: { ...values, keys: merged.keys }, said };
  }

  function write(text: string | undefined) {
    if (text === undefined) rmSync(file, { force: true });
    else writeFileSync(file, text);
  }

  it.each(cases)("is the same for $name", async ({ file: text, setup = "nil", values, says }) => {
    write(undefined);
    const { values: defaults } = await inLua("nil");
    write(text);
    const lua = await inLua(setup);
    const host = inHost(text, lua.given);
    const folders = (values.chat_dirs as string[] | undefined)?.map((path) =>
      path.replace("HOME", paths.home).replace("CONFIG", join(paths.config, "parley")),
    );
    const expected = {
      ...defaults,
      ...values,
      chat_dirs: folders ?? [join(paths.data, "parley")],
      keys: { ...(defaults.keys as object), ...(values.keys as object | undefined) },
    };
    expect(lua.values).toEqual(expected);
    expect({ ...host.values, keys: { ...(defaults.keys as object), ...host.values.keys } }).toEqual(
      expected,
    );
    expect(host.said).toEqual(says ?? []);
  });

  it("is read alike around any mistake in the syntax", async () => {
    const token = fc.constantFrom(
      ...'{}[]:,"\\/*- \n\r\t'.split(""),
      ...[
        '"a"',
        '"b":',
        "1",
        "-0.5e+2",
        "1.",
        "2e",
        "true",
        "null",
        "// c\n",
        "/* c */",
        "\\u00e9",
      ],
      ...["\\ud83d\\ude00", "é😀", "nonsense", '"\\', "\\uzz"],
    );
    const json = fc
      .json({ maxDepth: 3 })
      .chain((text) =>
        fc
          .tuple(fc.nat(text.length), fc.nat(3), token)
          .map(([at, removed, put]) => text.slice(0, at) + put + text.slice(at + removed)),
      );
    const some = fc.array(token, { maxLength: 20 }).map((tokens) => tokens.join(""));
    const texts = fc.sample(fc.oneof(json, some), 1500).filter(isComparable);
    const read = await editor.lua<string[]>(
      `local function shown(value)
        if type(value) == "number" then
          return ("#%.17g"):format(value)
        end
        return type(value) == "table" and vim.tbl_map(shown, value) or value
      end
      return vim.tbl_map(function(text)
        local value = require("parley.config.json").decode(text)
        return value == nil and "nothing" or vim.json.encode(shown(value))
      end, ...)`,
      texts,
    );
    for (const [index, text] of texts.entries()) {
      const { value } = readCommentedJson(text);
      const found = read[index] ?? "";
      const lua = found === "nothing" ? undefined : JSON.parse(found);
      expect([text, comparable(lua)]).toEqual([text, comparable(value)]);
    }
  });
});

/** No number is too large to be written, and no character is half of one. */
function isComparable(text: string): boolean {
  const isWhole = (value: unknown) =>
    value !== Number.POSITIVE_INFINITY && value !== Number.NEGATIVE_INFINITY;
  let isFine = !/\p{Surrogate}/u.test(text);
  JSON.stringify(readCommentedJson(text).value, (key, value) => {
    isFine &&= !/\p{Surrogate}/u.test(key);
    isFine &&= isWhole(value) && !(typeof value === "string" && /\p{Surrogate}/u.test(value));
    return value;
  });
  return isFine;
}

/** Lua has one empty table, and its JSON fewer digits than its numbers. */
function comparable(value: unknown): unknown {
  if (typeof value === "number") return `#${value}`;
  if (typeof value === "string" && /^#-?\d/.test(value)) return `#${Number(value.slice(1))}`;
  if (Array.isArray(value)) return value.length === 0 ? {} : value.map(comparable);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, comparable(item)]));
}
