/** The option `keys`: what is in force, and the messages about what cannot be used. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Editor, neovims, poll, startEditor } from "./editor.ts";
import { startWithOpenCalls } from "./open-calls.ts";

interface OwnKeys {
  readonly keys: Readonly<Record<string, readonly string[]>>;
  readonly problems: readonly string[];
}

describe.each(neovims)("the option keys on Neovim $version", (neovim) => {
  let editor: Editor;

  beforeEach(async () => {
    editor = await startEditor(neovim);
  });
  afterEach(() => editor.quit());

  /** What comes of the options of `setup`, in Lua, and of config.json. */
  async function read(setup: string, file = ""): Promise<OwnKeys> {
    const folder = String(await editor.lua("return vim.fn.stdpath('config') .. '/parley'"));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "config.json"), file === "" ? "{}" : file);
    return editor.lua(`require("parley").setup(${setup})
      return require("parley.config.own_keys").get()`);
  }

  it("has the keys of the table as long as nothing is set", async () => {
    const { keys, problems } = await read("{}");
    expect(problems).toEqual([]);
    expect(keys).toMatchObject({ respond: ["<C-g><C-g>"], approve_one: ["yo"], retry: [] });
  });

  it("names what its keys begin with, and every map, for plugins that show keys", async () => {
    const keys = 'keys = { retry = "<leader>r", new = "<F3>" }';
    const folder = join(editor.folder, "chats");
    await editor.lua(`require("parley").setup({ chat_dir = ..., ${keys} })`, folder);
    const spec = `return vim.tbl_map(function(each)
      return { keys = each[1], group = each.group, mode = each.mode }
    end, require("parley").which_key())`;
    expect(await editor.lua(spec)).toEqual([
      { keys: "<C-g>", group: "Parley", mode: ["i", "n"] },
      { keys: "<leader>", group: "Parley", mode: ["n"] },
    ]);
    expect(await editor.lua('return require("parley").clues()')).toContainEqual({
      mode: "i",
      keys: "<C-g>",
      desc: "+Parley",
    });
    await editor.openChat("named.md", ["💬: hi"]);
    const unnamed = `return vim.tbl_filter(function(map) return not map.desc and map.callback end,
      vim.iter({ "n", "i", "o" }):map(function(mode) return vim.api.nvim_buf_get_keymap(0, mode) end):flatten():totable())`;
    expect(await editor.lua(unnamed)).toEqual([]);
  });

  it("takes several keys, takes them away, and lets setup win over config.json", async () => {
    const file = '{ "keys": { "stop": "<F2>", "retry": ["<F3>", "<F4>"] } }';
    const { keys, problems } = await read(
      '{ keys = { stop = "<F5>", approve_all = false } }',
      file,
    );
    expect(problems).toEqual([]);
    expect(keys).toMatchObject({ stop: ["<F5>"], retry: ["<F3>", "<F4>"], approve_all: [] });
  });

  it.each([
    '{ keys = "oops" }',
    '{ keys = { "ya" } }',
    '{ keys = { aprove_one = "x" } }',
    "{ keys = { respond = 5 } }",
    '{ keys = { respond = { "x", 5 } } }',
    '{ keys = { respond = "" } }',
    '{ keys = { preset = { "two" } } }',
    "{ keys = { preset = 1 } }",
    '{ global_keys = "oops" }',
  ])("keeps what was there where %s cannot be used", async (setup) => {
    const { keys, problems } = await read(setup);
    expect(keys).toMatchObject({ respond: ["<C-g><C-g>"], approve_one: ["yo"], deny_one: ["yn"] });
    // The host says what is wrong with them: it knows the line.
    expect(problems).toEqual([]);
  });

  it.each([
    [
      '{ keys = { stop = "<C-G>?" } }',
      "keys: <C-g>? is set for both stop and help; only stop has it.",
      { stop: ["<C-G>?"], help: [] },
    ],
    [
      '{ keys = { retry = "<leader>x", new = "\\\\x" } }',
      "keys: \\x is set for both retry and new; only retry has it.",
      { retry: ["<leader>x"], new: [] },
    ],
    [
      '{ keys = { preset = "one", approve_all = { "ya", "gy" } } }',
      "keys: ya is set for both approve_all and approve_one; only approve_all has it.",
      { approve_all: ["ya", "gy"], approve_one: ["yo"] },
    ],
    [
      '{ keys = { approve_one = "y" } }',
      "keys: y (approve_one) hides ya (approve_all), which begins with it.",
      { approve_one: ["y"], approve_all: ["ya"] },
    ],
    [
      '{ global_keys = { new = "<F2>", respond = "<f2>" } }',
      "global_keys: <F2> is set for both respond and new; only respond has it.",
      {},
    ],
  ])("says which keys get in each other's way in %s", async (setup, problem, expected) => {
    const { keys, problems } = await read(setup);
    expect(problems.map((text) => text.replace("<f2>", "<F2>"))).toContain(problem);
    expect(keys).toMatchObject(expected);
  });

  it.each(['{ "keys": "oops" }', '{ "keys": { "respond": 5 } }', '{ "keys": [1] }'])(
    "opens a chat with %s in config.json",
    async (file) => {
      await read(
        "{ chat_dir = ... }".replace("...", JSON.stringify(join(editor.folder, "chats"))),
        file,
      );
      await editor.openChat("keys.md", ["💬: hello"]);
      const { keys } = await editor.lua<OwnKeys>("return require('parley.config.own_keys').get()");
      expect(keys.respond).toEqual(["<C-g><C-g>"]);
      expect(await editor.lua("return vim.fn.maparg('<C-g><C-g>', 'n')")).toContain(
        "parley-respond",
      );
    },
  );

  it("says it once, and in checkhealth for as long as it is so", async () => {
    const options = 'keys = { stop = "<C-g>?" }';
    await editor.lua(
      `require("parley").setup({ chat_dir = ..., ${options} })`,
      join(editor.folder, "chats"),
    );
    await editor.openChat("one.md", ["💬: hello"]);
    await editor.openChat("two.md", ["💬: hello"]);
    const told = await editor.lua<string[]>("return Notified");
    expect(told.filter((text) => text.includes("only stop has it"))).toHaveLength(1);
    await editor.lua("vim.cmd('checkhealth parley')");
    expect((await editor.lines()).join("\n")).toContain("only stop has it");
  });

  it("gives the host the keys as they are", async () => {
    await editor.lua(
      "require('parley').setup({ chat_dir = ..., keys = { stop = '<F2>', approve_all = false } })",
      join(editor.folder, "chats"),
    );
    await editor.openChat("keys.md", ["💬: hello"]);
    const [setup] = await poll("setup", async () => {
      const all = await editor.received("setup");
      return all.length > 0 && all;
    });
    expect(setup?.keys).toMatchObject({ stop: ["<F2>"], approve_all: [], approve_one: ["yo"] });
  });
});

