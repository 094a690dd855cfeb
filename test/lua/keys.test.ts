import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Editor, neovims, poll } from "./editor.ts";
import { callOne, callTwo, chat, startWithOpenCalls, type WaitingEditor } from "./open-calls.ts";

describe.each(neovims)("the approval keys on Neovim $version", (neovim) => {
  let waiting: WaitingEditor;
  let editor: Editor;

  beforeEach(async () => {
    waiting = await startWithOpenCalls(neovim);
    editor = waiting.editor;
  });
  afterEach(() => editor.quit());

  it.each(["ya", "yA", "yo", "yO"])(
    "sends %s from an open call line with what is shown",
    async (key) => {
      await waiting.goTo(9);
      await editor.press(key);
      expect(await waiting.decision()).toEqual([
        {
          action: "key",
          buf: waiting.buffer,
          key,
          line: 8,
          tick: await editor.tick(),
          shown: [
            { line: 7, text: callOne, tool: `tool of ${callOne}`, effect: "e" },
            { line: 8, text: callTwo, tool: `tool of ${callTwo}`, effect: "e" },
          ],
        },
      ]);
      expect(await waiting.register()).toBe("");
    },
  );

  it("tells calls of the last answer apart without reading a long one at each key", async () => {
    const looked = await editor.lua<[boolean, number][]>(`local reads = 0
      local markers, decide = require("parley.text.markers"), require("parley.keys.decide")
      local read = markers.read
      markers.read = function(...)
        reads = reads + 1
        return read(...)
      end
      local found = {}
      local function look(row)
        vim.api.nvim_win_set_cursor(0, { row, 0 })
        local before = reads
        found[#found + 1] = { decide.is_on_decided_call(), reads - before }
      end
      local long = {}
      for index = 1, 20000 do long[index] = "line of a result" end
      vim.api.nvim_buf_set_lines(0, -1, -1, false, long)
      look(8) look(9) look(7)
      vim.api.nvim_buf_set_lines(0, -1, -1, false, { "🤖:[x]" })
      look(8) look(9)
      markers.read = read
      return found`);
    expect(looked.map(([isOn]) => isOn)).toEqual([true, true, false, false, false]);
    expect(looked[1]?.[1]).toBeLessThan(5);
    expect(looked[4]?.[1]).toBeLessThan(5);
  });

  it("says nothing in 'showcmd' that was not typed", async () => {
    // As noice.nvim does, which goes on showing the last of it.
    await editor.lua(`Typed = {}
      vim.o.showcmd = true
      local space = vim.api.nvim_create_namespace("typed")
      vim.ui_attach(space, { ext_messages = true }, function(event, content)
        if event == "msg_showcmd" then
          for _, chunk in ipairs(content) do Typed[#Typed + 1] = chunk[2] end
        end
      end)`);
    await waiting.goTo(8);
    await editor.press("3K");
    await poll("the question", async () => (await editor.received("details")).length === 1);
    await editor.press("x");
    await poll("one character less", async () => (await editor.lines())[7] !== callOne);
    expect((await editor.lines())[7]).toBe(callOne.slice(1));
    expect(await editor.lua("return table.concat(Typed, ' ')")).not.toContain("^");
  });

  it("decides when the two keys come slower than 'timeoutlen'", async () => {
    await waiting.goTo(8);
    await editor.press("y");
    await waiting.mode("no");
    await editor.press("o");
    expect((await waiting.decision())[0]).toMatchObject({ key: "yo", line: 7 });
    expect(await waiting.register()).toBe("");
  });

  it("decides when a plugin shows what may follow an operator and reads the key itself", async () => {
    // As which-key does: it waits where the mode changes, and waits on unless the map says that it may go.
    await editor.lua(`
      local ours = vim.api.nvim_get_autocmds({ event = "ModeChanged", pattern = "n:no" })[1]
      vim.api.nvim_del_autocmd(ours.id)
      vim.api.nvim_create_autocmd("ModeChanged", {
        pattern = "n:no",
        callback = function()
          local key = vim.fn.getcharstr()
          Read = vim.fn.maparg(key, "o", false, true)
          vim.api.nvim_feedkeys(Read.nowait == 1 and key or key .. vim.fn.getcharstr(), "mit", false)
        end,
      })
      vim.api.nvim_create_autocmd("ModeChanged", { pattern = "n:no", callback = ours.callback })`);
    await waiting.goTo(8);
    await editor.press("y");
    await poll("the wait", async () => {
      const { blocking } = (await editor.nvim.request("nvim_get_mode", [])) as {
        blocking: boolean;
      };
      return blocking;
    });
    await editor.press("a");
    expect((await waiting.decision())[0]).toMatchObject({ key: "ya" });
  });

  it("gives back a key that follows a decision and is not a text object", async () => {
    await waiting.goTo(8);
    await editor.press("yoj");
    await waiting.decision();
    await poll(
      "the cursor to move",
      async () => (await editor.lua("return vim.fn.line('.')")) === 9,
    );
  });

  it("leaves no count and no register pending", async () => {
    await waiting.goTo(8);
    await editor.press('"a3yo');
    await waiting.decision();
    await waiting.goTo(1);
    await editor.press("x");
    await poll("the deletion", async () => (await editor.lines())[0] !== chat[0]);
    expect((await editor.lines())[0]).toBe(": alpha beta gamma delta");
    expect(await waiting.register("a")).toBe("");
  });

  it.each([
    ["<CR>", undefined],
    ["no network today<CR>", "no network today"],
  ])("asks for the reason of a no: %s", async (typed, reason) => {
    await waiting.goTo(8);
    await editor.press("yn");
    await waiting.mode("c");
    await editor.press(typed);
    const [sent] = await waiting.decision();
    expect(sent).toMatchObject({ key: "yn", line: 7 });
    expect(sent?.["reason"]).toBe(reason);
  });

  it("takes a no back with <Esc>", async () => {
    await waiting.goTo(8);
    await editor.press("yN");
    await waiting.mode("c");
    await editor.press("<Esc>");
    await editor.press("yo");
    expect((await waiting.decision()).map((message) => message["key"])).toEqual(["yo"]);
  });

  it("opens the full list when a call is cut, and decides there", async () => {
    await waiting.show([7, 8], { cut: true });
    await waiting.goTo(8);
    await editor.press("ya");
    await poll("the list", async () =>
      (await editor.screen()).some((row) => row.includes("query: 8, in full")),
    );
    expect(await waiting.decisions()).toEqual([]);
    await editor.press("ya");
    expect((await waiting.decision())[0]).toMatchObject({
      key: "ya",
      buf: waiting.buffer,
    });
  });

  it("shows the end of an argument of any length", async () => {
    await waiting.show([7, 8], { cut: true, full: [`  text: ${"x".repeat(6000)} its end`] });
    await waiting.goTo(8);
    await editor.press("ya");
    const sees = (words: string) =>
      poll(words, async () => (await editor.screen()).some((row) => row.includes(words)));
    await sees("2 open calls");
    await editor.press("G");
    await sees("its end");
  });

  it("keeps the list behind a question that has a window, and closes it for another text", async () => {
    const sees = (words: string) =>
      poll(words, async () => (await editor.screen()).some((row) => row.includes(words)));
    await waiting.show([7, 8], { cut: true, pending: true });
    await waiting.goTo(8);
    await editor.press("ya");
    await sees("query: 8, in full");
    // As pickers do: a window above the others, and back to where the user was.
    await editor.lua(`List = vim.api.nvim_get_current_win()
      local place = { relative = "editor", row = 0, col = 0, width = 20, height = 2 }
      Picker = vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), true, place)`);
    await waiting.show([7, 8], { cut: true, full: ["starting, 6 s"] });
    await sees("starting, 6 s");
    await editor.lua("vim.api.nvim_win_close(Picker, true)");
    expect(await editor.lua("return vim.api.nvim_get_current_win() == List")).toBe(true);
    await waiting.show([7, 8], { cut: true, full: ["now in full"] });
    await sees("now in full");
    await editor.press("ya");
    expect((await waiting.decision())[0]).toMatchObject({ key: "ya" });
    await waiting.goTo(9);
    await editor.press("ya");
    await sees("now in full");
    await editor.lua("vim.api.nvim_set_current_win(vim.fn.win_getid(1))");
    await poll("the end of the list", async () =>
      (await editor.screen()).every((row) => !row.includes("now in full")),
    );
  });

  it("closes the list with its chat", async () => {
    await editor.nvim.command("new | wincmd p");
    await waiting.show([7, 8], { cut: true });
    await waiting.goTo(8);
    await editor.press("ya");
    await poll("the list", async () =>
      (await editor.screen()).some((row) => row.includes("query: 8, in full")),
    );
    await editor.nvim.command(`bwipeout! ${waiting.buffer}`);
    await poll("the end of the list", async () =>
      (await editor.screen()).every((row) => !row.includes("in full")),
    );
    expect(await editor.lua("return vim.v.errmsg")).toBe("");
    expect(await waiting.decisions()).toEqual([]);
  });

  it.each([
    ["its chat is closed", "bwipeout! ", "The chat was closed meanwhile, so nothing was decided."],
    ["its chat is unloaded", "bunload! ", "The chat was closed meanwhile, so nothing was decided."],
  ])("decides nothing when %s while it asks for a reason", async (_, command, says) => {
    await editor.lua("vim.ui.input = function(_, answer) Answer = answer end");
    await waiting.goTo(8);
    await editor.press("yn");
    await poll("the question", () => editor.lua("return Answer ~= nil"));
    await editor.nvim.command(`new | ${command}${waiting.buffer}`);
    await editor.lua("Answer('no')");
    expect(await editor.lua("return Notified[#Notified]")).toBe(says);
    expect(await waiting.decisions()).toEqual([]);
  });

  it("decides when the window of its chat is closed while it asks for a reason", async () => {
    await editor.lua("vim.ui.input = function(_, answer) Answer = answer end");
    await waiting.goTo(8);
    await editor.press("yn");
    await poll("the question", () => editor.lua("return Answer ~= nil"));
    await editor.nvim.command("set hidden | new | only");
    await editor.lua("Answer('no')");
    expect((await waiting.decision())[0]).toMatchObject({ key: "yn", reason: "no" });
  });

  it("opens the full list when a call is off screen", async () => {
    await editor.lua(
      "vim.api.nvim_buf_set_lines(0, 3, 3, false, vim.fn['repeat']({ 'filler' }, 60))",
    );
    await waiting.show([67, 68]);
    await editor.lua("vim.api.nvim_win_set_cursor(0, {68, 0}) vim.cmd('normal! zb')");
    await editor.press("ya");
    await poll("the list", async () =>
      (await editor.screen()).some((row) => row.includes("query: 68, in full")),
    );
    expect(await waiting.decisions()).toEqual([]);
  });

  it("decides by command from anywhere, one call only at the cursor", async () => {
    await waiting.goTo(1);
    await editor.nvim.command("Parley approve");
    expect(await waiting.decisions()).toEqual([]);
    expect(await editor.lua("return Notified[#Notified]")).toContain("not on an open");
    await editor.nvim.command("Parley approve all");
    expect((await waiting.decision())[0]).toMatchObject({ key: "ya" });
  });

  it("sends what was drawn when the line was edited since", async () => {
    await editor.lua("vim.api.nvim_buf_set_text(0, 7, 5, 7, 5, { ' ' })");
    await waiting.goTo(8);
    await editor.press("yo");
    const [sent] = await waiting.decision();
    expect(sent?.["shown"]).toEqual([
      { line: 7, text: callOne, tool: `tool of ${callOne}`, effect: "e" },
      { line: 8, text: callTwo, tool: `tool of ${callTwo}`, effect: "e" },
    ]);
  });

  it.each([
    ["the call is there", 8, "not waiting for a key"],
    ["the cursor went on", 1, "No call waits for a decision"],
  ])(
    "lists no call that was decided while a key waits for what follows: %s",
    async (_, row, words) => {
      // Behind a `ya` that decides, as a quick `yaya` has it.
      await waiting.show([7, 8], { cut: true });
      await waiting.goTo(8);
      await editor.press("ya");
      await waiting.show([]);
      await waiting.goTo(row);
      await poll(words, async () =>
        (await editor.lua<string[]>("return Notified")).some((text) => text.includes(words)),
      );
      expect((await editor.screen()).join("\n")).not.toContain("q closes");
      expect(await waiting.decisions()).toEqual([]);
    },
  );

  it("lets the host write while a key waits for what follows", async () => {
    await waiting.goTo(8);
    await editor.press("ya");
    const answer = await editor.call("apply", waiting.buffer, await editor.tick(), [
      { start: 0, end: 1, lines: ["💬: changed"] },
    ]);
    expect(answer).toMatchObject({ status: "applied" });
    await waiting.decision();
  });
});
