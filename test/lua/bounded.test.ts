/** Text that Neovim's parser of Markdown takes for ever to read: it is shown without colours, and holds nobody up. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import fc from "../support/property.ts";
import { type Editor, neovims, startEditor } from "./editor.ts";

const open = "![*".repeat(60);

/** Each holds Neovim for hours where nothing bounds its parser. */
const endless: Record<string, readonly string[]> = {
  "a paragraph": [open],
  "brackets before": ["[*!".repeat(60)],
  "other marks": ["<![~![".repeat(60)],
  "several lines": Array.from({ length: 60 }, () => "![*"),
  "a heading": [`# ${open}`],
  "a quote in a list": [`- > ${open}`],
  "a cell": ["| a |", "|---|", `| ${open} |`],
  "a fence of Markdown": ["```markdown", open, "```"],
  "a fence in a fence": ["````md", "```markdown", open, "```", "````"],
  "a backtick that opens nothing": [`\\\`${open}\\\``],
  "a backtick in a tag": [`<a b="\`">${open}\``],
  "code and then": [`\`code\` ${open}`],
  "runs of backticks that differ": [`\`\` a \` ${open} \``],
};

/** The parser ends Neovim over each. */
const tooDeep = [">".repeat(400), "> ".repeat(300), `${"- ".repeat(150)}${">".repeat(150)}`];

const mark = fc.constantFrom("*", "_", "~", "[", "]", "![", "(", ")", "`", "<a", "\\", "\n", " a");
const pattern = fc
  .tuple(fc.array(mark, { minLength: 1, maxLength: 5 }), fc.integer({ min: 1, max: 400 }))
  .map(([parts, times]) => parts.join("").repeat(times).split("\n"));

describe.each(neovims)("text that takes for ever to parse, on Neovim $version", (neovim) => {
  let editor: Editor;
  beforeAll(async () => {
    editor = await startEditor(neovim);
    await editor.nvim.command("filetype plugin on");
  });
  afterAll(() => editor.quit());

  /** Draws the lines as a chat, and its colours at once; resolves when Neovim has. */
  const drawn = (lines: readonly string[]) =>
    editor.lua<boolean>(
      `local buf = vim.api.nvim_get_current_buf()
      vim.api.nvim_buf_set_lines(buf, 0, -1, true, { "💬: *go*", "", unpack(...) })
      if not require("parley.colours.frames").of(buf) then vim.treesitter.start(buf, "markdown") end
      vim.cmd("redraw!")
      return require("parley.colours.frames").of(buf) ~= nil`,
      lines,
    );

  const captures = (row: number, column: number) =>
    editor.lua<string[]>(
      `local row, column = ...
      local marks = require("parley.colours.frames").marks_between(
        0, vim.api.nvim_get_current_buf(), row, row, nil)[row] or {}
      local found = {}
      for index = 1, #marks, 3 do
        if marks[index] <= column and (marks[index + 1] < 0 or marks[index + 1] > column) then
          table.insert(found, vim.fn.synIDattr(marks[index + 2].hl_group, "name"))
        end
      end
      return found`,
      row,
      column,
    );

  it("draws it as plain text, and the rest with its colours", async () => {
    await editor.openChat("endless.md", ["💬: go"]);
    for (const [name, lines] of Object.entries(endless)) {
      expect(await drawn([...lines, "", "**bold**"]), name).toBe(true);
      expect(await captures(lines.length + 3, 3), name).toContain("@markup.strong.markdown_inline");
    }
  });

  it("draws patterns that nobody thought of", async () => {
    await editor.openChat("patterns.md", ["💬: go"]);
    await fc.assert(
      fc.asyncProperty(pattern, async (lines) => {
        expect(await drawn(lines)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it("keeps the colours of what people and models write", async () => {
    await editor.openChat("usual.md", ["💬: go"]);
    const badges = Array.from({ length: 12 }, (_, index) => `![b${index}](x)`).join(" ");
    const call = `\`${JSON.stringify({ list: Array.from({ length: 400 }, () => ["a_b", "*"]) })}\` and *em*`;
    const words = `${"a_snake_case name and `code` of **it**. ".repeat(25)} *em*`;
    for (const line of [`${badges} *em*`, call, words]) {
      await drawn([line]);
      const found = await captures(2, Buffer.byteLength(line) - 3);
      expect(found, line.slice(0, 40)).toContain("@markup.italic.markdown_inline");
    }
  });

  it("bounds Neovim's own highlighter in a chat", async () => {
    await editor.openChat("own.md", ["💬: go"]);
    const isNeovims = await editor.lua<boolean>(
      `local buf = vim.api.nvim_get_current_buf()
      require("parley").setup({ highlight = "treesitter" })
      if not vim.treesitter.highlighter.active[buf] then vim.treesitter.start(buf, "markdown") end
      vim.cmd("redraw!")
      vim.api.nvim_buf_set_lines(buf, 0, -1, true, { "💬: go", "", ... })
      vim.cmd("redraw!")
      return vim.treesitter.highlighter.active[buf] ~= nil`,
      open,
    );
    expect(isNeovims).toBe(true);
  });

  it("shows words of servers and models in windows of their own", async () => {
    await editor.lua(`vim.api.nvim_create_autocmd("FileType", { pattern = "markdown", callback = function(args)
      vim.treesitter.start(args.buf, "markdown")
    end })`);
    const show = (line: string) =>
      editor.lua<[string, boolean]>(
        `require("parley.screen.windows.open").open({ "*what*", "", ... }, { title = "tool", filetype = "markdown" })
        vim.cmd("redraw!")
        local buf = vim.api.nvim_get_current_buf()
        return { vim.api.nvim_buf_get_lines(buf, 2, 3, true)[1], vim.treesitter.highlighter.active[buf] ~= nil }`,
        line,
      );
    expect(await show("words")).toEqual(["words", true]);
    for (const deep of tooDeep) expect(await show(deep)).toEqual([deep, false]);
    expect(await show(open)).toEqual([open, true]);
  });

  it("previews chats in the list", async () => {
    const preview = (lines: readonly string[]) =>
      editor.lua<boolean>(
        `local path = vim.fn.tempname()
        vim.fn.writefile(..., path)
        vim.cmd("new")
        require("parley.pickers.chat_preview").show(0, path, "")
        vim.cmd("redraw!")
        return vim.treesitter.highlighter.active[vim.api.nvim_get_current_buf()] ~= nil`,
        lines,
      );
    expect(await preview(["💬: go", "", open])).toBe(true);
    for (const deep of tooDeep) expect(await preview(["💬: go", "", deep])).toBe(false);
  });
});
