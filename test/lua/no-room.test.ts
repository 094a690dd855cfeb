/** What opens a window where none has room for another: in a tab page, as part of the question, or with a word. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Editor, neovims, poll, startEditor } from "./editor.ts";

const chat = ["💬: first", "", "🤖:[x]", "", "Words.", "", "💬: second"];
const rows = [
  { line: 0, text: "first" },
  { line: 6, text: "second" },
];

describe.each(neovims)("a screen without room for a second window in Neovim $version", (neovim) => {
  let editor: Editor;
  let before: number;
  beforeEach(async () => {
    editor = await startEditor(neovim, {
      before: `Asked = {}
        vim.ui.select = function(items, options, choose)
          table.insert(Asked, options.prompt)
          choose(items[1])
        end`,
    });
    await editor.openChat("one.md", chat);
    await editor.nvim.command(
      "set winminheight=1 | for each in range(99) | silent! split | endfor",
    );
    before = await windows();
  });
  afterEach(() => editor.quit());

  const told = () => editor.lua<string[]>("return Notified");
  const windows = () => editor.lua<number>("return #vim.api.nvim_list_wins()");

  it("says how to go through the questions, and through the places of a turn", async () => {
    await editor.call("outline", await editor.lua<number>("return vim.fn.bufnr()"), rows);
    expect(await told()).toEqual([expect.stringMatching(/^There is no room .*:lnext goes/)]);
    await editor.nvim.command("lnext");
    expect(await editor.lua("return vim.fn.line('.')")).toBe(7);
    await editor.call("changes", [{ path: "/a", line: 1, text: "changed" }]);
    expect((await told()).at(-1)).toMatch(/^There is no room .*:cnext goes/);
    expect(await windows()).toBe(before);
  });

  it("opens a new chat of another plugin in a tab page", async () => {
    await editor.lua("require('parley').new({ place = 'split' })");
    expect(await editor.lua("return vim.fn.tabpagenr('$')")).toBe(2);
    expect(await editor.lua("return vim.fn.winnr('$')")).toBe(1);
  });

  it("shows a form in a tab page", async () => {
    const page = { title: "shop", lines: ["# shop", "name: "], cursor: 1, completions: {} };
    await editor.call("ask", 1, { kind: "form", prompt: "shop", page, patient: true });
    await poll("the form", () => editor.lua("return vim.bo.filetype == 'parley_form'"));
    await editor.press("Ame<Esc>:w<CR>");
    const answers = () => editor.received("answer");
    await poll("the answer", async () => (await answers()).length > 0);
    expect((await answers())[0]).toMatchObject({ value: { lines: ["# shop", "name: me"] } });
  });

  it("has the details of a question read before a picker asks it", async () => {
    const items = [{ label: "Answer", value: 0 }];
    const question = { kind: "select", prompt: "shop asks", details: ["why"], items };
    await editor.call("ask", 1, { ...question, patient: true });
    await poll("the details", async () => (await editor.screen()).join("\n").includes("why"));
    expect(await editor.lua("return #Asked")).toBe(0);
    await editor.press("<CR>");
    await poll("the question", () => editor.lua("return #Asked == 1"));
    await poll("the answer", async () => (await editor.received("answer")).length > 0);
    expect(await windows()).toBe(before);
  });
});
