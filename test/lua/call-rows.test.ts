/** Settled calls as rows: what is on the screen, and that every command does to the text what it does without. */
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { call, result } from "./call-lines.ts";
import { type Editor, neovims, poll, startEditor } from "./editor.ts";

const head = ["---", "topic: x", "---", "", "💬: hi", "", "🤖:[x]", ""];
const chat = [
  ...head,
  call(1, "web_search", { query: "stock price", limit: 3 }),
  ...result(1, ['`{"matches":[1,2,3]}`']),
  call(2, "edit_file", { path: "src/a.ts", old_text: "1\n2\n3\n", new_text: "x" }, "[yo]"),
  ...result(2, ["```", "one", "two", "```"]),
  call(3, "run", { words: "long ".repeat(60) }, "[yn]"),
  ...result(3, ["`no`"], " (declined)"),
  "done",
  "",
  "💬: ",
];
const firstCall = head.length + 1;

describe.each(neovims)("settled calls on Neovim $version", (neovim) => {
  let editor: Editor;
  beforeEach(async () => {
    editor = await startEditor(neovim);
    await editor.openChat("calls.md", chat);
    await editor.press("gg");
    await poll("the rows", async () => (await row(1)).includes('web_search "stock'));
  });
  afterEach(() => editor.quit());

  const row = async (call: number) => (await editor.screen())[firstCall - 2 + call] ?? "";
  const text = async () => (await editor.lines()).join("\n");

  it("are one row each, with what came back in sight", async () => {
    expect(await row(1)).toMatch(/^❓\s?\[ya\] web_search "stock price" 3 · 3 results\s*$/);
    expect(await row(2)).toMatch(/^❓\s?\[yo\] edit_file src\/a\.ts \+1 −3 · 2 lines\s*$/);
    expect(await row(3)).toMatch(/^❓\s?\[yn\] run "long .*…"? · declined\s*$/);
    expect((await editor.screen())[firstCall + 3]).toMatch(/^done/);
    // A fold of one line hides nothing, as a diff makes them.
    const before = (await editor.screen())[0];
    await editor.nvim.command("1fold");
    expect((await editor.screen())[0]).toBe(before);
  });

  it("open where the cursor is, and close behind it", async () => {
    await editor.press(`${firstCall}G`);
    await poll("the text", async () => (await row(1)).includes('{"id":"c1"'));
    await editor.press("G");
    await poll("the row", async () => (await row(1)).includes("3 results"));
  });

  it("are rows again where another way of folding comes back at each event", async () => {
    // As vim-markdown has it: all of a chat is one closed fold.
    await editor.lua(`vim.api.nvim_create_autocmd({ "InsertEnter", "InsertLeave" }, {
      buffer = 0,
      command = "setlocal foldmethod=expr foldlevel=0 foldexpr=v:lnum==1?'>1':1",
    })`);
    await editor.press("GAtyped<Esc>");
    await poll("the text", async () => (await text()).endsWith("💬: typed"));
    await poll("the row", async () => (await row(1)).includes("3 results"));
    expect(await editor.lua("return { vim.wo.foldmethod, vim.fn.foldlevel(2) }")).toEqual([
      "manual",
      0,
    ]);
  });

  it("leave a wider fold open when the cursor leaves one whose own fold is gone", async () => {
    // As plugins do that fold everything in their own way.
    await editor.press(`${firstCall}G`);
    await poll("the text", async () => (await row(1)).includes('{"id":"c1"'));
    await editor.nvim.command(`normal! zE`);
    await editor.nvim.command(`5,${firstCall + 4}fold | ${firstCall}foldopen`);
    await editor.press("k");
    await poll("the cursor", async () => (await editor.nvim.call("line", ["."])) === firstCall - 1);
    expect(await editor.nvim.call("foldclosed", [firstCall])).toBe(-1);
    expect(await row(1)).toContain('{"id":"c1"');
  });

  it.each([
    ["one key after another", ["gg", `${firstCall}G`, "x"]],
    ["a burst", [`gg${firstCall - 1}jx`]],
    ["a macro", [`ggqa${firstCall - 1}jxq`]],
    ["a search", ["gg/web_search\r0x"]],
  ])("lose one character to x after %s", async (_, keys) => {
    for (const part of keys) await editor.press(part);
    const expected = chat.with(firstCall - 1, (chat[firstCall - 1] ?? "").replace("❓", ""));
    await poll("the character", async () => (await text()) === expected.join("\n"));
    await editor.press("u");
    await poll("the undo", async () => (await text()) === chat.join("\n"));
  });

  it("are made as results come, also where the window folds in another way", async () => {
    await editor.nvim.command("set foldmethod=indent");
    const lines = [...head, call(1, "f", {}), "", "💬: "];
    const buffer = await editor.openChat("other.md", lines);
    await editor.press("gg");
    // As a call below that waited may leave it, on a line of the result.
    await editor.lua("vim.cmd((...) .. 'fold')", firstCall);
    await editor.lua("vim.cmd((...) .. 'fold')", firstCall);
    await editor.lua("vim.cmd((...) .. 'fold')", firstCall + 1);
    await editor.call(
      "apply",
      buffer,
      await editor.tick(),
      [{ start: firstCall, end: firstCall, lines: result(1, ["`fine`"]) }],
      "a",
    );
    await poll("the row", async () => (await row(1)).includes("f · fine"));
    await editor.press(`${firstCall}G`);
    await poll("the call", async () => (await editor.screen()).join("\n").includes("`fine`"));
    expect((await editor.screen()).join("\n")).not.toContain("1 lines");
    await editor.press("gg");
    await poll("the row again", async () => (await row(1)).includes("f · fine"));
    await editor.nvim.command("enew");
    expect(
      (await editor.nvim.command("echo")) ?? (await editor.lua("return vim.wo.foldmethod")),
    ).toBe("indent");
    await editor.nvim.command("buffer other.md");
    expect(await editor.lua("return vim.wo.foldmethod")).toBe("manual");
    await editor.nvim.command("Parley detach");
    const [method, text, level] = await editor.lua<[string, string, number]>(
      "return { vim.wo.foldmethod, vim.wo.foldtext, vim.fn.foldlevel((...)) }",
      firstCall,
    );
    expect([method, level]).toEqual(["indent", 0]);
    expect(text).not.toContain("parley");
  });

  it("are rows before their results are there, as those are that wait for others", async () => {
    const waiting = [call(1, "f", {}), call(2, "g", {}, ""), call(3, "h", {}, "[yO]")];
    await editor.openChat("waiting.md", [...head, ...waiting]);
    await editor.press("gg");
    await poll("the rows", async () => (await row(3)).includes("[yO] h · approved"));
    expect(await row(1)).toContain("[ya] f · approved");
    expect(await row(2)).toContain('{"id":"c2"');
  });

  it.each([1, 2])("are rows with their results where %s lines fit into a reading", async (fit) => {
    const before = Array.from({ length: 2000 - fit - head.length }, () => "text");
    const lines = [...head, ...before, call(1, "f", {}), ...result(1, ["`fine`"]), "done"];
    await editor.openChat("long.md", lines);
    await editor.press("G");
    await poll("the row", async () => (await editor.screen()).join().includes("f · fine"));
  });

  it("are rows too where the text has backticks or characters that nobody sees", async () => {
    const span = (text: string) => `\`\`\`${text}\`\`\``;
    const odd = call(1, "search", { query: "a\u0000b\u202e" });
    const fenced = call(2, "search", { query: "c" });
    await editor.openChat("odd.md", [
      ...[...head, odd, ...result(1, [span('{"a":"`` `"}')])],
      ...["Between.", "", fenced, ...result(2, ["```", "d", "```"]), "done", "", "💬: "],
    ]);
    await editor.press("gg");
    await poll("the rows", async () => (await row(5)).includes("search c · 1 line"));
    expect(await row(1)).toMatch(/search "a\^@b<202e>" · \{"a":"`` `"\}$/);
    expect((await editor.screen()).join("\n")).toContain("Between.");
  });

  it("take 40 rows for 30 of them", async () => {
    const calls = Array.from({ length: 30 }, (_, index) => [
      call(index, "read_file", { path: `src/${index}.ts`, limit: 200 }),
      ...result(index, ["```", "text", "```"]),
    ]);
    await editor.nvim.request("nvim_ui_try_resize", [80, 42]);
    await editor.openChat("many.md", [...head, ...calls.flat(), "done", "", "💬: "]);
    await poll("all of them", async () => {
      const rows = await editor.screen();
      return (
        rows.filter((each) => /read_file src\/\d+\.ts 200 · 1 line$/.test(each)).length === 30 &&
        rows.slice(0, 40).some((each) => each === "done")
      );
    });
  });

  it("are plain text when told so", async () => {
    const setup = "require('parley').setup({ chat_dir = ..., fold_calls = false })";
    await editor.lua(setup, join(editor.folder, "chats"));
    await editor.openChat("plain.md", chat);
    await editor.press("gg");
    await poll("the text", async () => (await row(1)).includes('{"id":"c1"'));
  });

  /** Rows of the text, from the first call on. */
  const shown = async () => (await editor.screen()).slice(firstCall - 1, firstCall + 4);

  const comeAndGo = {
    "a call": `${firstCall}Gddu`,
    "the line above it": `${firstCall - 1}Gddu`,
    "two lines above it and a call": `${firstCall - 2}G3ddu`,
    "the line between two calls": `${firstCall + 2}Gddu`,
    "all lines": ":%d<CR>u",
    "all lines, by a put": "ggdGpggdd",
    "all lines, by a filter": ":silent %!cat<CR>",
    "all calls, by a move": `:${firstCall},$-3move 0<CR>u`,
    "a mark that was broken": `${firstCall}GxxxxxxU`,
  };

  it("are rows again when lines went and came back", async () => {
    const before = await shown();
    for (const [what, keys] of Object.entries(comeAndGo)) {
      await editor.press(keys);
      await editor.press("gg");
      await poll(`the rows after ${what}`, async () => String(await shown()) === String(before));
      expect(await editor.lines(0)).toEqual(chat);
    }
  });

  it("are rows again behind a diff, which shows them as they are written", async () => {
    await editor.nvim.command("diffthis");
    await poll("the text", async () => (await row(1)).includes('{"id":"c1"'));
    await editor.nvim.command("diffoff");
    await poll("the row", async () => (await row(1)).includes("3 results"));
    // Beside an equal text all of it is one fold.
    const before = await shown();
    await editor.lua(`local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
      vim.cmd("vertical new | setlocal buftype=nofile")
      vim.api.nvim_buf_set_lines(0, 0, -1, false, lines)
      vim.cmd("diffthis | wincmd p | diffthis")`);
    await poll("the fold", async () => (await editor.nvim.call("foldclosed", [1])) === 1);
    await editor.nvim.command("diffoff! | wincmd o");
    await poll("the rows", async () => String(await shown()) === String(before));
    // Whoever folds nothing has rows neither before nor behind it.
    await editor.nvim.command("set nofoldenable | diffthis | diffoff | redraw");
    await poll("the text", async () => (await row(1)).includes('{"id":"c1"'));
  });

  it("lose no fold or mark of the user, where a diff ends or the chat does", async () => {
    const settle = () =>
      editor.lua(`local is_over = false
        vim.schedule(function() is_over = true end)
        vim.wait(5000, function() return is_over end)`);
    // `:windo diffoff` comes to windows without a diff, too.
    await editor.nvim.command("2,3fold | diffoff");
    await settle();
    expect(await editor.nvim.call("foldclosed", [2])).toBe(2);
    const marked = ["a {{{", "b }}}", ...chat];
    await editor.openChat("marked.md", marked);
    await editor.nvim.command("setlocal foldmethod=marker | Parley detach");
    expect(await editor.lines()).toEqual(marked);
    await editor.lua(`require("parley").setup({ fold_calls = false })`);
    await editor.nvim.command("Parley attach | setlocal foldmethod=marker | diffthis | diffoff");
    await settle();
    expect(await editor.lines()).toEqual(marked);
  });

  it("are rows of a file that was read again, and of text that changed out of sight", async () => {
    const before = await shown();
    const again = async () => String(await shown()) === String(before);
    await editor.nvim.command("silent write");
    await editor.nvim.command("edit!");
    await editor.press("gg");
    await poll("the rows after :e!", again);
    await editor.lua("Chat = vim.api.nvim_get_current_buf() vim.o.hidden = true");
    await editor.nvim.command("enew");
    await editor.lua(`local lines = vim.api.nvim_buf_get_lines(Chat, 0, -1, false)
      vim.api.nvim_buf_set_lines(Chat, 0, -1, false, { "" })
      vim.api.nvim_buf_set_lines(Chat, 0, -1, false, lines)`);
    await editor.nvim.command("buffer #");
    await editor.press("gg");
    await poll("the rows after a while away", again);
  });

  it("are followed by one listener, however often the file is not a chat for a while", async () => {
    await editor.lua(`Attached = 0
      local attach = vim.api.nvim_buf_attach
      vim.api.nvim_buf_attach = function(...)
        local is_ours = debug.getinfo(2, "S").source:find("unfolded.lua", 1, true)
        Attached = Attached + (is_ours and 1 or 0)
        return attach(...)
      end`);
    for (const [change, listeners] of [
      ["", 0],
      ["call setline(5, '💬: ho')", 1],
    ] as const) {
      await editor.nvim.command("Parley detach");
      await editor.press("gg");
      await poll("the text", async () => (await row(1)).includes('{"id":"c1"'));
      await editor.nvim.command(change);
      await editor.nvim.command("Parley attach");
      await poll("the row", async () => (await row(1)).includes("3 results"));
      expect(await editor.lua("return Attached")).toBe(listeners);
    }
  });

  it("are made once while they are seen, and kept no longer than some hundred others", async () => {
    const made = await editor.lua<number[]>(
      `local line, made, decode = ..., 0, vim.json.decode
      vim.json.decode = function(...)
        made = made + 1
        return decode(...)
      end
      local function read(first, last)
        made = 0
        for number = first, last do
          require("parley.screen.calls.call_row").chunks({ (line:gsub("words", number)) }, 80)
        end
        return made > 0 and 1 or 0
      end
      local found = { read(1, 40), read(1, 40), read(41, 100), read(1, 40), read(200, 450), read(1, 40) }
      vim.json.decode = decode
      return found`,
      call(1, "f", { a: "words" }),
    );
    expect(made).toEqual([1, 0, 1, 0, 1, 1]);
  });

  it("are cut by a few looks at the text, however long it is", async () => {
    const { cut, looks } = await editor.lua<{ cut: string; looks: number }>(
      `local looks, width = 0, vim.api.nvim_strwidth
      vim.api.nvim_strwidth = function(text) looks = looks + 1 return width(text) end
      local cut = require("parley.screen.wrap").cut(("ab漢e\u{301}"):rep(100000), 20)
      vim.api.nvim_strwidth = width
      return { cut = cut, looks = looks }`,
    );
    expect(cut).toBe(`${"ab漢e\u0301".repeat(3)}ab漢…`);
    expect(looks).toBeLessThan(30);
    // Where an ellipsis takes two cells, what follows in the row has its place all the same.
    expect(
      await editor.lua(`vim.o.fillchars, vim.o.listchars, vim.o.ambiwidth = "", "", "double"
        return vim.api.nvim_strwidth(require("parley.screen.wrap").cut(("漢"):rep(30), 20))`),
    ).toBe(20);
  });
});

