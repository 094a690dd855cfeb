/** Motions, text objects and the outline, in one Neovim. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Editor, neovims, poll, startEditor } from "./editor.ts";
import { startWithOpenCalls } from "./open-calls.ts";

const chat = [
  "---",
  "topic: ?",
  "---",
  "",
  "💬: first",
  "",
  "🤖:[x]",
  "",
  "before",
  "```lua",
  "return 1",
  "return 2",
  "```",
  "",
  "\\💬: quoted",
  "",
  "💬\uFE0F: second",
  "",
  "🤖:[x]",
  "",
  "",
  "💬: ",
];
const row = (text: string, from = 0) => chat.indexOf(text, from) + 1;

describe.each(neovims.slice(-1))("places of a chat on Neovim $version", (neovim) => {
  let editor: Editor;

  beforeAll(async () => {
    editor = await startEditor(neovim);
    await editor.openChat("places.md", chat);
  });
  afterAll(() => editor.quit());
  beforeEach(async () => {
    await editor.press("<Esc>");
    await editor.lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, ...)", chat);
  });

  const line = () => editor.lua("return vim.fn.line('.')");
  const goTo = (at: number) => editor.lua("vim.api.nvim_win_set_cursor(0, { ..., 0 })", at);
  const at = (wanted: number) => poll(`line ${wanted}`, async () => (await line()) === wanted);

  it("goes by turn, with a count and not over the ends", async () => {
    await goTo(1);
    await editor.press("]]");
    await at(row("💬: first"));
    await editor.press("2]]");
    await at(row("💬\uFE0F: second"));
    await editor.press("9]]");
    await at(row("💬: "));
    await editor.press("[[");
    await at(row("🤖:[x]", row("💬\uFE0F: second")));
    await editor.press("9[[");
    await at(row("💬: first"));
    await editor.press("[[<C-o>");
    await at(row("🤖:[x]", row("💬\uFE0F: second")));
  });

  it.each([
    ["ax", "before", "💬: first", ""],
    ["ix", "💬: first", "💬: first", "\\💬: quoted"],
    ["ar", "💬: first", "🤖:[x]", ""],
    ["ir", "return 1", "before", "\\💬: quoted"],
    ["ac", "return 2", "```lua", "```"],
    ["ic", "```lua", "return 1", "return 2"],
  ])("takes %s from %s", async (object, from, first, last) => {
    const begin = row(first);
    const end = last === "" ? row("💬\uFE0F: second") - 1 : row(last, begin);
    const taken = `${chat.slice(begin - 1, end).join("\n")}\n`;
    await goTo(row(from));
    await editor.lua("vim.fn.setreg('\"', '')");
    await editor.press(`y${object}`);
    await poll("the yank", async () => (await editor.lua("return vim.fn.getreg('\"')")) === taken);
    await goTo(row(from));
    await editor.press(`v${object}d`);
    const left = [...chat.slice(0, begin - 1), ...chat.slice(end)];
    await poll("the deletion", async () => (await editor.lines()).length === left.length);
    expect(await editor.lines()).toEqual(left);
  });

  it.each([
    ["2yax", "💬: first", chat.length],
    ["y9ix", "💬: first", chat.length],
    ["v2ary", "🤖:[x]", chat.length - 1],
    ["3yac", "```lua", row("```")],
  ])("takes as many as the count of %s says", async (keys, from, last) => {
    const two = [...chat.slice(0, -2), "more", "", "💬: "];
    await editor.lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, ...)", two);
    await goTo(row("return 1"));
    await editor.lua("vim.fn.setreg('\"', '')");
    await editor.press(keys);
    await poll("the yank", async () => (await editor.lua("return vim.fn.getreg('\"')")) !== "");
    const end = keys.includes("ac") ? last : keys.includes("9ix") ? two.length : two.length - 1;
    expect(await editor.lua("return vim.fn.getreg('\"')")).toBe(
      `${two.slice(row(from) - 1, end).join("\n")}\n`,
    );
  });

  it("copies code in a list without its indent and escapes", async () => {
    const code = ["```py", "def a():", "    ```", "  return 1", "", "```"];
    const lines = ["1. do this:", "", ...code.map((line) => (line === "" ? "" : `     ${line}`))];
    lines.splice(6, 0, "\\💬: said", "\\alpha");
    await editor.lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, ...)", [
      ...chat.slice(0, 8),
      ...lines,
    ]);
    await goTo(10 + 2);
    await editor.lua("require('parley.actions').copy()");
    expect(await editor.lua("return vim.fn.getreg('\"', 1, true)")).toEqual([
      "def a():",
      "    ```",
      "  return 1",
      "💬: said",
      "\\alpha",
      "",
    ]);
  });

  it.each(["- ", "12) ", "  * 1. "])("copies code that begins with its item: %j", async (item) => {
    const indent = item.replace(/\S/g, " ");
    const lines = [`${item}\`\`\`sh`, `${indent}make`, `${indent}\`\`\``, "", "```", "b", "```"];
    await editor.lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, ...)", ["💬: q", ...lines]);
    for (const [at, code] of [
      [3, "make"],
      [7, "b"],
    ] as const) {
      await goTo(at);
      await editor.lua("require('parley.actions').copy()");
      expect(await editor.lua("return vim.fn.getreg('\"', 1, true)")).toEqual([code]);
    }
  });

  it.each(["dic", "dir", "vic<Esc>"])("changes nothing by %s where there is none", async (keys) => {
    await goTo(row("💬\uFE0F: second"));
    await editor.press(keys);
    await poll("Normal mode", async () => (await editor.lua("return vim.fn.mode(1)")) === "n");
    expect(await editor.lines()).toEqual(chat);
  });

  it("lists questions, at the one of the cursor, and goes to them", async () => {
    await goTo(row("🤖:[x]", row("💬\uFE0F: second")));
    await editor.lua(`require("parley.rpc").call("outline", vim.api.nvim_get_current_buf(), ...)`, [
      { line: row("💬: first") - 1, text: "✓ done       first" },
      { line: row("💬\uFE0F: second") - 1, text: "✗ failed     second" },
    ]);
    expect(await editor.lua("return vim.bo.buftype")).toBe("quickfix");
    expect(await editor.lines()).toEqual(["✓ done       first", "✗ failed     second"]);
    expect(await line()).toBe(2);
    expect(await editor.lua("return { vim.wo.wrap, vim.fn.line('w0') }")).toEqual([false, 1]);
    await editor.press("k<CR>");
    await at(row("💬: first"));
    expect(await editor.lines()).toEqual(chat);
    await editor.lua("vim.cmd.lclose()");
  });

  it("keeps its keys when the file type is set again", async () => {
    await editor.lua("vim.cmd('setfiletype markdown') vim.bo.filetype = 'markdown'");
    const owner = "return vim.fn.maparg(..., 'n', false, true).desc";
    for (const key of ["gO", "]]", "[["]) {
      expect(await editor.lua(owner, key)).toMatch(/^Parley: /);
    }
  });
});

describe.each(neovims.slice(-1))("calls that wait on Neovim $version", (neovim) => {
  it("goes to a call that waits though its line has a decision", async () => {
    const { editor, buffer, show, goTo } = await startWithOpenCalls(neovim);
    const decided = (await editor.lines(buffer))[7]?.replace("❓:", "❓:[ya]");
    await editor.lua("vim.api.nvim_buf_set_lines(0, 7, 9, false, { ... })", decided);
    await show([7]);
    await goTo(1);
    await editor.lua("require('parley.pickers.waiting').go(vim.api.nvim_buf_get_name(0))");
    expect(await editor.lua("return vim.fn.line('.')")).toBe(8);
    await editor.quit();
  });

  it("are gone to in a circle, and a text object behind y decides none", async () => {
    const waiting = await startWithOpenCalls(neovim);
    const { editor } = waiting;
    const at = (wanted: number) =>
      poll(`line ${wanted}`, async () => (await editor.lua("return vim.fn.line('.')")) === wanted);
    await waiting.goTo(1);
    for (const [keys, line] of [
      ["]w", 8],
      ["]w", 9],
      ["]w", 8],
      ["[w", 9],
      ["2[w", 9],
    ] as const) {
      await editor.press(keys);
      await at(line);
    }
    await editor.press("yar");
    await poll("the yank", async () => (await waiting.register()).startsWith("🤖:"));
    expect(await waiting.decisions()).toEqual([]);
    await editor.quit();
  });

  it("are not gone to in a file that was read again and is shorter now", async () => {
    const waiting = await startWithOpenCalls(neovim);
    const { editor } = waiting;
    await waiting.goTo(1);
    await editor.lua("vim.fn.writefile({ 'a', 'b' }, vim.api.nvim_buf_get_name(0))");
    await editor.nvim.command("edit!");
    // The host has not drawn anything else yet.
    for (const keys of ["]w", "[w", ":Parley next<CR>"]) await editor.press(keys);
    await poll("the search in other chats", async () => (await editor.received("chat_next"))[0]);
    // All that the host knows is what the file said when it was listed.
    await editor.call("chat_next", await editor.lua("return vim.api.nvim_buf_get_name(0)"));
    expect((await editor.lua<string[]>("return Notified")).at(-1)).toBe(
      "The call that waited in this chat is not in its text any more.",
    );
    expect(await editor.nvim.call("execute", ["messages"])).not.toMatch(/E\d+:|traceback/);
    await editor.quit();
  });
});
