import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Editor, neovims, poll, readText, startEditor } from "./editor.ts";

const chat = [
  "---",
  "topic: test",
  "---",
  "",
  "💬: one",
  "",
  "🤖:[demo]",
  "",
  "Words.",
  "",
  "💬: two",
];

describe.each(neovims)("writing into a chat on Neovim $version", (neovim) => {
  let editor: Editor;
  let buffer: number;

  const apply = async (edits: unknown[], group = "a", tick?: number) =>
    editor.call("apply", buffer, tick ?? (await editor.tick(buffer)), edits, group, {});
  const cursor = (window = 0) =>
    editor.lua<number[]>("return vim.api.nvim_win_get_cursor((...))", window);
  const goTo = (line: number, column = 0) =>
    editor.lua("vim.api.nvim_win_set_cursor(0, {...})", line, column);
  const undo = () => editor.nvim.command("undo");

  beforeEach(async () => {
    editor = await startEditor(neovim);
    buffer = await editor.openChat("a.md", chat);
  });
  afterEach(() => editor.quit());

  it("applies edits computed against one text, in one undo step", async () => {
    const answer = await apply([
      { start: 4, end: 5, lines: ["💬: changed"] },
      { start: 8, end: 8, lines: ["above", "the words"] },
      { start: 8, end: 9, lines: [] },
      { start: 11, end: 11, lines: ["the end"] },
    ]);
    expect(answer).toEqual({ status: "applied", tick: await editor.tick() });
    expect(await editor.lines()).toEqual([
      ...chat.slice(0, 4),
      "💬: changed",
      ...chat.slice(5, 8),
      "above",
      "the words",
      ...chat.slice(9),
      "the end",
    ]);
    await undo();
    expect(await editor.lines()).toEqual(chat);
  });

  it("refuses edits against another text, and buffers that are gone or cannot be changed", async () => {
    const tick = await editor.tick();
    await editor.nvim.command("setlocal nomodifiable");
    expect(await apply([{ start: 0, end: 0, lines: ["x"] }])).toMatchObject({ status: "failed" });
    await editor.nvim.command("setlocal modifiable readonly");
    expect(await apply([{ start: 0, end: 0, lines: ["x"] }])).toMatchObject({ status: "failed" });
    await editor.nvim.command("setlocal noreadonly");
    await editor.nvim.command("normal! Ox");
    expect(await apply([{ start: 0, end: 0, lines: ["y"] }], "a", tick)).toEqual({
      status: "stale",
      tick: await editor.tick(),
    });
    await editor.nvim.command("bdelete!");
    expect(await editor.call("apply", buffer, tick, [], "a", {})).toEqual({ status: "gone" });
  });

  it("is not refused where an autocommand of another plugin fails at OptionSet", async () => {
    await editor.nvim.command("autocmd OptionSet * echo nothing");
    expect(await apply([{ start: 8, end: 9, lines: ["New."] }])).toMatchObject({
      status: "applied",
    });
    expect(await editor.lines(buffer)).toContain("New.");
  });

  it("changes only the columns that differ, at whole characters", async () => {
    await editor.lua(`Changes = {}
      vim.api.nvim_buf_attach(0, false, { on_bytes = function(_, _, _, row, column, _, ...)
        local _, old, _, _, new = ...
        table.insert(Changes, { row, column, old, new })
      end })`);
    await apply([{ start: 10, end: 11, lines: ["🤬: two"] }]);
    await apply([{ start: 8, end: 9, lines: ["W[x]ords."] }]);
    expect(await editor.lua("return Changes")).toEqual([
      [10, 0, 4, 4],
      [8, 1, 0, 3],
    ]);
    expect((await editor.lines())[10]).toBe("🤬: two");
  });

  it("joins writes of one group, and begins a new step for another or after a user's change", async () => {
    const end = async () => (await editor.lines()).length;
    const append = async (text: string, group: string) =>
      apply([{ start: await end(), end: await end(), lines: [text] }], group);
    await append("a1", "a");
    await append("a2", "a");
    await append("b1", "b");
    await editor.nvim.command("normal! ggOtyped");
    await append("b2", "b");
    await append("b3", "b");
    await undo();
    expect(await editor.lines()).toEqual(["typed", ...chat, "a1", "a2", "b1"]);
    await undo();
    expect(await editor.lines()).toEqual([...chat, "a1", "a2", "b1"]);
    await undo();
    expect(await editor.lines()).toEqual([...chat, "a1", "a2"]);
    await undo();
    expect(await editor.lines()).toEqual(chat);
  });

  it("joins a group again only when nothing was undone in between", async () => {
    await apply([{ start: 0, end: 0, lines: ["a1"] }]);
    await undo();
    await apply([{ start: 0, end: 0, lines: ["a2"] }]);
    await undo();
    expect(await editor.lines()).toEqual(chat);
  });

  it("keeps text typed in insert mode and what is written meanwhile apart", async () => {
    await goTo(11);
    await editor.press("A typed");
    await poll("typed text", async () => (await editor.lines())[10] === "💬: two typed");
    await apply([{ start: 9, end: 9, lines: ["written"] }]);
    await editor.press(" on<Esc>");
    await poll("normal mode", async () => (await editor.lines()).at(-1) === "💬: two typed on");
    await editor.press("u");
    await poll("the undo", async () => (await editor.lines()).at(-1) === "💬: two typed");
    expect(await editor.lines()).toContain("written");
    await editor.press("u");
    await poll("the second undo", async () => !(await editor.lines()).includes("written"));
    expect((await editor.lines()).at(-1)).toBe("💬: two typed");
    await editor.press("u");
    await poll("the third undo", async () => (await editor.lines()).join() === chat.join());
  });

  it("keeps cursors and views on their lines in every window", async () => {
    const long = Array.from({ length: 200 }, (_, index) => `line ${index}`);
    await apply([{ start: 9, end: 9, lines: long }]);
    await editor.nvim.command("split");
    await editor.lua("vim.api.nvim_win_set_cursor(0, {120, 2}) vim.cmd('normal! zt')");
    const other = await editor.lua<number>(
      "vim.cmd('wincmd w') return vim.fn.win_getid(vim.fn.winnr('#'))",
    );
    await editor.lua("vim.api.nvim_win_set_cursor(0, {60, 1}) vim.cmd('normal! zz')");
    const view = () =>
      editor.lua<[string, string, string, string]>(
        `local function lines(win) return vim.api.nvim_win_call(win, function()
          return { vim.fn.getline("."), vim.fn.getline(vim.fn.winsaveview().topline) } end) end
        local a, b = lines(0), lines((...)) return { a[1], a[2], b[1], b[2] }`,
        other,
      );
    const before = await view();
    await apply([
      { start: 0, end: 3, lines: [] },
      { start: 5, end: 5, lines: ["new", "new", "new", "new", "new"] },
      { start: 209, end: 209, lines: ["below"] },
    ]);
    await editor.nvim.command("redraw");
    expect(await view()).toEqual(before);
  });

  it("keeps a window at the end when text is appended, and moves no other", async () => {
    await goTo(11);
    await editor.nvim.command("split");
    await goTo(5);
    const following = await editor.lua<number>("return vim.fn.win_getid(2)");
    await apply([{ start: 11, end: 11, lines: ["", "🤖:[demo]", "", "last"] }]);
    expect(await cursor()).toEqual([5, 0]);
    expect((await cursor(following))[0]).toBe(15);
  });

  it("moves no cursor of a user who types at the end", async () => {
    await goTo(11);
    await editor.press("A");
    await apply([{ start: 11, end: 11, lines: ["", "appended"] }]);
    await editor.press(" more");
    await poll("the typed text", async () => (await editor.lines())[10] === "💬: two more");
  });

  it("places a following cursor where the host says", async () => {
    await goTo(11);
    expect(await editor.call("follow", buffer, 6)).toBe(true);
    expect(await cursor()).toEqual([7, expect.any(Number)]);
    await goTo(6);
    expect(await editor.call("follow", buffer, 2)).toBe(false);
    expect((await cursor())[0]).toBe(6);
  });

  it("writes to a chat that no window shows", async () => {
    await editor.nvim.command("set hidden | enew");
    expect(await apply([{ start: 0, end: 1, lines: ["----"] }])).toMatchObject({
      status: "applied",
    });
    expect((await editor.lines(buffer))[0]).toBe("----");
  });

  describe("saving", () => {
    const path = () => join(editor.folder, "chats", "a.md");
    const save = () => editor.call("save", buffer);

    it("writes without autocommands, alternate file and marks kept", async () => {
      await editor.nvim.command("enew | file other | buffer #");
      await editor.lua(`vim.api.nvim_create_autocmd({ "BufWritePre", "BufWritePost" }, {
        callback = function() Ran = true end })
        vim.fn.setpos("'[", { 0, 3, 1, 0 })`);
      await apply([{ start: 11, end: 11, lines: ["new"] }]);
      await editor.lua('vim.fn.setpos("\'[", { 0, 3, 1, 0 })');
      expect(await save()).toMatchObject({ status: "saved" });
      expect(readText(path())).toBe(`${[...chat, "new"].join("\n")}\n`);
      expect(
        await editor.lua('return { Ran or false, vim.bo.modified, vim.fn.line("\'[") }'),
      ).toEqual([false, false, 3]);
      expect(await editor.lua("return vim.fn.bufname('#')")).toBe("other");
      await apply([{ start: 11, end: 11, lines: ["newer"] }]);
      expect(await save()).toMatchObject({ status: "saved" });
    });

    it("never overwrites a file that changed on disk, asks once, and does what is chosen", async () => {
      await editor.lua(`vim.ui.select = function(items, options, choose)
        Asked = (Asked or 0) + 1
        Choose = function(index) choose(items[index]) end
      end`);
      const asked = (times: number) =>
        poll(`question ${times}`, async () => (await editor.lua("return Asked")) === times);
      await apply([{ start: 11, end: 11, lines: ["mine"] }]);
      writeFileSync(path(), "theirs\n");
      expect(await save()).toMatchObject({ status: "conflict" });
      await asked(1);
      expect(await save()).toMatchObject({ status: "conflict" });
      expect(readText(path())).toBe("theirs\n");
      await editor.lua("Choose(1)");
      writeFileSync(path(), "theirs again\n");
      expect(await save()).toMatchObject({ status: "conflict" });
      await asked(2);
      await editor.lua("Choose(2)");
      expect(readText(path())).toContain("mine");
      writeFileSync(path(), "💬: theirs at last\n");
      await apply([{ start: 0, end: 0, lines: ["mine again"] }]);
      expect(await save()).toMatchObject({ status: "conflict" });
      await asked(3);
      await editor.lua("Choose(3)");
      expect(await editor.lines()).toEqual(["💬: theirs at last"]);
      await apply([{ start: 0, end: 0, lines: ["new"] }]);
      expect(await save()).toMatchObject({ status: "saved" });
    });

    it("knows what it cannot write", async () => {
      await editor.nvim.command("setlocal readonly");
      await editor.nvim.command("silent! normal! Ox");
      expect(await save()).toMatchObject({ status: "failed" });
      await editor.nvim.command("enew | setlocal buftype=nofile");
      expect(
        await editor.call("save", await editor.lua("return vim.api.nvim_get_current_buf()")),
      ).toMatchObject({ status: "unnamed" });
    });

    it("makes the folder of a new chat", async () => {
      await editor.lua(
        "require('parley').setup({ chat_dir = (...) })",
        join(editor.folder, "none"),
      );
      await editor.nvim.command("Parley new");
      const created = await editor.lua<number>("return vim.api.nvim_get_current_buf()");
      expect(await editor.lines()).toEqual(["---", "topic: ?", "---", "", "💬: "]);
      await editor.press("hello<Esc>");
      await poll("the text", async () => (await editor.lines()).at(-1) === "💬: hello");
      await editor.lua("vim.fn.delete(vim.fs.dirname(vim.api.nvim_buf_get_name(0)), 'd')");
      expect(await editor.call("save", created)).toMatchObject({ status: "saved" });
      const name = await editor.lua<string>("return vim.api.nvim_buf_get_name(0)");
      expect(name).toMatch(/none\/\d{4}-\d\d-\d\d\.\d\d-\d\d-\d\d\.\d{3}\.md$/);
      expect(readText(name)).toContain("💬: hello");
    });
  });
});
