/** Colours of Markdown: the same cells as Neovim's tree-sitter highlighter, and work that the length does not change. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { projectRoot } from "../../scripts/lib/paths.mjs";
import { type Editor, neovims, poll, startEditor } from "./editor.ts";

const fixtures = join(projectRoot, "test", "oracle", "fixtures");
/** There a marker in a fence ends it, as the format has it; Markdown goes on with the fence. */
const markersInFences = [
  "lua-call.md",
  "marker-in-fence.md",
  "unclosed-fence.md",
  "unclosed-result.md",
];

function texts(): Map<string, string[]> {
  const paths = readdirSync(fixtures)
    .filter((name) => name.endsWith(".md") && !markersInFences.includes(name))
    .map((name) => join(fixtures, name));
  paths.push(join(projectRoot, "doc", "format.md"));
  return new Map(paths.map((path) => [path, readFileSync(path, "utf8").split("\n")]));
}

function chatOf(exchanges: number): string[] {
  const exchange = (index: number) => [
    `💬: question ${index} with *emphasis*`,
    "",
    "🤖:[demo]",
    "",
    "Words, **bold** ones and `code`.",
    "",
    "```lua",
    `local value = ${index}`,
    "```",
    "",
  ];
  return [...Array.from({ length: exchanges }, (_, index) => exchange(index)).flat(), "💬: "];
}