describe.each(neovims)("a chat of many settled calls on Neovim $version", (neovim) => {
  let editor: Editor;
  const calls = Array.from({ length: 60 }, (_, index) => [
    call(index, "read_file", { path: `part-${index}.ts` }),
    ...result(index, ["```", ...Array.from({ length: 1 + (index % 5) }, () => "line"), "```"]),
  ]);
  const many = [...head, ...calls.flat(), "All parts say the same.", "", "💬: "];
  beforeEach(async () => {
    editor = await startEditor(neovim);
    await editor.lua("vim.o.lines, vim.o.columns, vim.o.laststatus = 24, 80, 0");
  });
  afterEach(() => editor.quit());

  /** The rows of the window, without the command line. */
  const rows = async () => (await editor.screen()).slice(0, 23);

  it("fills the window when it is opened at its end", async () => {
    await editor.nvim.command(`edit +$ ${editor.writeChat("many.md", many)}`);
    await poll("rows of calls", async () => (await rows()).join().includes("part-59.ts"));
    await poll("the first row", async () => ((await rows())[0] ?? "").includes("part-"));
    const shown = await rows();
    expect(shown.at(-1)).toMatch(/^💬/);
    expect(shown.filter((row) => row.startsWith("~"))).toEqual([]);
  });

  it("stays where it is read, and shows what there is of a short one", async () => {
    await editor.openChat("many.md", many);
    await editor.press("gg");
    await poll("rows of calls", async () => (await rows()).join().includes("part-10.ts"));
    expect((await rows())[0]).toBe("---");
    await editor.nvim.command("enew!");
    await editor.nvim.command(`edit +$ ${editor.writeChat("few.md", chat)}`);
    await poll("rows of calls", async () => (await rows()).join().includes("3 results"));
    expect((await rows())[0]).toBe("---");
  });
});
