import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Editor, neovims, poll, startEditor } from "./editor.ts";

const chat = ["💬: one"];

describe.each(neovims)("chat buffers on Neovim $version", (neovim) => {
  let editor: Editor;

  const edit = (path: string) =>
    editor.nvim.request("nvim_cmd", [{ cmd: "edit", args: [path] }, {}]);
  const mapped = async (keys: string, mode = "n") =>
    (await editor.nvim.call("maparg", [keys, mode, false, true])) as { buffer?: number };
  const messages = (action: string, count: number) =>
    poll(`${count} × ${action}`, async () => {
      const all = await editor.received(action);
      return all.length >= count && all;
    });

  beforeEach(async () => {
    editor = await startEditor(neovim);
  });
  afterEach(() => editor.quit());

  it("starts the host with the first chat and says who we are first", async () => {
    expect(await editor.lua("return package.loaded['parley.host'] == nil")).toBe(true);
    const buffer = await editor.openChat("a.md", chat);
    const [first, second] = await editor.received();
    expect(first).toMatchObject({
      action: "setup",
      root: join(editor.folder, "plugin-root"),
      configuration: { chat_dir: join(editor.folder, "chats") },
      nvim: neovim.version,
      cwd: await editor.lua("return vim.fn.getcwd()"),
    });
    expect(second).toEqual({
      action: "attach",
      buf: buffer,
      path: join(editor.folder, "chats", "a.md"),
    });
    expect(await editor.received("attach")).toHaveLength(1);
  });

  it.each([
    ["a question", ["💬: one"]],
    ["a topic", ["---", "topic: x", "---"]],
    ["an old header", ["# topic: x", "- file: y", "---"]],
    ["a question with the variation selector", ["💬\uFE0F: a"]],
  ])("takes a file with %s in a chat folder for a chat", async (_, lines) => {
    await editor.openChat("a.md", lines);
    expect((await mapped("<C-g><C-g>")).buffer).toBe(1);
    expect((await mapped("<C-g><C-g>", "i")).buffer).toBe(1);
  });

  it("says of a command that is not there which one may be meant", async () => {
    for (const [typed, said] of [
      ["respnd", "There is no :Parley respnd. Did you mean :Parley respond?"],
      ["modle", "Did you mean :Parley model?"],
      ["stpo", "Did you mean :Parley stop?"],
      ["prev", "Did you mean :Parley preview?"],
      ["rettry", "Did you mean :Parley retry?"],
      ["ätst", "There is no :Parley ätst. :Parley help"],
      ["zzzz", "There is no :Parley zzzz. :Parley help"],
    ]) {
      await editor.nvim.command(`Parley ${typed}`);
      expect(await editor.lua("return Notified[#Notified]")).toContain(said);
    }
  });

  it("obeys no modeline, which a model may have written", async () => {
    // Off for an administrator.
    await editor.nvim.command("set modeline");
    const modeline = "<!-- vim: set textwidth=7 : -->";
    await editor.openChat("a.md", ["💬: one", "", "🤖: no", modeline]);
    expect(await editor.lua("return vim.bo.textwidth")).toBe(0);
    const elsewhere = join(editor.folder, "elsewhere.md");
    writeFileSync(elsewhere, `💬: one\n${modeline}\n`);
    await edit(elsewhere);
    expect(await editor.lua("return vim.bo.textwidth")).toBe(7);
    await editor.nvim.command("set textwidth=0");
    await editor.nvim.command("Parley attach");
    await editor.nvim.command("edit!");
    expect(await editor.lua("return vim.bo.textwidth")).toBe(0);
  });

  it("goes on as the file that a buffer without a name is written into", async () => {
    await editor.nvim.command("enew | call setline(1, '💬: one') | Parley attach");
    const [first] = await messages("attach", 1);
    const events = () =>
      editor.lua<string[]>(
        `local events = vim.tbl_map(function(item) return item.event end,
          vim.api.nvim_get_autocmds({ buffer = vim.api.nvim_get_current_buf() }))
        table.sort(events)
        return events`,
      );
    // With what is done after the first screen.
    const before = await poll("all that follows it", async () => {
      const now = await events();
      return now.includes("FileType") && now.includes("CursorMoved") && now;
    });
    const path = join(editor.folder, "named.md");
    await editor.nvim.command(`write ${path}`);
    const told = await messages("attach", 2);
    expect(told.at(-1)).toMatchObject({ buf: first?.["buf"], path });
    await poll("all that follows it", async () => `${await events()}` === `${before}`);
    await editor.nvim.command("bwipeout");
    await messages("detach", 1);
    await edit(path);
    expect((await mapped("<C-g><C-g>")).buffer).toBe(1);
  });

  it("takes no other file for a chat until it is told to", async () => {
    await edit(editor.writeChat("plain.md", ["# Notes", " 💬: not at column 0"]));
    const elsewhere = join(editor.folder, "elsewhere.md");
    writeFileSync(elsewhere, "💬: one\n");
    await edit(elsewhere);
    expect((await mapped("<C-g><C-g>")).buffer).toBeUndefined();
    await editor.nvim.command("ParleyChatRespond");
    expect(await editor.lua("return Notified[#Notified]")).toContain(":Parley attach");
    await editor.nvim.command("Parley attach");
    expect((await mapped("<C-g><C-g>")).buffer).toBe(1);
    await messages("attach", 1);
    await editor.nvim.command("bdelete");
    await edit(elsewhere);
    expect((await mapped("<C-g><C-g>")).buffer).toBe(1);
    await messages("attach", 2);
    await editor.nvim.command("Parley detach");
    expect((await mapped("<C-g><C-g>")).buffer).toBeUndefined();
    await messages("detach", 2);
  });

  it("becomes a chat when it is written with a question in it", async () => {
    await edit(join(editor.folder, "chats", "new.md"));
    expect((await mapped("<C-g><C-g>")).buffer).toBeUndefined();
    await editor.nvim.command("call setline(1, '💬: hi') | write");
    expect((await mapped("<C-g><C-g>")).buffer).toBe(1);
  });

  it("tells the host of reloads and new names, and of the end", async () => {
    const buffer = await editor.openChat("a.md", chat);
    await editor.nvim.command("edit!");
    await messages("attach", 2);
    renameSync(join(editor.folder, "chats", "a.md"), join(editor.folder, "chats", "b.md"));
    await editor.nvim.command(`file ${join(editor.folder, "chats", "b.md")}`);
    expect((await messages("attach", 3))[2]).toMatchObject({
      buf: buffer,
      path: join(editor.folder, "chats", "b.md"),
    });
    expect(await editor.received("detach")).toEqual([]);
    await editor.nvim.command("write!");
    expect(await messages("saved", 1)).toEqual([{ action: "saved", buf: buffer }]);
    await editor.nvim.command("bdelete");
    expect(await messages("detach", 1)).toEqual([{ action: "detach", buf: buffer }]);
    await edit(join(editor.folder, "chats", "b.md"));
    await messages("attach", 4);
    expect((await mapped("<C-g>x")).buffer).toBe(1);
  });

  it("tells the host where Neovim works", async () => {
    await editor.openChat("a.md", chat);
    await editor.nvim.command(`cd ${editor.folder}`);
    expect((await messages("cwd", 1))[0]).toEqual({ action: "cwd", cwd: editor.folder });
  });

  it("forwards keys from normal and insert mode", async () => {
    const buffer = await editor.openChat("a.md", [...chat, "two"]);
    await editor.press("G<C-g><C-g>");
    expect((await messages("respond", 1))[0]).toEqual({
      action: "respond",
      buf: buffer,
      line: 1,
      tick: await editor.tick(),
    });
    await editor.press("A more<C-g><C-g>");
    expect((await messages("respond", 2))[1]).toMatchObject({ line: 1, tick: await editor.tick() });
    expect(await editor.lines()).toEqual([...chat, "two more"]);
    expect((await editor.nvim.mode).mode).toBe("i");
    await editor.press("<Esc><C-g>x");
    expect(await messages("stop", 1)).toEqual([{ action: "stop", buf: buffer }]);
  });

  it.each(["", "A"])("lists the keys that there are, after %j", async (before) => {
    await editor.openChat("a.md", chat);
    await editor.press(`${before}<C-g>?`);
    await poll("the list", async () => {
      const rows = (await editor.screen()).join("\n");
      // What approves calls is not below the edge of a low screen.
      return rows.includes("<C-g><C-g>") && rows.includes("remember");
    });
    expect((await editor.lines()).findIndex((line) => line.startsWith("K "))).toBeLessThan(12);
    await editor.press("q");
    await poll("the chat", async () => (await editor.lines()).join() === chat.join());
  });

  it("has the keys that are asked for and no others", async () => {
    await editor.lua(
      `require("parley").setup({
      chat_dir = (...),
      keys = { respond = "<leader>r", stop = false },
      global_keys = { new = "<leader>n" },
    })`,
      join(editor.folder, "chats"),
    );
    await editor.openChat("a.md", chat);
    expect((await mapped("<leader>r")).buffer).toBe(1);
    expect((await mapped("<C-g><C-g>")).buffer).toBeUndefined();
    expect((await mapped("<C-g>x")).buffer).toBeUndefined();
    expect((await mapped("<leader>n")).buffer).toBe(0);
  });

  it("drops the global keys of earlier options, and leaves those that the user has mapped since", async () => {
    const setup = (keys: string) =>
      editor.lua(`require("parley").setup({ global_keys = ${keys} })`);
    await setup('{ new = { "<leader>n", "<C-g>n", "<F6>" }, chats = "<Space>c" }');
    await editor.lua('vim.keymap.set("n", "<F6>", "ix")');
    expect((await mapped("<C-g>n")).buffer).toBe(0);
    await setup('{ new = "<Space>n" }');
    for (const key of ["<leader>n", "<C-g>n", "<Space>c"]) {
      expect((await mapped(key)).buffer).toBeUndefined();
    }
    expect((await mapped("<Space>n")).buffer).toBe(0);
    expect(await editor.lua('return vim.fn.maparg("<F6>", "n")')).toBe("ix");
  });

  it("reads chat folders and keys from config.json, which setup overrides", async () => {
    await editor.lua(
      `local folder = vim.fs.joinpath(vim.fn.stdpath("config"), "parley")
      vim.fn.mkdir(folder, "p")
      vim.fn.writefile({ '{', '  // folders', '  "chat_dir": "' .. ... .. '", /* more */', '  "keys": {"stop": "<leader>s", "help": "http://\\\\"x"},', '}' },
        folder .. "/config.json")
      require("parley").setup({ keys = { help = "<leader>h" } })`,
      join(editor.folder, "chats"),
    );
    await editor.openChat("a.md", chat);
    expect((await mapped("<leader>s")).buffer).toBe(1);
    expect((await mapped("<leader>h")).buffer).toBe(1);
    expect((await mapped("<C-g><C-g>")).buffer).toBe(1);
  });

  it("completes and forwards commands", async () => {
    const buffer = await editor.openChat("a.md", chat);
    const complete = (line: string) => editor.nvim.call("getcompletion", [line, "cmdline"]);
    expect(await complete("Parley ret")).toEqual(["retry"]);
    expect(await complete("Parley approve al")).toEqual(["all", "always", "always-one"]);
    expect(await complete("Parley model ")).toEqual([]);
    await editor.nvim.command("Parley model mock/demo");
    await editor.nvim.command("Parley retry");
    await editor.nvim.command("Parley stop call");
    await editor.nvim.command("Parley stop cal");
    expect(await editor.lua("return Notified[#Notified]")).toContain("nothing was stopped");
    expect(await editor.received("stop")).toEqual([]);
    await editor.nvim.command("Parley respond");
    expect(await messages("command", 1)).toEqual([
      { action: "command", buf: buffer, name: "model", args: ["mock/demo"], line: 0 },
    ]);
    expect(await messages("retry", 1)).toEqual([{ action: "retry", buf: buffer, line: 0 }]);
    expect(await messages("stop_call", 1)).toEqual([{ action: "stop_call", buf: buffer, line: 0 }]);
    expect((await messages("respond", 1))[0]).toMatchObject({ line: 0 });
    await editor.nvim.command("Parley nonsense");
    expect(await editor.lua("return Notified[#Notified]")).toContain("no :Parley nonsense");
  });

  it("asks the user and hands the answer to the host", async () => {
    await editor.openChat("a.md", chat);
    await editor.lua(`vim.ui.select = function(items, options, choose)
      Prompt = options.prompt
      choose(items[2])
    end`);
    await editor.call("ask", 7, {
      kind: "select",
      prompt: "Which?",
      items: ["a", "b"],
      default: null,
    });
    expect(await messages("answer", 1)).toEqual([{ action: "answer", id: 7, value: "b" }]);
    await editor.call("ask", 8, { kind: "confirm", prompt: "Sure?" });
    expect((await messages("answer", 2))[1]).toEqual({ action: "answer", id: 8, value: true });
    await editor.call("ask", 9, { kind: "input", prompt: "Name: ", default: "x" });
    await poll("the prompt", async () => (await editor.nvim.mode).mode === "c");
    await editor.press("<Esc>");
    expect((await messages("answer", 3))[2]).toEqual({ action: "answer", id: 9 });
  });

  it("tells other plugins by User autocommands", async () => {
    await editor.openChat("a.md", chat);
    await editor.lua(`vim.api.nvim_create_autocmd("User", { pattern = "ParleyDone",
      callback = function(event) Done = event.data end })`);
    await editor.call("event", "ParleyDone", { buf: 3, usage: null });
    expect(await editor.lua("return Done")).toEqual({ buf: 3 });
  });

  it("opens what the host has to show", async () => {
    await editor.openChat("a.md", chat);
    await editor.call("open", ["{\n", "}"], { title: "preview", filetype: "json" });
    expect(
      await editor.lua("return { vim.bo.filetype, vim.bo.buftype, vim.fn.winnr('$') }"),
    ).toEqual(["json", "nofile", 2]);
    const windows = () => editor.lua("return vim.fn.winnr('$')");
    await editor.nvim.command("wincmd p");
    await editor.call("open", ["{}"], { title: "preview", filetype: "json" });
    expect(await editor.lines()).toEqual(["{}"]);
    expect(await windows()).toBe(2);
    await editor.press("q");
    await poll("the window to close", async () => (await windows()) === 1);
    expect(await editor.lines()).toEqual(chat);
    const log = join(editor.folder, "log");
    writeFileSync(log, "one\ntwo\n");
    for (let times = 0; times < 2; times += 1) await editor.call("open", log, { title: "log" });
    expect(await editor.lines()).toEqual(["one", "two"]);
    expect(await editor.lua("return { vim.fn.line('.'), vim.fn.winnr('$') }")).toEqual([2, 2]);
  });

  it("watches the working folder once, however often the last chat was closed", async () => {
    await editor.openChat("a.md", chat);
    for (const name of ["b.md", "c.md"]) {
      await editor.nvim.command("bdelete");
      await poll("the end of the chat", async () => (await editor.received("detach")).length > 0);
      await editor.lua("Received = {}");
      await editor.openChat(name, chat);
    }
    // The first chat after that told where Neovim is by then.
    await poll("the folder", async () => (await editor.received("cwd")).length > 0);
    await editor.lua("Received = {}");
    await editor.nvim.command("cd /");
    await poll("the folder", async () => (await editor.received("cwd")).length > 0);
    await editor.call("notify", "info", "after it");
    expect(await editor.received("cwd")).toHaveLength(1);
    expect(
      await editor.lua(
        "return #vim.api.nvim_get_autocmds({ group = 'parley.chat', event = 'WinResized' })",
      ),
    ).toBe(1);
  });
});