describe.each(neovims)("colours on Neovim $version", (neovim) => {
  let editor: Editor;
  beforeAll(async () => {
    editor = await startEditor(neovim);
    await editor.lua(
      `package.path = ... .. "/?.lua;" .. package.path
      vim.cmd("filetype plugin on")`,
      join(projectRoot, "test", "lua"),
    );
    await editor.lua("require('colours').count()");
  });
  afterAll(() => editor.quit());

  const isParley = () =>
    editor.lua<boolean>(`local buf = vim.api.nvim_get_current_buf()
      return require("parley.colours.frames").of(buf) ~= nil
        and vim.treesitter.highlighter.active[buf] == nil`);

  /** A chat whose colours are tree-sitter's, also where Neovim does not begin with them. */
  async function openColoured(name: string, lines: readonly string[]): Promise<void> {
    await editor.openChat(name, lines);
    await editor.lua(`local buf = vim.api.nvim_get_current_buf()
      if not require("parley.colours.frames").of(buf) then vim.treesitter.start(buf, "markdown") end
      vim.cmd("redraw")`);
    expect(await isParley()).toBe(true);
  }

  it("gives every cell of texts and chats what tree-sitter gives it", async () => {
    for (const [path, lines] of texts()) {
      const found = await editor.lua("return require('colours').text(...)", lines);
      expect(found, path).toEqual([]);
    }
  });

  it("does so where the end of a list item ends an HTML block, and a fence begins", async () => {
    for (const [open, close] of [
      ["<pre>", "</pre>"],
      ["<!-- a", "-->"],
    ]) {
      const code = ["```lua", close, "", "local x = 1 -- *em*", "", "return x", "```", "", "*em*"];
      const lines = ["💬: go", "", "- item", `  ${open}`, ...code];
      expect(await editor.lua("return require('colours').text(...)", lines), open).toEqual([]);
    }
  });

  it("does so in a fold that is opened", async () => {
    const found = await editor.lua("return require('colours').unfolded(...)", chatOf(20));
    expect(found).toEqual([]);
  });

  it("does so after edits in texts that nobody thought of", async () => {
    expect(await editor.lua("return require('colours').random(7, 25)")).toEqual([]);
  });

  it("parses the piece that a key is in, in a long chat as in a short one", async () => {
    const perKey = [];
    for (const exchanges of [10, 1000]) {
      await openColoured(`keys-${exchanges}.md`, chatOf(exchanges));
      await editor.press("GA");
      await editor.lua("BEFORE_LINES, LINES = vim.api.nvim_buf_get_lines, 0");
      await editor.lua(`vim.api.nvim_buf_get_lines = function(...)
        local lines = BEFORE_LINES(...)
        -- What a chat holds is looked at in pieces after it is opened; a letter has no part in that.
        if not debug.getinfo(2, "S").source:find("unfolded.lua", 1, true) then LINES = LINES + #lines end
        return lines
      end`);
      await editor.lua("require('colours').parses, require('colours').bytes = 0, 0");
      for (const key of "some **words**") {
        await editor.press(key);
        await editor.nvim.command("redraw");
      }
      await editor.press("<Esc>");
      perKey.push(
        await editor.lua<Record<string, number>>(`
        vim.api.nvim_buf_get_lines = BEFORE_LINES
        local counted = require('colours')
        return { parses = counted.parses, bytes = counted.bytes, lines = LINES }`),
      );
    }
    const [short, long] = perKey;
    // A screen is drawn in the first, and what was scrolled out of it may be looked at once.
    expect(long?.parses).toBeLessThanOrEqual(16);
    expect(long?.bytes).toBeLessThanOrEqual(1000);
    expect(short?.parses).toBeLessThanOrEqual(16);
    expect(long?.lines).toBeLessThanOrEqual(14 * 60 + 100);
  });

  it.each([
    ["alone", []],
    ["below a closed fold", ["💬: and", "", ...chatOf(20)]],
  ])("finds the colours of what streams a few times a second, %s", async (_, above) => {
    await openColoured(`stream-${above.length}.md`, [
      ...above,
      "💬: go",
      "",
      "🤖:[demo]",
      "",
      "w",
      "<!-- parley:unfinished open -->",
    ]);
    const counts = await editor.lua<{ parses: number; ms: number; bold: boolean }>(
      `local folded = ...
      vim.cmd("normal! gg")
      if folded > 0 then vim.cmd(("3,%dfold | redraw"):format(folded)) end
      local buf = vim.api.nvim_get_current_buf()
      local rpc, counted = require("parley.rpc"), require("colours")
      local tick, row = vim.api.nvim_buf_get_changedtick(buf), vim.fn.search("^w$") - 1
      local opened = rpc.call("tip_open", buf, tick, row, row - 2, "g", {})
      counted.parses = 0
      local begun, prefix = vim.uv.hrtime() / 1e6, "w"
      -- Until the first look, which is put off for as long as the last one took two hundred times.
      for index = 1, 600 do
        if index > 60 and counted.parses > 0 then break end
        local word = " **word" .. index .. "**"
        assert(rpc.call("tip_write", buf, opened.id, prefix, word, "g").status == "written")
        prefix = prefix .. word
        vim.cmd("redraw")
        vim.uv.sleep(5)
      end
      local ms, parses = vim.uv.hrtime() / 1e6 - begun, counted.parses
      rpc.call("tip_close", buf, opened.id)
      vim.cmd("silent write | redraw")
      local shown = vim.fn.screenpos(0, row + 1, 1).row
      local bold = vim.fn.screenattr(shown, 6) ~= vim.fn.screenattr(shown, 1)
      return { parses = parses, ms = ms, bold = bold }`,
      above.length,
    );
    expect(counts.parses).toBeGreaterThan(0);
    // The piece above it may be read once more.
    expect(counts.parses).toBeLessThanOrEqual(counts.ms / 100 + 2);
    expect(counts.bold).toBe(true);
  });

  it("draws the first words of an answer before it looks for their colours", async () => {
    await openColoured("first.md", ["💬: go"]);
    const { parses, bold } = await editor.lua<{ parses: number; bold: boolean }>(
      `local rpc, counted = require("parley.rpc"), require("colours")
      local buf, row = vim.api.nvim_get_current_buf(), 4
      local opening = { start = 1, ["end"] = 1, lines = { "", "🤖:[demo]", "", "", "<!-- parley:unfinished open -->" } }
      local tick = vim.api.nvim_buf_get_changedtick(buf)
      OPENED = rpc.call("tip_open", buf, tick, row, 2, "g", { opening }).id
      vim.cmd("redraw")
      -- Longer than the colours that were found at its opening keep others waiting.
      vim.wait(1000)
      counted.parses = 0
      rpc.call("tip_write", buf, OPENED, "", "plain **bold**", "g")
      vim.cmd("redraw")
      local shown = vim.fn.screenpos(0, row + 1, 1).row
      local bold = vim.fn.screenattr(shown, 9) ~= vim.fn.screenattr(shown, 1)
      return { parses = counted.parses, bold = bold }`,
    );
    expect({ parses, bold }).toEqual({ parses: 0, bold: false });
    await poll("the colours", () =>
      editor.lua<boolean>(`vim.cmd("redraw")
        local row = vim.fn.screenpos(0, 5, 1).row
        return vim.fn.screenattr(row, 9) ~= vim.fn.screenattr(row, 1)`),
    );
    await editor.lua(
      "require('parley.rpc').call('tip_close', vim.api.nvim_get_current_buf(), OPENED)",
    );
  });

  it("lets nothing wait for a paragraph that grew by much at once, and colours it a moment later", async () => {
    const words = Array.from({ length: 40 }, (_, index) => `line ${index} of **words**`);
    await openColoured("long.md", ["💬: go", "", "🤖:[demo]", "", ...words]);
    const drawn = await editor.lua<number>(
      `local counted, lines = require("colours"), {}
      vim.cmd("normal! G")
      vim.api.nvim_buf_set_lines(0, -1, -1, false, { "one **more**" })
      vim.cmd("redraw")
      for index = 1, 3000 do lines[index] = "and **line** " .. index end
      counted.bytes = 0
      vim.api.nvim_buf_set_lines(0, -1, -1, false, lines)
      vim.cmd("normal! Gzb")
      vim.cmd("redraw")
      return counted.bytes`,
    );
    expect(drawn).toBeLessThan(10_000);
    const streaming = await editor.lua<number>(
      `local rpc, buf = require("parley.rpc"), vim.api.nvim_get_current_buf()
      local tick, row = vim.api.nvim_buf_get_changedtick(buf), vim.api.nvim_buf_line_count(buf) - 1
      OPENED = rpc.call("tip_open", buf, tick, row, 2, "g", {}).id
      for index = 1, 6 do
        rpc.call("tip_write", buf, OPENED, vim.api.nvim_buf_get_lines(buf, -2, -1, true)[1], " on", "g")
        vim.cmd("redraw")
        vim.wait(50)
      end
      return require("colours").bytes`,
    );
    expect(streaming).toBeLessThan(20_000);
    await editor.lua(
      "require('parley.rpc').call('tip_close', vim.api.nvim_get_current_buf(), OPENED)",
    );
    await poll("the colours", () =>
      editor.lua<boolean>(`vim.cmd("redraw")
        local row = vim.fn.screenpos(0, vim.fn.line("$"), 1).row
        return vim.fn.screenattr(row, 7) ~= vim.fn.screenattr(row, 1)`),
    );
  });

  it("lets nothing wait for much that is added to a piece whose tree is kept", async () => {
    const words = Array.from({ length: 100 }, (_, index) => `line ${index}`);
    await openColoured("tree.md", ["💬: go", "", "🤖:[demo]", "", ...words]);
    const bytes = await editor.lua<number>(
      `local counted, lines = require("colours"), {}
      for index = 1, 90 do lines[index] = ("and **more** "):rep(80) end
      vim.cmd("normal! G")
      vim.api.nvim_buf_set_lines(0, -1, -1, false, { "one **more**" })
      vim.cmd("redraw")
      counted.bytes = 0
      vim.api.nvim_buf_set_lines(0, -1, -1, false, lines)
      vim.cmd("normal! Gzb")
      vim.cmd("redraw")
      return counted.bytes`,
    );
    expect(bytes).toBeLessThan(10_000);
  });

  it("loses no turn when everything above the tip, and the tip, are deleted", async () => {
    await openColoured("gone.md", ["🤖:[demo]", "w", "<!-- parley:unfinished open -->"]);
    await editor.lua(`
      local buf = vim.api.nvim_get_current_buf()
      local rpc, tick = require("parley.rpc"), vim.api.nvim_buf_get_changedtick(buf)
      local opened = rpc.call("tip_open", buf, tick, 1, 0, "g", {})
      for _, keys in ipairs({ "ggdd", "ggdd", "u", "ggdd", "dG" }) do
        vim.cmd("normal! " .. keys)
        vim.cmd("redraw")
      end
      rpc.call("tip_close", buf, opened.id)
      vim.cmd("redraw")`);
    expect(await isParley()).toBe(true);
  });

  it("leaves them to Neovim where lines are hidden, where it is set, and in no chat", async () => {
    const isNeovims = () =>
      editor.lua<boolean>(
        "return vim.treesitter.highlighter.active[vim.api.nvim_get_current_buf()] ~= nil",
      );
    await openColoured("given.md", chatOf(2));
    const setUp = (options: Record<string, string>) =>
      editor.lua("require('parley').setup(...) vim.cmd('redraw!')", {
        chat_dir: join(editor.folder, "chats"),
        ...options,
      });
    await setUp({ highlight: "treesitter" });
    expect(await isNeovims()).toBe(true);
    await setUp({});
    expect(await isParley()).toBe(true);
    if (!neovim.version.startsWith("0.10")) {
      await editor.nvim.command("setlocal conceallevel=2 | redraw!");
      expect(await isNeovims()).toBe(true);
      await editor.nvim.command("setlocal conceallevel=0 | redraw!");
      expect(await isNeovims()).toBe(true);
    }
    await openColoured("given-2.md", chatOf(2));
    await editor.nvim.command("Parley detach");
    await poll("Neovim's colours", isNeovims);
  });

  it("gives them back, and says why, when something fails", async () => {
    await openColoured("fails.md", chatOf(2));
    await editor.lua(`local frames = require("parley.colours.frames")
      local update = frames.update
      frames.update = function() error("no such query") end
      vim.api.nvim_buf_set_lines(0, 0, 0, false, { "new" })
      vim.cmd("redraw")
      frames.update = update`);
    expect(await isParley()).toBe(false);
    await poll("the message", () =>
      editor.lua<boolean>("return table.concat(Notified):find('no such query') ~= nil"),
    );
  });

  it("tells spelling which words are text", async () => {
    await openColoured("spell.md", [
      "💬: go",
      "",
      "🤖:[demo]",
      "",
      "`baad` text",
      "",
      "wordd here",
    ]);
    await editor.lua("vim.wo.spell = true vim.bo.spelllang = 'en' vim.cmd('redraw!')");
    await editor.press("gg]s");
    expect(await editor.lua("return vim.fn.expand('<cword>')")).toBe("wordd");
  });
});
