/** Files that Parley opens for a user, where Neovim may refuse it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Editor, neovims, poll, startEditor } from "./editor.ts";

const chat = ["---", "topic: x", "---", "", "💬: one"];

/** Each way to another chat, as a user takes it. */
const ways: readonly (readonly [string, string])[] = [
  ["a new chat", "vim.cmd('Parley new')"],
  ["a chat of the list", "require('parley.screen.windows.open').go(..., 'edit')"],
  ["the next chat that waits", "require('parley.pickers.waiting').go(...)"],
  ["a link", "vim.api.nvim_set_current_line('🌿: ' .. ...) vim.cmd('Parley follow_link')"],
];

const events = [
  ...["BufLeave", "BufWinLeave", "BufHidden", "BufNew", "BufAdd", "BufReadPre", "BufNewFile"],
  ...["BufReadPost", "BufWinEnter", "BufEnter", "WinNew", "WinLeave", "WinEnter", "TabNew"],
  "FileType",
];

/** Another plugin, loaded before Parley: where it fails, later autocommands do not run. */
const failing = `for _, event in ipairs(${JSON.stringify(events).replace("[", "{").replace("]", "}")}) do
  vim.api.nvim_create_autocmd(event, { callback = function()
    local nothing
    return vim.g.failing == event and nothing.field or nil
  end })
end`;

