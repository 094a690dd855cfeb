/** What is written above the cursor waits, or puts right what Neovim remembers of rows by their numbers. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Editor, neovims, poll, startEditor } from "./editor.ts";

const chat = ["💬: one", "", "🤖:[demo]", "", "<!-- parley:unfinished open -->", "", "text below"];

describe.each(neovims)("rows that Neovim $version keeps by their numbers", (neovim) => {
  let editor: Editor;
  let buffer: number;

  const open = async () => {
    const answer = await editor.call("tip_open", buffer, await editor.tick(), 3, 2, "a");
    expect(answer).toMatchObject({ status: "opened" });
    return answer["id"] as number;
  };
  const write = (id: number, prefix: string, text: string) =>
    editor.call("tip_write", buffer, id, prefix, text, "a");
  const apply = async (start: number, end: number, lines: readonly string[]) =>
    editor.call("apply", buffer, await editor.tick(), [{ start, end, lines }], "b");
  const untilMode = (mode: RegExp) =>
    poll(`${mode}`, async () =>
      mode.test(String(await editor.lua("return vim.fn.getcmdtype() .. vim.fn.mode(1)"))),
    );

  beforeEach(async () => {
    editor = await startEditor(neovim);
    buffer = await editor.openChat("tip.md", chat);
  });
  afterEach(() => editor.quit());

  it("have what is written wait for a menu and for a blockwise insert", async () => {
    const id = await open();
    await editor.press("Goapple apricot ap<C-x><C-n>");
    await poll("the menu", () => editor.lua("return vim.fn.pumvisible() == 1"));
    expect(await write(id, "", "a\nb")).toEqual({ status: "held" });
    expect(await write(id, "", "a")).toMatchObject({ status: "written" });
    const last = (await editor.lines()).length;
    expect(await apply(0, 0, ["new"])).toEqual({ status: "held" });
    expect(await apply(last - 1, last, ["new"])).toEqual({ status: "held" });
    expect(await apply(0, 1, ["💬: two"])).toMatchObject({ status: "applied" });
    expect(await apply(last, last, ["below"])).toMatchObject({ status: "applied" });
    await editor.press("<Esc>");
    await untilMode(/^n$/);
    expect(await write(id, "a", "b\nc")).toMatchObject({ status: "written" });
    // A blockwise insert is written into its lines when it ends.
    await editor.press("G0<C-v>kI# ");
    await poll("the insert", async () => (await editor.lines()).at(-2)?.startsWith("# "));
    expect(await write(id, "c", "\nd")).toEqual({ status: "held" });
    await editor.press("<Esc>");
    await untilMode(/^n$/);
    expect(await write(id, "c", "\nd")).toMatchObject({ status: "written" });
    expect((await editor.lines()).slice(-2)).toEqual(["# apple apricot apple", "# below"]);
  });

  it.each([
    ["an operator", "Gkd", "d", ["one", "below"]],
    ["an operator that is forced", "Gk0dv", "j", ["one", "below"]],
    ["an operator and its search", "Gk0d/bel", "<CR>", ["one", "below"]],
    ["a search", "Gk0/one", "<Esc>x", ["one", "ast", "below"]],
    ["a search backwards", "Gk0?one", "<Esc>x", ["one", "ast", "below"]],
    ["what is selected, and a search", "Gk0V/bel", "<CR>d", ["one"]],
    ["what the next key replaces", "Gk0gh", "x", ["one", "xast", "below"]],
  ])("have it wait for %s", async (_, begin, end, lines) => {
    const id = await open();
    await editor.press("Go<CR>one<CR>last<CR>below<Esc>");
    await untilMode(/^n$/);
    await editor.press(begin);
    await untilMode(/[/?]/.test(begin) ? /^[/?]/ : /^[^n]|^no/);
    expect(await write(id, "", "a\nb")).toEqual({ status: "held" });
    expect(await apply(0, 0, ["new"])).toEqual({ status: "held" });
    expect(await write(id, "", "a")).toMatchObject({ status: "written" });
    expect(await apply(0, 1, ["💬: two"])).toMatchObject({ status: "applied" });
    const count = (await editor.lines()).length;
    expect(await apply(count, count, ["end"])).toMatchObject({ status: "applied" });
    await editor.press(end);
    await poll("the keys", async () => (await editor.lines()).length <= count + 1);
    await untilMode(/^[ni]$/);
    expect(await write(id, "a", "b\nc")).toMatchObject({ status: "written" });
    const after = await editor.lines();
    expect(after[0]).toBe("💬: two");
    expect(after.slice(after.indexOf("one"))).toEqual([...lines, "end"]);
  });

  it.each([
    ["characters", "Gk0lv", "d", ["one", "lst", "below"]],
    ["characters up to another line", "G0lvk", "d", ["one", "llow"]],
    ["lines", "Gk0V", "d", ["one", "below"]],
    ["lines up to another one", "GVk", "d", ["one"]],
    ["a block", "Gk0l<C-v>", "jd", ["one", "lst", "blow"]],
    ["a block up to the ends of lines", "Gk0l<C-v>j$", "d", ["one", "l", "b"]],
    ["a block, from its last corner", "Gk0l<C-v>jlo", "d", ["one", "lt", "bow"]],
  ])(
    "leave a selection of %s what it is, wherever something is written",
    async (_, begin, end, lines) => {
      const id = await open();
      await editor.press("Go<CR>one<CR>last<CR>below<Esc>");
      await untilMode(/^n$/);
      await editor.press(begin);
      await untilMode(/^[^n]/);
      expect(await write(id, "", "a\nb\nc")).toMatchObject({ status: "written" });
      for (const isFirst of [true, false]) {
        const start = isFirst ? 0 : (await editor.lines()).length;
        const edits = [{ start, end: start, lines: ["new"] }];
        const answer = await editor.call("apply", buffer, await editor.tick(), edits, "b");
        expect(answer).toMatchObject({ status: "applied" });
      }
      await editor.press(end);
      await untilMode(/^n$/);
      const after = await editor.lines();
      expect(after.slice(after.indexOf("one"))).toEqual([...lines, "new"]);
    },
  );

  it.each([
    ["the line where it began", 1, ["", "one"]],
    ["every line of it", 2, ["text below", ""]],
  ])("leave a selection in the text when %s is gone", async (_, count, last) => {
    await editor.press("Go<CR>one<CR>two<CR>three<Esc>Vk");
    await poll("the selection", () => editor.lua("return vim.fn.line('v') > vim.fn.line('.')"));
    const { length } = await editor.lines();
    expect(await apply(length - count, length, [])).toMatchObject({ status: "applied" });
    await editor.press("d");
    await untilMode(/^n$/);
    expect((await editor.lines()).slice(-2)).toEqual(last);
  });
});
