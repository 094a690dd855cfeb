/** What is drawn beside the text, where there is little room, and what is left of it. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Editor, neovims, startEditor } from "./editor.ts";
import { call, chat, showView, unfinished, untilOnScreen } from "./shown.ts";

describe.each(neovims)("where things are shown on Neovim $version", (neovim) => {
  let editor: Editor;
  let buffer: number;

  const show = (view: Record<string, unknown>) => showView(editor, buffer, view);
  const onScreen = (text: string) => untilOnScreen(editor, text);
  const openCall = { line: 6, text: call, lines: ["mock · web_search", "  query: x"], cut: false };

  beforeEach(async () => {
    editor = await startEditor(neovim);
    buffer = await editor.openChat("show.md", chat);
  });
  afterEach(() => editor.quit());

  it("shows as much of what a call does as its row has room for", async () => {
    await editor.nvim.command("vsplit | enew | wincmd p | vertical resize 40");
    const text = "reading the third of five long files";
    await show({ running: [{ line: 6, text }] });
    await onScreen(`${text.slice(0, 20)}…`);
    await editor.nvim.command("vertical resize 90");
    await onScreen(text);
  });

  it("shows all of a long word on what an unfinished answer does", async () => {
    await editor.lua("vim.api.nvim_buf_set_lines(0, -1, -1, false, { (...) })", unfinished);
    const text = `attempt 2 of 4: ${"many words ".repeat(9)}and the last`;
    await show({
      unfinished_line: 7,
      status: { kind: "progress", text, line: 7, wait_ms: 9000 },
    });
    await onScreen("retrying in 9 s, attempt 2");
    await onScreen("and the last");
  });

  it("breaks the rows below a call for the narrowest window", async () => {
    await editor.nvim.command("vsplit | vertical resize 30");
    const last = "the last words of a long line";
    await show({ calls: [{ ...openCall, lines: [`${"a word ".repeat(9)}${last}`] }], keys: true });
    const rows = (await editor.screen()).map((row) => [...row].slice(0, 30).join(""));
    expect(rows.join("").replaceAll(/\s+/g, "")).toContain(last.replaceAll(" ", ""));
  });

  it("leaves no diagnostics behind when the buffer is no longer a chat", async () => {
    await show({
      diagnostics: [{ line: 6, col: 3, level: "warning", code: "broken-call", message: "Broken." }],
      usage: { text: "12 tokens in, 3 out", line: 4 },
    });
    await editor.nvim.command("Parley detach");
    expect(await editor.lua("return vim.diagnostic.get(0)")).toEqual([]);
    expect(await editor.lua("return vim.b.parley_usage or 'none'")).toBe("none");
  });
});
