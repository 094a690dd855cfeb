/** Parley's own windows where an autocommand of another plugin fails at everything that opens and closes. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Editor, neovims, poll, startEditor } from "./editor.ts";

const events = [
  ...["WinNew", "WinEnter", "WinLeave", "WinClosed", "BufEnter", "BufLeave", "BufWinEnter"],
  ...["BufWinLeave", "BufHidden", "BufUnload", "BufWipeout", "BufNew", "BufAdd", "FileType"],
];

/** Bugs in a plugin, in Lua and in Vimscript. */
const failures = [
  ["an error", `callback = function() local nothing return nothing.field end`],
  ["an error of Vim", `command = "echo nothing"`],
] as const;

const windows = [
  ["a text", `require("parley.screen.windows.float").text({ "the content" }, "Title")`, "q"],
  [
    "a text to read",
    `require("parley.screen.windows.float").read({ "the content" }, "Title", function() end)`,
    "q",
  ],
  [
    "a list",
    `require("parley.screen.windows.open").open({ "the content" }, { title = "List", filetype = "json" })`,
    "q",
  ],
  ["the chats", `require("parley.pickers.chats").open()`, "<Esc><Esc>"],
  [
    "a form",
    `require("parley.asking.form").open(1, { title = "Form", lines = { "the content" }, cursor = 0, completions = {} }, print)`,
    ":lua require([[parley.asking.form]]).close(1)<CR>",
  ],
] as const;

