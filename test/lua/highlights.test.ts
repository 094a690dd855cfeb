/** Colours: of markers, questions and decisions, the rule between exchanges, and how well all of them are read. */
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Editor, neovims, poll, startEditor } from "./editor.ts";

const call = '❓: `{"id":"call_1","type":"function","function":{"name":"web_search"}}`';
const chat = ["💬: one", "", "🤖:[demo]", "", "Words.", "", call];

/** How far two colours (0xrrggbb) are apart, from 1 to 21 (WCAG 2, contrast ratio). */
function contrast(one: number, other: number): number {
  const luminance = (colour: number) => {
    const [red = 0, green = 0, blue = 0] = [16, 8, 0].map((shift) => {
      const part = ((colour >> shift) & 255) / 255;
      return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

describe.each(neovims)("looks on Neovim $version", (neovim) => {
  let editor: Editor;
  beforeEach(async () => {
    editor = await startEditor(neovim);
    await editor.openChat("show.md", chat);
  });
  afterEach(() => editor.quit());

  const marks = (namespace: string) =>
    editor.lua<unknown[]>(
      "return vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_create_namespace((...)), 0, -1, {})",
      namespace,
    );

  it("shows an unfinished mark in a word until more text comes", async () => {
    for (const [reason, word] of [
      ["open", "…"],
      ["stopped", "(stopped)"],
    ]) {
      const mark = `<!-- parley:unfinished ${reason} -->`;
      await editor.lua("vim.api.nvim_buf_set_lines(0, 3, 4, false, { (...) })", mark);
      await editor.nvim.command("redraw");
      expect((await editor.screen())[3]).toBe(word);
    }
  });

  it("draws what is next to a change as it is after it", async () => {
    const lines = ["💬: a", "", "🤖:[x]", "", "text", "", "💬: b", "more", "", "💬: c"];
    await editor.openChat("beside.md", lines);
    const rule = "─".repeat(20);
    const rows = async () =>
      (await editor.screen()).map((row) => (row.startsWith(rule) ? rule : row));
    const attribute = () => editor.lua("return vim.fn.screenattr(...)", 7, 1);
    await editor.nvim.command("redraw");
    expect((await rows())[5]).toBe(rule);
    const ofQuestion = await attribute();
    await editor.press("7Gdd");
    expect((await rows()).slice(4, 7)).toEqual(["text", "", "more"]);
    expect(await attribute()).not.toBe(ofQuestion);
    await editor.press("u7GO");
    expect((await rows()).slice(4, 8)).toEqual(["text", "", rule, "💬: b"]);
    await editor.press("new");
    expect((await rows()).slice(4, 8)).toEqual(["text", "", "new", "💬: b"]);
  });

  it("draws what is next to a marker that a change adds or removes", async () => {
    const lines = ["💬: a", "more", "", "🤖:[x]", "", "text", "", "💬: b", "more", "", "💬: c"];
    await editor.openChat("beside.md", lines);
    const setLine = (row: number, text: string) =>
      editor.lua("local row, text = ... vim.fn.setline(row, text)", row, text);
    const looks = async () => {
      const shown = (await editor.screen()).slice(0, lines.length);
      const colours = await editor.lua<number[]>(
        "return vim.tbl_map(function(row) return vim.fn.screenattr(row, 1) end, vim.fn.range(1, ...))",
        lines.length,
      );
      return shown.map((row, index) => `${colours[index]} ${row.slice(0, 20)}`);
    };
    /** What is on the screen is what it would be if all of it were drawn. */
    const isRight = async (what: string) => {
      // What the first one finds out is drawn by the second.
      await editor.nvim.command("redraw");
      await editor.nvim.command("redraw");
      const drawn = await looks();
      await editor.nvim.command("redraw!");
      expect(drawn, what).toEqual(await looks());
    };
    // A change above is no reason to forget what is below it.
    const changes = { 6: "texts", 8: "b", 11: "c", 7: "💬: x", 1: "a" };
    for (const [row, text] of Object.entries(changes)) {
      const before = lines[Number(row) - 1] ?? "";
      await setLine(Number(row), text);
      await isRight(`${row}: ${text}`);
      await setLine(Number(row), before);
      await isRight(`${row}: ${before}`);
    }
    for (const text of ["🤖:[y]", "💬: b"]) {
      await setLine(8, text);
      await isRight(text);
    }
    await editor.press("ggdd");
    await isRight("the first line deleted");
  });

  it("colours markers, and shortens step lines, where they are seen", async () => {
    const step = `<!-- parley:step {"model":"mock/demo","state":"${"x".repeat(20)}"} -->`;
    await editor.lua(
      "vim.api.nvim_buf_set_lines(0, 3, 4, false, { (...), '❓:[yn] `{}`', '\\\\💬: text' })",
      step,
    );
    await editor.nvim.command("redraw");
    expect((await editor.screen())[3]).toBe("step · mock/demo");
    const attribute = (row: number, column: number) =>
      editor.lua("return vim.fn.screenattr(...)", row, column);
    const plain = await attribute(8, 1);
    expect(await attribute(1, 1)).not.toBe(plain);
    expect(await attribute(3, 1)).not.toBe(plain);
    expect(await attribute(5, 5)).not.toBe(plain);
    expect(await attribute(6, 2)).toBe(plain);
    expect(await marks("parley.highlights")).toEqual([]);

    // Neovim's own colours on its own backgrounds; the rule is no text.
    for (const background of ["light", "dark"]) {
      const colours = await editor.lua<{ fg: Record<string, number>; bg: number }>(
        `vim.o.background = ...
        local fg = {}
        local normal = vim.api.nvim_get_hl(0, { name = "Normal" })
        for _, name in ipairs(vim.fn.getcompletion("Parley", "highlight")) do
          fg[name] = vim.api.nvim_get_hl(0, { name = name, link = false }).fg or normal.fg
        end
        return { fg = fg, bg = normal.bg }`,
        background,
      );
      const weak = Object.entries(colours.fg).filter(
        ([name, colour]) => name !== "ParleyRule" && contrast(colour, colours.bg) < 4.5,
      );
      expect({ background, weak }).toEqual({ background, weak: [] });
      expect(Object.keys(colours.fg).length).toBeGreaterThan(15);
    }
  });

  it("shows what a call is called with where a colour scheme hides the words of folds", async () => {
    // As astrodark has it.
    const ground = 0x26343f;
    const row = (folded: string) =>
      editor.lua<{ link?: string; fg?: number }>(
        `vim.o.background = "dark" vim.o.termguicolors = true
        vim.api.nvim_set_hl(0, "Folded", ${folded})
        vim.cmd("doautocmd ColorScheme")
        return vim.api.nvim_get_hl(0, { name = "ParleyRow" })`,
      );
    const { fg = 0 } = await row(`{ fg = 0x494d56, bg = ${ground} }`);
    expect(contrast(fg, ground)).toBeGreaterThan(4.5);
    expect((await row(`{ fg = 0xc0c0c0, bg = ${ground} }`)).link).toBe("Folded");
    const drawnAs = () =>
      editor.lua("return require('parley.screen.contrast').in_row('ParleyCall')");
    await editor.nvim.command("hi! ParleyCall guifg=#9854f1");
    await row("{ fg = 0x000000, bg = 0xa8aecb }");
    expect(await drawnAs()).toBe("ParleyRow");
    await row("{ fg = 0xffffff, bg = 0x101010 }");
    expect(await drawnAs()).toBe("ParleyCall");
    await editor.nvim.command("hi! link ParleyRow Todo");
    expect((await row(`{ fg = 0x494d56, bg = ${ground} }`)).link).toBe("Todo");
  });

  it("can be read with every colour scheme of Neovim, and leaves what a user chose", async () => {
    const weak = await editor.lua<{ looks: string; ink: number; ground: number }[]>(
      `vim.o.termguicolors = true
      local found = {}
      for _, background in ipairs({ "light", "dark" }) do
        for _, scheme in ipairs(vim.fn.getcompletion("", "color")) do
          vim.o.background = background
          vim.cmd.colorscheme(scheme)
          local normal = vim.api.nvim_get_hl(0, { name = "Normal", link = false })
          local is_dark = vim.o.background == "dark"
          for _, name in ipairs(vim.fn.getcompletion("Parley", "highlight")) do
            local chosen = vim.api.nvim_get_hl(0, { name = name }).link
            local own = vim.api.nvim_get_hl(0, { name = name, link = false })
            local ink = own.fg or normal.fg or (is_dark and 0xffffff or 0)
            local ground = own.bg or normal.bg or (is_dark and 0 or 0xffffff)
            if chosen ~= "Comment" and chosen ~= "NonText" then
              local looks = table.concat({ vim.o.background, scheme, name, chosen }, " ")
              table.insert(found, { looks = looks, ink = ink, ground = ground })
            end
          end
        end
      end
      return found`,
    );
    expect(weak.length).toBeGreaterThan(400);
    expect(weak.filter(({ ink, ground }) => contrast(ink, ground) < 3)).toEqual([]);
    // What a user chose while a chat was open.
    await editor.nvim.command("colorscheme default | hi! link ParleyYes Todo");
    await editor.nvim.command("doautocmd ColorScheme");
    const links = await editor.lua<string[]>(
      `return vim.tbl_map(function(name)
        return vim.api.nvim_get_hl(0, { name = name }).link
      end, { "ParleyYes", "ParleyWaiting" })`,
    );
    expect(links).toEqual(["Todo", "DiagnosticWarn"]);
  });

  it("survives <C-c> in the middle of a redraw", async () => {
    await editor.openChat("rules.md", ["💬: a", "", "💬: b", "", "💬: c"]);
    await editor.lua(`for _, name in ipairs({ "getwininfo", "line" }) do
        local ask = vim.fn[name]
        vim.fn[name] = function(...)
          if Interrupts then error("Keyboard interrupt") end
          return ask(...)
        end
      end`);
    for (let time = 0; time < 6; time += 1) {
      await editor.lua("Interrupts = true vim.cmd('redraw!') Interrupts = false");
    }
    await editor.lua("vim.cmd('redraw!')");
    expect(await editor.lua("return vim.v.errmsg .. vim.fn.execute('messages')")).toBe("");
    expect((await editor.screen()).filter((row) => row.startsWith("────"))).toHaveLength(2);
  });

  it("colours a whole question, and draws a rule above each but the first, at any width", async () => {
    const text = ["---", "topic: x", "---", "", "💬: one", "", "more", ...chat.slice(1, 5), ""];
    await editor.lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, ...)", [
      ...text,
      "💬: two",
      "more",
      "",
      "",
      "\\💬: text",
      "🔒: mine",
      "secret",
    ]);
    const looks = () =>
      editor.lua<[string[], number[]]>(`vim.cmd.redraw()
        local texts, colours = {}, {}
        for row = 1, vim.fn.line("$") do
          local at = vim.fn.screenpos(0, row, 1).row
          colours[row] = vim.fn.screenattr(at, vim.fn.screenpos(0, row, 1).col)
          texts[row] = vim.fn.screenstring(at, vim.api.nvim_win_get_width(0) - 1)
        end
        return { texts, colours }`);
    const rows = [...text, "💬: two", "more", "", "", "\\💬: text", "🔒: mine", "secret"];
    const at = (words: string) => rows.lastIndexOf(words);
    const check = async () => {
      const [ends, colours] = await looks();
      const question = colours[at("💬: two")];
      expect(colours[at("more")]).toBe(question);
      expect(colours[rows.indexOf("more")]).toBe(question);
      expect(colours[at("\\💬: text")]).toBe(question);
      for (const other of ["Words.", "secret"]) expect(colours[at(other)]).not.toBe(question);
      return ends.flatMap((end, row) => (end === "─" ? [row] : []));
    };
    const above = rows.indexOf("💬: two") - 1;
    expect(await check()).toEqual([above]);
    expect(await editor.lua("return vim.o.columns")).toBe(100);
    for (const columns of [41, 100]) {
      await editor.nvim.command(`set columns=${columns} signcolumn=yes`);
      expect(await check()).toEqual([above]);
    }
    await editor.lua("vim.o.fillchars, vim.o.listchars, vim.o.ambiwidth = '', '', 'double'");
    const wide = (await editor.screen())[above] ?? "";
    expect(await editor.lua("return vim.fn.strdisplaywidth(...)", wide.trim())).toBeLessThanOrEqual(
      98,
    );
    expect(wide.trim()).toMatch(/^─+$/);
    await editor.lua(
      "require('parley').setup({ chat_dir = ..., turn_rule = false })",
      join(editor.folder, "chats"),
    );
    await editor.nvim.command("redraw!");
    expect((await editor.screen()).join("")).not.toContain("──");
    expect(await marks("parley.highlights")).toEqual([]);
  });

  it("breaks long lines between words in windows of chats alone, once in each", async () => {
    const [broken, own] = [
      [true, true],
      [false, false],
    ];
    const breaks = () =>
      editor.lua<boolean[][]>(
        `return vim.tbl_map(function(win)
          return { vim.wo[win].wrap, vim.wo[win].linebreak }
        end, vim.api.nvim_list_wins())`,
      );
    const other = editor.writeChat("../note.md", ["a note"]);
    await editor.lua("vim.o.wrap = false vim.cmd('bwipeout!')");
    const words = "- ".concat("long ".repeat(100));
    await editor.openChat("wide.md", ["💬: one", "", "🤖:[x]", "", words]);
    expect(await breaks()).toEqual([broken]);
    const rows = (await editor.screen()).filter((row) => row.includes("long"));
    expect(rows.length).toBeGreaterThan(2);
    for (const row of rows) expect(row).toMatch(/^(?:- )?(?:long ?)+$/);
    await editor.lua("vim.cmd.edit((...))", other);
    expect(await breaks()).toEqual([own]);
    await editor.nvim.command("buffer wide.md | vsplit");
    expect(await breaks()).toEqual([broken, broken]);
    // As a user likes it in one of them.
    await editor.nvim.command("setlocal nowrap nolinebreak | edit # | buffer wide.md");
    expect(await breaks()).toEqual([own, broken]);
    await editor.nvim.command("Parley detach");
    expect(await breaks()).toEqual([own, own]);
    await editor.nvim.command("only!");
    await editor.lua(
      "require('parley').setup({ chat_dir = ..., wrap = false }) vim.cmd('Parley attach')",
      join(editor.folder, "chats"),
    );
    expect(await breaks()).toEqual([own]);
  });

  it("looks the same where a plugin read the chat before a window showed it", async () => {
    await editor.openChat("here.md", ["💬: here"]);
    const answer = ["💬: one", "", "🤖:[x]", "", "long ".repeat(100), "", "💬: two"];
    const path = editor.writeChat("unseen.md", answer);
    await editor.lua("vim.fn.bufload(vim.fn.bufadd((...)))", path);
    await poll("its attach message", async () =>
      (await editor.received("attach")).some((message) => message["path"] === path),
    );
    await editor.nvim.command("buffer unseen.md");
    const seen = () => editor.lua("return { vim.wo.linebreak, vim.fn.line('.') }");
    await poll("its last question", async () => isDeepStrictEqual(await seen(), [true, 7]));
  });
});