describe.each(neovims)("opening a chat in Neovim $version", (neovim) => {
  let editor: Editor;
  let other: string;

  beforeAll(async () => {
    editor = await startEditor(neovim, { before: failing });
    other = editor.writeChat("other.md", chat);
  });
  afterAll(() => editor.quit());
  beforeEach(async () => {
    await editor.lua("vim.cmd('set hidden | silent! %bwipeout!') Notified = {}");
    await editor.openChat("here.md", chat);
  });

  const here = () => editor.lua<string>("return vim.fn.expand('%:t')");
  const told = () => editor.lua<string[]>("return Notified");

  it("opens a list, and a file, in a tab page where no window has room for two", async () => {
    await editor.nvim.command(
      "set winminheight=1 | for each in range(99) | silent! split | endfor",
    );
    const open = "require('parley.screen.windows.open').open(...)";
    for (const [shown, ...given] of [
      ["a list", ["a list"], { title: "small" }],
      ["💬: one", other, {}],
    ] as const) {
      await editor.lua(open, ...given);
      expect(await editor.lua("return vim.fn.getline('$')")).toBe(shown);
      expect(await editor.lua("return vim.api.nvim_win_get_height(0)")).toBeGreaterThan(9);
      await editor.nvim.command("tabclose");
    }
    await editor.nvim.command("set winminheight&");
  });

  it.each(ways)("says why it cannot leave what is not saved: %s", async (_, way) => {
    await editor.lua("vim.o.hidden = false vim.api.nvim_set_current_line('mine')");
    await editor.lua(way, other);
    expect(await here()).toBe("here.md");
    expect(await told()).toEqual([
      "E37: No write since last change. Write this one first, or :set hidden.",
    ]);
  });

  it.each(ways)("opens it where another plugin fails over it, and says so: %s", async (_, way) => {
    await editor.lua(`vim.o.hidden = true
      Failing = vim.api.nvim_create_autocmd("FileType", {
        callback = function() error("no parser\\nstack traceback") end,
      })`);
    await editor.lua(way, other);
    await editor.lua("vim.api.nvim_del_autocmd(Failing) vim.cmd.stopinsert()");
    expect(await here()).not.toBe("here.md");
    expect(await editor.lua("return vim.fn.maparg('<C-g><C-g>')")).toContain("parley-respond");
    expect((await told()).join("\n")).toMatch(
      /^\S+\.md is open, but another plugin failed .*no parser$/,
    );
  });

  it.each(events)("opens it where an autocommand fails at %s", async (event) => {
    const open = "require('parley.screen.windows.open')";
    const hows = ["edit", "split", "vsplit", "tabedit"].map((how) => `${open}.go(..., '${how}')`);
    for (const way of [...hows, `${open}.open(...)`, "vim.cmd('vertical Parley new')"]) {
      await editor.openChat("here.md", chat);
      await editor.lua(`vim.o.hidden = true vim.g.failing = "${event}"`);
      await editor.lua(way, other);
      await editor.lua("vim.g.failing = '' vim.cmd.stopinsert()");
      expect([way, await here()]).not.toEqual([way, "here.md"]);
      const last = await editor.lua<string>("return vim.fn.getline('$')");
      expect(`${way} → ${last}`).toMatch(/ → 💬:/u);
      const key = await editor.lua<string>("return vim.fn.maparg('<C-g><C-g>')");
      expect(`${way} → ${key}`).toContain("parley-respond");
      await editor.lua("vim.cmd('silent! tabonly! | silent! only! | silent! %bwipeout!')");
    }
  });

  it("names and asks a new chat where Neovim can make no folder for undo and swap files", async () => {
    // As it says both; with a real file, Neovim would have the user press Enter first.
    await editor.lua(`local command, undofile = vim.cmd, vim.fn.undofile
      vim.cmd = setmetatable({}, {
        __index = command,
        __call = function(_, what)
          command(what)
          if what.cmd == "file" then
            error("Vim:E303: Unable to create directory for swap file, recovery impossible")
          end
        end,
      })
      vim.fn.undofile = function() error("Vim:E5003: Unable to create directory for undo file") end
      Restore = function() vim.cmd, vim.fn.undofile = command, undofile end`);
    await editor.nvim.command("Parley new");
    await editor.press("what is bismuth<Esc>:write<CR><C-g><C-g>");
    await poll("the question", async () => (await editor.received("respond")).length > 0);
    // A word of the host: that it has not answered would be told seconds later, in another test.
    await editor.lua("Restore() require('parley.host').heard()");
    expect(await editor.lua("return vim.fn.expand('%:t')")).toMatch(/-what-is-bismuth\.md$/);
  });

  const fromAnywhere = ways.filter(([name]) => name !== "a link");
  const windows = [
    [
      "a float of another plugin",
      `vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), true,
        { relative = "editor", row = 1, col = 1, width = 30, height = 5 })`,
    ],
    ["a window that keeps its buffer", "vim.cmd('vnew | setlocal buftype=nofile winfixbuf')"],
  ] as const;

  it.each(
    windows.flatMap(([name, make]) => fromAnywhere.map((way) => [...way, name, make] as const)),
  )("opens %s beside and not in: %3$s", async (_, way, _name, make) => {
    await editor.lua("vim.o.hidden = true");
    await editor.lua(make);
    const keeps = await editor.lua("return { vim.fn.win_getid(), vim.fn.bufnr() }");
    await editor.lua(way, other);
    await editor.lua("vim.cmd.stopinsert()");
    expect(await here()).not.toBe("here.md");
    expect(await editor.lua("return vim.api.nvim_win_get_config(0).relative")).toBe("");
    expect(
      await editor.lua("return { (...)[1], vim.api.nvim_win_get_buf((...)[1]) }", keeps),
    ).toEqual(keeps);
    expect(await told()).toEqual([]);
    await editor.lua("vim.api.nvim_win_close((...)[1], true)", keeps);
  });

  it.each(fromAnywhere)("opens it in a split where no window is for files: %s", async (_, way) => {
    await editor.lua("vim.o.hidden = true vim.wo.winfixbuf = true");
    await editor.lua(way, other);
    await editor.lua("vim.cmd.stopinsert()");
    expect(await here()).not.toBe("here.md");
    expect(await editor.lua("return { vim.fn.winnr('$'), vim.wo.winfixbuf }")).toEqual([2, false]);
    expect(await told()).toEqual([]);
    await editor.lua("vim.cmd('only') vim.wo.winfixbuf = false");
  });

  it("makes a new chat Markdown where nobody finds out file types", async () => {
    await editor.lua("vim.cmd('filetype off | Parley new | stopinsert | filetype on')");
    expect(await editor.lua("return vim.bo.filetype")).toBe("markdown");
  });

  it.each(["edit", "split"])("takes no name for a command: %s", async (how) => {
    await editor.lua("vim.g.ran = nil vim.cmd.lcd((...))", editor.folder);
    await editor.lua("require('parley.screen.windows.open').file('+let g:ran=1', ...)", how);
    expect(await editor.lua("return { vim.g.ran, vim.fn.expand('%:t') }")).toEqual([
      null,
      "+let g:ran=1",
    ]);
  });

  it("takes what a link says for a name, and shows no value of a variable in its place", async () => {
    editor.writeChat("$HOME.md", chat);
    await editor.lua(
      "vim.cmd('edit!') vim.api.nvim_set_current_line('🌿: $HOME.md') vim.o.hidden = true",
    );
    await editor.lua("vim.cmd('Parley follow_link')");
    expect(await here()).toBe("$HOME.md");
  });

  it("looks at no other machine for a link on Windows", async () => {
    const path = "//host/share/x.md";
    await editor.lua(
      `local system, path = require("parley.system"), ...
      vim.o.hidden = true
      vim.api.nvim_set_current_line("🌿: " .. path)
      local stat, own = vim.uv.fs_stat, system.is_windows
      vim.uv.fs_stat = function(name) Looked = name return stat(name) end
      system.is_windows = true
      vim.cmd("Parley follow_link")
      system.is_windows, vim.uv.fs_stat = own, stat`,
      path,
    );
    expect(await told()).toEqual([`${path} is on another machine; :edit opens it.`]);
    expect(await editor.lua("return Looked ~= nil and Looked:find('host', 1, true)")).not.toBe(3);
  });

  it("obeys no modeline of a log, whose last lines may be a server's words", async () => {
    const log = join(editor.folder, "parley.log");
    writeFileSync(log, "MCP server x: info: vim: set shiftwidth=7 :\n");
    const opened = await editor.lua(
      `vim.o.modeline = true
      require("parley.screen.windows.open").open(...)
      return { vim.bo.shiftwidth, vim.go.modeline, vim.fn.expand("%:t") }`,
      log,
    );
    expect(opened).toEqual([8, true, "parley.log"]);
  });

  it("says why there can be no chat folder", async () => {
    const file = join(editor.folder, "file");
    writeFileSync(file, "");
    await editor.lua(
      `local config, folder = require("parley.config"), ...
      local own = config.chat_dirs
      config.chat_dirs = function() return { folder } end
      vim.cmd("Parley new")
      config.chat_dirs = own`,
      join(file, "chats"),
    );
    expect(await here()).toBe("here.md");
    expect(await told()).toEqual([
      expect.stringMatching(
        /^The chat folder cannot be created \(E739: .*\)\. Set chat_dir to another\.$/,
      ),
    ]);
  });

  it("makes no chat of a window without a text, and does not advise it", async () => {
    await editor.lua(
      "vim.cmd('help') for _, name in ipairs(...) do vim.cmd('Parley ' .. name) end",
      [...["attach", "respond", "status"]],
    );
    const said = "This window does not show a text that you can edit, so it is not a chat.";
    expect(await told()).toEqual(Array(3).fill(expect.stringContaining(said)));
    expect(await editor.lua("return require('parley.text.chats').is_chat(0)")).toBe(false);
    await editor.nvim.command("helpclose");
  });

  it("leaves the chat that is there already as it is, saved or not", async () => {
    const path = join(editor.folder, "chats", "here.md");
    await editor.lua("vim.api.nvim_set_current_line('mine')");
    expect(await editor.lua("return require('parley.screen.windows.open').go(...)", path)).toBe(
      true,
    );
    expect((await editor.lines())[0]).toBe("mine");
    expect(await told()).toEqual([]);
  });

  it("opens it where nothing is in the way", async () => {
    expect(await editor.lua("return require('parley.screen.windows.open').go(...)", other)).toBe(
      true,
    );
    expect(await here()).toBe("other.md");
  });

  it.each([
    ["the quickfix list", "copen"],
    ["a file tree", "leftabove 20vnew | setlocal buftype=nofile winfixwidth"],
  ])("opens it beside %s, not in its window", async (_, command) => {
    await editor.nvim.command(command);
    const kind = await editor.lua("return vim.bo.buftype");
    await editor.nvim.command("Parley new");
    await editor.nvim.command("stopinsert");
    expect(await editor.lua("return vim.bo.buftype")).toBe("");
    const kinds = `return vim.tbl_map(function(win)
      return vim.bo[vim.api.nvim_win_get_buf(win)].buftype
    end, vim.api.nvim_list_wins())`;
    expect(await editor.lua<string[]>(kinds)).toHaveLength(2);
    expect(await editor.lua<string[]>(kinds)).toContain(kind);
  });

  it.each([
    ["vertical Parley new", "row"],
    ["botright Parley new", "col"],
    ["tab Parley new", "leaf"],
    ["enew | vertical Parley ask", "row"],
  ])("opens where the command says: %s", async (command, layout) => {
    await editor.nvim.command(command);
    await editor.nvim.command("stopinsert");
    const tabs = () => editor.lua<number>("return vim.fn.tabpagenr('$')");
    expect(await editor.lua("return vim.fn.winlayout()[1]")).toBe(layout);
    expect(await tabs()).toBe(layout === "leaf" ? 2 : 1);
    // For that command alone.
    await editor.lua("vim.cmd('silent! tabonly! | silent! only!') vim.cmd('Parley new')");
    expect(await editor.lua("return vim.fn.winlayout()[1]")).toBe("leaf");
  });

  it("opens a list that comes later where the command says", async () => {
    await editor.nvim.command("vertical Parley usage");
    await editor.call("open", ["one"], { title: "usage" });
    expect(await editor.lua("return vim.fn.winlayout()[1]")).toBe("row");
    await editor.nvim.command("close");
    await editor.nvim.command("Parley usage");
    await editor.call("open", ["one"], { title: "usage" });
    expect(await editor.lua("return { vim.fn.winlayout()[1], vim.fn.winheight(0) }")).toEqual([
      ...["col", 1],
    ]);
    await editor.nvim.command("close");
  });

  it("opens a list where 'debug' makes errors of what is not found", async () => {
    await editor.nvim.command("set debug=throw");
    await editor.call("open", ["one"], { title: "never opened" });
    expect(await editor.lines()).toEqual(["one"]);
    await editor.nvim.command("set debug= | close");
  });

  it("opens in this window where no other has room", async () => {
    // As after a drag of the status line; 'cmdheight' leaves room for one window.
    await editor.lua("vim.o.cmdheight = vim.o.lines");
    await editor.call("open", ["one"], { title: "usage" });
    expect(await editor.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)")).toEqual(["one"]);
    await editor.nvim.input("<C-\\><C-n>q");
    await expect.poll(() => editor.lua("return vim.bo.buftype")).toBe("");
    const file = join(editor.folder, "a.log");
    writeFileSync(file, "one\ntwo\n");
    await editor.call("open", file);
    expect(await here()).toBe("a.log");
    await editor.lua("vim.o.cmdheight = 1 vim.cmd('tabonly')");
  });

  it("throws for other plugins, and makes no question without a chat", async () => {
    await editor.lua("vim.o.hidden = false vim.api.nvim_set_current_line('mine')");
    const thrown = "return { pcall(require('parley').new) }";
    expect(await editor.lua(thrown)).toEqual([false, expect.stringContaining("E37")]);
  });

  it("asks without a word too many", async () => {
    const code = join(editor.folder, "a.ts");
    writeFileSync(code, "one\n");
    const asked = async (command: string) => {
      await editor.lua("vim.cmd.stopinsert() vim.cmd('silent! only')");
      await editor.lua("vim.cmd.edit((...))", code);
      await editor.nvim.command(command);
      await editor.nvim.command("stopinsert");
      return (await editor.lines()).at(-1);
    };
    expect(await asked("Parley ask")).toBe("💬: ");
    expect(await asked("Parley ask why")).toBe("💬: why");
    expect(await asked("1Parley new")).toMatch(/^💬: @@.*a\.ts:1@@ $/);
  });

  it("asks in the chat beside the code, else in the one that was begun or asked last", async () => {
    const [first, second] = ["a.ts", "b.ts"].map((name) => {
      const file = join(editor.folder, name);
      writeFileSync(file, "one\n");
      return file;
    });
    const run = async (command: string) => {
      await editor.nvim.command(command);
      await editor.nvim.command("stopinsert");
    };
    const name = () => editor.lua("return vim.api.nvim_buf_get_name(0)");
    // Nothing was sent yet, and the chat's window shows the other file now.
    await editor.nvim.command(`silent! only | edit ${first} | bwipeout! here.md`);
    await run("1Parley ask");
    const begun = await name();
    await editor.nvim.command(`edit ${second} | only`);
    await run("1Parley ask why");
    expect(await name()).toBe(begun);
    expect((await editor.lines()).slice(-2)).toEqual([
      expect.stringMatching(/^💬: @@.*a\.ts:1@@ $/),
      expect.stringMatching(/^@@.*b\.ts:1@@ why$/),
    ]);
    // The chat on the screen is meant, not the one that was asked last.
    await editor.lua("require('parley.text.chats.project_chat').remember(0)");
    const other = editor.writeChat("beside.md", ["💬: "]);
    await editor.nvim.command(`edit ${second} | only | split ${other} | wincmd p`);
    await run("1Parley ask why");
    expect(await name()).toBe(other);
    expect(await editor.lua("return #vim.api.nvim_list_wins()")).toBe(2);
    await editor.nvim.command(`edit ${second} | only`);
    await run("1Parley new");
    const made = await name();
    await editor.nvim.command(`edit ${first} | only`);
    await run("1Parley ask");
    expect(await name()).toBe(made);
  });

  it("leaves no empty list behind when a session is read", async () => {
    const session = join(editor.folder, "session.vim");
    const list = "require('parley.screen.windows.open').open({ 'words' }, { title = 'usage' })";
    const names = () =>
      editor.lua<string[]>(
        `return vim.tbl_map(function(win)
          return vim.fs.basename(vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(win)))
        end, vim.api.nvim_list_wins())`,
      );
    await editor.lua(list);
    await editor.nvim.command(`mksession! ${session} | silent! %bwipeout! | source ${session}`);
    expect(await names()).toEqual(["here.md"]);
    // A plugin manager may load Parley later than that.
    await editor.nvim.command(`new | file parley://usage`);
    await editor.lua(list);
    expect(await editor.nvim.call("getline", [1])).toBe("words");
    await editor.press("q");
    await poll("the list gone", async () => (await names()).join() === "here.md");
  });
});