describe.each(neovims)("the preset one on Neovim $version", (neovim) => {
  it.each([
    ["ya", "yo"],
    ["yo", "yo"],
    ["yA", "yA"],
    ["yO", "yA"],
    ["yN", "yN"],
  ])("%s makes the record %s", async (key, record) => {
    const waiting = await startWithOpenCalls(neovim);
    const { editor } = waiting;
    try {
      const folder = join(editor.folder, "chats");
      const options = 'chat_dir = ..., keys = { preset = { "one" } }';
      await editor.lua(`require("parley").setup({ ${options} })`, folder);
      await waiting.goTo(8);
      await editor.press(`${key}${key === "yN" ? "<CR>" : ""}`);
      expect((await waiting.decision())[0]).toMatchObject({ key: record, line: 7 });
      // A text object behind the key is still a yank.
      expect(await waiting.yanked("yap")).toContain("call_1");
    } finally {
      await editor.quit();
    }
  });

  it("lists calls with Enter to decide them if the user has no key for it", async () => {
    const waiting = await startWithOpenCalls(neovim);
    const { editor } = waiting;
    try {
      await editor.lua(
        'require("parley").setup({ chat_dir = ..., keys = { approve_all = false } })',
        join(editor.folder, "chats"),
      );
      await waiting.show([7, 8], { cut: true });
      await waiting.goTo(8);
      await editor.press(":Parley approve all<CR>");
      await poll("the list", async () =>
        (await editor.screen()).some((row) => row.includes("<CR> decides, q closes")),
      );
      await editor.press("<CR>");
      expect((await waiting.decision())[0]).toMatchObject({ key: "ya" });
    } finally {
      await editor.quit();
    }
  });
});