describe.each(neovims)("beside a plugin that fails in Neovim $version", (neovim) => {
  let editor: Editor;
  beforeEach(async () => {
    editor = await startEditor(neovim);
    await editor.lua("vim.cmd('edit one | set bufhidden=hide')");
  });
  afterEach(() => editor.quit());

  /** Neovim itself reports what fails at a typed key in several lines, and waits for <CR> then. */
  async function count(): Promise<number> {
    while ((await editor.nvim.mode).blocking) await editor.nvim.input("<CR>");
    return editor.lua<number>("return #vim.api.nvim_list_wins()");
  }
  const told = async () =>
    (await editor.lua<string[]>("return Notified")).filter((text) => text.includes("failed"));

  const cases = events.flatMap((event) =>
    failures.map(([kind, action]) => [kind, event, action] as const),
  );

  it.each(cases)(
    "windows open and close despite %s at %s, which is told once",
    async (...given) => {
      const [, event, action] = given;
      for (const [name, open, close] of windows) {
        await editor.lua(`Failing = vim.api.nvim_create_autocmd(${JSON.stringify(event)}, {
        ${action} })`);
        await editor.lua(open);
        await poll(`${name} is open`, async () => (await count()) > 1);
        await editor.press(close);
        await poll(`${name} is closed`, async () => (await count()) === 1);
        await editor.lua("vim.api.nvim_del_autocmd(Failing)");
      }
      expect((await told()).length).toBeLessThan(2);
      expect(await editor.lua("return vim.fn.bufname()")).toBe("one");
    },
  );

  it.each([
    ["in another window", "vsplit code"],
    ["in none", "enew"],
    ["that is not loaded", "enew | bwipeout chat.md"],
  ])("asks in the chat %s", async (_, leave) => {
    for (const event of [
      ...["WinLeave", "WinEnter", "BufLeave", "BufEnter", "BufWinEnter", "BufNew", "BufAdd"],
      ...["BufReadPre", "BufReadPost", "FileType"],
    ]) {
      const buffer = await editor.openChat("chat.md", ["💬: hi"]);
      await editor.lua("require('parley.text.chats.project_chat').remember((...))", buffer);
      await editor.lua("vim.o.hidden = true vim.cmd((...))", leave);
      await editor.lua(`Failing = vim.api.nvim_create_autocmd("${event}", {
        command = "echo nothing" })`);
      await editor.lua("vim.cmd('Parley ask why')");
      await editor.lua("vim.api.nvim_del_autocmd(Failing) vim.cmd.stopinsert()");
      const name = await editor.lua<string>("return vim.fn.expand('%:t')");
      expect([event, name]).toEqual([event, "chat.md"]);
      await editor.nvim.command("silent! only! | silent! %bwipeout!");
    }
  });

  it.each([
    ["that it expects", `command = "silent! unmap <buffer> zzz"`, 0],
    ["that it catches", `callback = function() pcall(vim.cmd, "unmap <buffer> zzz") end`, 0],
    ["that nobody catches", `callback = function() error("no good") end`, 1],
  ] as const)("an autocommand with an error %s counts as a failure or not", async (...given) => {
    const [, action, count] = given;
    await editor.lua(`vim.api.nvim_create_autocmd({ "WinEnter", "BufEnter" }, { ${action} })
      require("parley.screen.windows.float").text({ "the content" }, "Title")`);
    await poll("what is scheduled", () =>
      editor.lua("vim.schedule(function() Later = true end) return Later"),
    );
    expect(await told()).toHaveLength(count);
  });

  it("opens the help, and says in short what failed", async () => {
    for (const event of [
      "BufAdd",
      "BufReadPost",
      "BufWinEnter",
      "BufEnter",
      "WinNew",
      "FileType",
    ]) {
      await editor.lua(
        `Failing = vim.api.nvim_create_autocmd(..., { command = "echoerr 'no good'" })`,
        event,
      );
      await editor.nvim.command("Parley help");
      await editor.lua("vim.api.nvim_del_autocmd(Failing)");
      const name = await editor.lua("return vim.fn.expand('%:t')");
      expect([event, name]).toEqual([event, "parley.txt"]);
      await editor.nvim.command("helpclose | bwipeout parley.txt");
    }
    expect(await told()).toEqual(["An autocommand of another plugin failed: no good"]);
  });

  it("lists the questions while a command is typed where ModeChanged fails", async () => {
    const buffer = await editor.openChat("chat.md", ["💬: one", "", "💬: two"]);
    await editor.press(":");
    await editor.lua(
      `vim.api.nvim_create_autocmd("ModeChanged", { command = "echoerr 'no good'" })`,
    );
    await editor.call("outline", buffer, [
      { line: 0, text: "one" },
      { line: 2, text: "two" },
    ]);
    await editor.lua("vim.api.nvim_clear_autocmds({ event = 'ModeChanged' })");
    await editor.press("<Esc>");
    expect(await editor.lines()).toEqual(["one", "two"]);
  });

  it("shows calls as rows where an option that is set fails", async () => {
    const call = '❓: `{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}`';
    const text = ["💬: hi", "", "🤖:[x]", "", call];
    await editor.lua(`vim.api.nvim_create_autocmd("OptionSet", {
      pattern = { "foldtext", "foldminlines" }, command = "echoerr 'no good'" })`);
    const buffer = await editor.openChat("calls.md", text);
    const shown = { tool: "", effect: "", cut: false, whole: true, lines: [], full: ["all"] };
    const answer = await editor.call("show", buffer, await editor.tick(), {
      calls: [{ ...shown, line: 4, text: call, row: "f · built in" }],
      keys: true,
    });
    expect(answer).toMatchObject({ status: "shown" });
    expect(await editor.screen()).toContain("❓ f · built in");
  });

  it("shows what other autocommands say when windows open", async () => {
    await editor.lua(`vim.api.nvim_create_autocmd("BufEnter", { command = "echomsg 'welcome'" })
      require("parley.screen.windows.float").text({ "the content" }, "Title")`);
    expect(await editor.lua("return vim.fn.execute('messages')")).toContain("welcome");
  });

  it.each(["BufEnter", "BufWinEnter"])(
    "a window is closed although %s threw an exception when it opened",
    async (event) => {
      await editor.lua(`vim.api.nvim_create_autocmd("${event}", { command = "throw 'no'" })
        require("parley.screen.windows.float").text({ "the content" }, "Title")`);
      expect(await count()).toBe(2);
      await editor.press("q");
      await poll("its end", async () => (await count()) === 1);
    },
  );

  it.each(cases)("a question with details is answered despite %s at %s", async (...given) => {
    const [, event, action] = given;
    await editor.openChat("chat.md", ["💬: hi"]);
    await poll("the host", () => editor.lua("return require('parley.host').channel() ~= nil"));
    await editor.lua(`vim.ui.select = function(_, _, choose) Choose = choose end
      vim.api.nvim_create_autocmd(${JSON.stringify(event)}, { ${action} })
      require("parley.asking.ask").ask(1, { kind = "confirm", prompt = "Sure?", details = { "Why" } })`);
    await poll("the details", async () => (await count()) > 1);
    await editor.lua("Choose('Yes')");
    const answer = await poll("an answer", async () => (await editor.received("answer"))[0]);
    expect(answer).toMatchObject({ value: true });
    expect(await count()).toBe(1);
  });
});
