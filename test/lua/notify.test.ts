/** Messages to the user, where no other plugin shows them. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { type Editor, neovims, poll, startEditor } from "./editor.ts";

// As Neovim's own looks to the plugin: it comes from a file of the runtime.
const ownNotify = `vim.notify = load("return function() end", "@vim/_own.lua")()`;
const long = `It starts here, ${"goes on and on, ".repeat(9)}and ends here.`;

describe.each(neovims)("a message in Neovim $version", (neovim) => {
  let editor: Editor;
  beforeEach(async () => {
    editor = await startEditor(neovim, { before: ownNotify });
  });
  afterEach(() => editor.quit());

  const shown = async (words: string) => (await editor.screen()).join("\n").includes(words);
  const blocking = async () =>
    ((await editor.nvim.request("nvim_get_mode", [])) as { blocking: boolean }).blocking;
  const windows = () => editor.lua("return #vim.api.nvim_list_wins()");

  it.each(["", "A"])("runs nothing else while it is shown, after %j", async (key) => {
    await editor.nvim.command("edit some.txt");
    await editor.press(key);
    await poll("the mode", async () => (await editor.nvim.mode).mode === (key === "A" ? "i" : "n"));
    // What waits to run, as a request of the host may.
    const ran = await editor.lua(`Ran = false
      vim.schedule(function() Ran = true end)
      require("parley.messages.notify").notify(("word "):rep(60), 3)
      return Ran`);
    expect(ran).toBe(false);
  });

  it("moves and resizes no window, however many there are", async () => {
    const moved = await editor.lua(`math.randomseed(7)
      local splits = {
        "split", "vsplit", "botright 5split", "topleft vsplit | setlocal winfixwidth",
        "belowright 4split | setlocal winfixheight",
      }
      local function any(list) return list[math.random(#list)] end
      local function windows()
        return vim.tbl_map(function(win)
          local view = vim.api.nvim_win_call(win, vim.fn.winsaveview)
          return { view, vim.api.nvim_win_get_height(win), vim.api.nvim_win_get_width(win) }
        end, vim.tbl_filter(function(win)
          return vim.api.nvim_win_get_config(win).relative == ""
        end, vim.api.nvim_list_wins()))
      end
      local moved = {}
      for round = 1, 60 do
        vim.cmd("silent! only! | enew!")
        local lines = {}
        for line = 1, 120 do lines[line] = ("word "):rep(math.random(0, 40)) end
        vim.api.nvim_buf_set_lines(0, 0, -1, false, lines)
        vim.bo.modified = false
        vim.o.scrolloff, vim.o.laststatus = math.random(0, 5), math.random(0, 3)
        vim.o.splitkeep = any({ "cursor", "screen", "topline" })
        vim.o.equalalways, vim.wo.wrap = any({ true, false }), any({ true, false })
        vim.o.cmdheight = math.random(0, 2)
        -- Without a command line Neovim itself mends views that 'scrolloff' does not allow.
        if vim.o.cmdheight == 0 then vim.o.scrolloff = 0 end
        for _ = 1, math.random(0, 3) do pcall(vim.cmd, any(splits)) end
        for _, win in ipairs(vim.api.nvim_list_wins()) do
          vim.api.nvim_win_set_cursor(win, { math.random(120), 0 })
          local view = any({ "zt", "zb", "zz", "0" })
          vim.api.nvim_win_call(win, function() vim.cmd("normal! " .. view) end)
        end
        vim.cmd.redraw()
        local before, text = windows(), ("word "):rep(math.random(20, 400))
        require("parley.messages.notify").notify(text, 3)
        vim.cmd.redraw()
        if not vim.deep_equal(before, windows()) then moved[#moved + 1] = round end
        if not vim.fn.execute("messages"):find(text, 1, true) then moved[#moved + 1] = text end
      end
      return moved`);
    expect(moved).toEqual([]);
  });

  it.each([
    ["a command", ":lua Tell()<CR>"],
    ["a command after another message", ":echo 'one' | lua Tell() Tell()<CR>"],
    ["a key", "<F2>"],
    ["a key in Insert mode", "i<F2>"],
    ["an autocommand", ":doautocmd User Tell<CR>"],
    ["a write", ":write<CR>"],
    ["a condition", ":if 1 | lua Tell() Tell()<CR>:endif<CR>"],
    ["a command line", ":edit some<F2>"],
  ])("waits for no key, and is there in full, from %s", async (_, keys) => {
    const words = `it's "100%" | # <CR> \\n ${"and on ".repeat(60)}`;
    await editor.lua(
      `local words = ...
       function Tell() require("parley.messages.notify").notify(words .. "\\nand " .. words) end
       vim.keymap.set({ "n", "i", "c" }, "<F2>", "<Cmd>lua Tell()<CR>")
       vim.o.shortmess = "filnx"
       vim.api.nvim_create_autocmd({ "User", "BufWritePost" }, { callback = Tell })`,
      words,
    );
    await editor.nvim.command(`edit ${editor.folder}/some.txt`);
    await editor.press(keys);
    const said = () => editor.lua<string>("return vim.fn.execute('messages')");
    await poll("the message", async () => (await said()).includes(words.trimEnd()));
    expect(await said()).toContain(`\nand ${words.trimEnd()}`);
    expect(await blocking()).toBe(false);
  });

  it.each(["BufReadPost", "FileType", "BufEnter"])(
    "waits for no key from a file that is opened, at %s",
    async (event) => {
      const words = "and on ".repeat(60);
      const file = editor.writeChat("other.md", ["plain"]);
      await editor.lua(
        `local event, words, file = ...
         vim.api.nvim_create_autocmd(event, { callback = function()
           require("parley.messages.notify").notify(words, 3)
         end })
         vim.cmd.edit(file)`,
        ...[event, words, file],
      );
      const said = () => editor.lua<string>("return vim.fn.execute('messages')");
      await poll("the message", async () => (await said()).includes(words));
      expect(await blocking()).toBe(false);
    },
  );

  // As a formatter does that a file's write waits for.
  it("does not hold up an autocommand that waits, and appears when it ends", async () => {
    const kinds = ["notify", "beside", "note"];
    await editor.lua(
      `local kinds, long = ...
       vim.api.nvim_create_autocmd("User", { callback = function()
         for _, kind in ipairs(kinds) do
           vim.schedule(function() require("parley.messages.notify")[kind](long .. kind, 3) end)
         end
         vim.wait(200)
         Ended = true
       end })`,
      kinds,
      long,
    );
    await editor.press(":doautocmd User Wait<CR>");
    await poll("its end", () => editor.lua("return Ended == true"));
    const said = () => editor.lua<string>("return vim.fn.execute('messages')");
    for (const kind of kinds) await poll(kind, async () => (await said()).includes(long + kind));
    expect(await blocking()).toBe(false);
  });

  it("that fits is on the command line", async () => {
    await editor.call("notify", "info", "It fits.");
    await poll("the message", () => shown("It fits."));
    expect(await windows()).toBe(1);
  });

  it.each([
    ["-- ", "i"],
    ["-- ", "R"],
    ["-- ", "v"],
    ["-- ", "V"],
    ["-- ", "<C-v>"],
    ["-- ", "i<C-o>"],
    [":edit some", ":edit some"],
    ["/some", "/some"],
  ])("is seen beside %j after the keys %s", async (line, keys) => {
    await editor.press(keys);
    await poll("the line", () => shown(line));
    await editor.lua(
      "vim.schedule(function() require('parley.messages.notify').notify('It is seen.') end)",
    );
    await poll("the message", () => shown("It is seen."));
    await editor.lua("vim.cmd.redraw()");
    expect(await shown("It is seen.")).toBe(true);
    expect(await shown(line)).toBe(true);
    expect(await editor.lua("return vim.fn.execute('messages')")).toContain("It is seen.");
  });

  it.each([1, 0])(
    "is seen whole with 'cmdheight' %i, and goes with a later key",
    async (height) => {
      await editor.lua("vim.o.cmdheight = (...)", height);
      await editor.call("notify", "warn", long);
      await editor.call("notify", "info", "A second one.");
      expect(await blocking()).toBe(false);
      for (const words of ["It starts here", "and ends here.", "A second one."])
        await poll(words, () => shown(words));
      expect(await editor.lua("return vim.fn.execute('messages')")).toContain("and ends here.");
      await editor.press("l");
      expect(await windows()).toBe(2);
      await editor.lua(
        "local time = vim.uv.hrtime; vim.uv.hrtime = function() return time() + 1e10 end",
      );
      await editor.press("l");
      await poll("its end", async () => (await windows()) === 1);
    },
  );

  it("covers the rows that are counted as covered, whatever frame other windows have", async () => {
    await editor.lua("if vim.fn.exists('+winborder') == 1 then vim.o.winborder = 'rounded' end");
    await editor.lua(
      "vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.fn['repeat']({ 'row' }, 99))",
    );
    await editor.call("notify", "info", long);
    await poll("the message", () => shown("and ends here."));
    const seen = (await editor.screen()).filter((row) => row === "row");
    expect(seen).toHaveLength(
      (await editor.lua<number>("return require('parley.messages.toast').rows()")) - 1,
    );
    await editor.lua("require('parley.messages.notify').beside('Beside it.')");
    await poll("the words", () => shown("Beside it."));
    expect((await editor.screen()).join("\n")).not.toMatch(/[│╭╰]/);
  });

  it.each(["n", "i"])("leaves the row of the cursor to be seen in mode %s", async (mode) => {
    const lines = Array.from({ length: 60 }, (_, number) => `row ${number} of the text`);
    await editor.lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, (...))", lines);
    await editor.lua("vim.o.showtabline = 2");
    for (const [key, row] of [
      ["G", 59],
      ["gg", 0],
    ] as const) {
      await editor.press(mode === "i" ? `<Esc>${key}A` : key);
      await editor.call("notify", "warn", `${key} ${long}`);
      await poll("the message", () => shown("and ends here."));
      const rows = await editor.screen();
      const at = rows.findIndex((text) => text.includes(`row ${row} of the text`));
      expect(at, key).toBeGreaterThan(0);
      const [first, last] = z
        .tuple([z.number(), z.number()])
        .parse(await editor.lua("return { require('parley.messages.toast').rows() }"));
      expect(rows.slice(first - 1, last).join(" "), key).toContain("and ends here.");
      expect(rows[0], key).toContain("No Name");
      await editor.lua("vim.cmd.only() vim.cmd('fclose!')");
    }
  });

  it("is broken between words", async () => {
    const words = Array.from({ length: 6 }, (_, number) => "w".repeat(60) + number);
    for (const show of ["notify", "beside"]) {
      const code = `require("parley.messages.notify").${show}((...))`;
      await editor.lua(code, [...words, `last${show}`].join(" "));
      await poll("the message", () => shown(`last${show}`));
      const seen = (await editor.screen()).join("\n").split(/\s+/);
      expect(words.filter((word) => !seen.includes(word))).toEqual([]);
    }
  });

  it("and all else that Parley shows is seen where new buffers cannot be written", async () => {
    await editor.lua("vim.go.modifiable, vim.go.readonly = false, true");
    await editor.call("notify", "info", long);
    await poll("the message", () => shown("and ends here."));
    await editor.call("open", ["a list"], { title: "status" });
    await poll("the list", () => shown("a list"));
    await editor.press("q");
    await editor.lua("require('parley.messages.notify').beside('Beside it.')");
    await poll("the words at the cursor", () => shown("Beside it."));
    await editor.lua("require('parley.actions').help()");
    await poll("the keys", () => shown("q closes"));
  });

  it("that nearly fits is on the screen once", async () => {
    const words = "x".repeat((await editor.lua<number>("return vim.v.echospace")) + 2);
    await editor.call("notify", "info", words);
    await poll("the message", () => shown(words));
    const rows = (await editor.screen()).filter((row) => row.includes("xxx"));
    expect(rows).toHaveLength(1);
  });

  it.each([1, 0])("at a key leaves nothing to press with 'cmdheight' %i", async (height) => {
    await editor.lua(
      `local height = ...
      vim.o.cmdheight, vim.o.laststatus = height, 2
      local notify = require("parley.messages.notify")
      vim.keymap.set("n", "B", function() notify.beside("Beside it.") Done = "beside" end)
      vim.keymap.set("n", "N", function() notify.note("A note.", vim.log.levels.INFO) Done = "note" end)
      vim.keymap.set("n", "I", function()
        vim.ui.input({ prompt = "Why? " }, function(text) notify.clear() Done = text end)
      end)`,
      height,
    );
    for (const [keys, done] of [
      ["B", "beside"],
      ["N", "note"],
      ["Ibecause<CR>", "because"],
    ] as const) {
      await editor.press(keys);
      await poll(
        done,
        async () => !(await blocking()) && (await editor.lua("return Done")) === done,
      );
      // Rows of a message that are left there are what the next one waits for ENTER with.
      const bottom = "return vim.fn.screenstring(vim.o.lines - vim.o.cmdheight, 1)";
      await poll(`the statusline after ${done}`, async () => (await editor.lua(bottom)) === "[");
    }
  });

  it.each(["notify", "beside", "note"])(
    "is shown where the plugin that replaced vim.notify fails, which is told once (%s)",
    async (how) => {
      await editor.lua("vim.notify = load([[error('no room for it')]], '@it.lua')");
      for (const word of ["first", "second"])
        await editor.lua(`require("parley.messages.notify").${how}("the ${word}", 2)`);
      const all = () => editor.lua<string>("return vim.fn.execute('messages')");
      await poll("the failure", async () => (await all()).includes("failed"));
      await editor.lua("vim.wait(20)");
      expect((await all()).trim().split("\n").sort()).toEqual([
        "The plugin that replaced vim.notify failed, so Parley shows its messages: no room for it",
        "the first",
        "the second",
      ]);
    },
  );

  it("is given once to Neovim's new messages, which wait for no key", async () => {
    const isThere = await editor.lua(`local ok, ui2 = pcall(require, "vim._core.ui2")
      if ok then ui2.enable({}) end
      vim.notify = load("return function(text) Given = (Given or '') .. text end", "@vim/_own.lua")()
      return ok`);
    for (const show of ["notify", "beside", "note"]) {
      await editor.lua(`require("parley.messages.notify").${show}("${show}. " .. (...), 2)`, long);
    }
    const given = ["notify", "beside", "note"].map((show) => `${show}. ${long}`).join("");
    expect(await editor.lua("return Given")).toBe(isThere ? given : null);
    expect(await editor.lua("return require('parley.messages.toast').is_open()")).toBe(!isThere);
  });

  it.each(["bottom", "top"])(
    "that is over a call at the %s makes its key list the call first",
    async (place) => {
      const call = '❓: `{"id":"c","type":"function","function":{"name":"web_search"}}`';
      const buffer = await editor.openChat("a.md", ["💬: one", "", "🤖:[demo]", "", call]);
      const show = { line: 4, text: call, lines: ["  row 1"], cut: false, full: ["  row 1"] };
      await editor.call("show", buffer, await editor.tick(), { calls: [show], keys: true });
      const rows = (await editor.screen()).length;
      const around = `local row = ...
        vim.api.nvim_buf_set_lines(0, row, row, false, vim.fn["repeat"]({ "" }, 60))`;
      await editor.lua(around, place === "top" ? 5 : 2);
      await editor.lua(
        "vim.cmd.normal({ (...), bang = true })",
        place === "top" ? "5GztL" : "65Gzb10k",
      );
      await editor.call("notify", "warn", long);
      const [first] = z
        .tuple([z.number(), z.number()])
        .parse(await editor.lua("return { require('parley.messages.toast').rows() }"));
      expect(first > rows / 2).toBe(place === "bottom");
      await editor.lua("vim.fn.search('❓')");
      // The first of the two keys closes the message; what it covered until then was not seen.
      await editor.lua(
        "local time = vim.uv.hrtime() + 1e10; vim.uv.hrtime = function() return time end",
      );
      await editor.press("ya");
      await poll("the list", () => shown("ya decides, q closes"));
      expect(await editor.received("key")).toEqual([]);
    },
  );
});
