import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Editor, neovims, poll, startEditor } from "./editor.ts";
import { call, chat, showView, unfinished, untilOnScreen } from "./shown.ts";

describe.each(neovims)("what is shown on Neovim $version", (neovim) => {
  let editor: Editor;
  let buffer: number;

  const show = (view: Record<string, unknown>) => showView(editor, buffer, view);
  const onScreen = (text: string) => untilOnScreen(editor, text);
  const marks = (namespace: string) =>
    editor.lua<unknown[]>(
      "return vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_create_namespace((...)), 0, -1, {})",
      namespace,
    );
  const openCall = {
    line: 6,
    text: call,
    row: "web_search x · server mock",
    whole: false,
    lines: ["  +query", "  query: x"],
    cut: false,
  };

  beforeEach(async () => {
    editor = await startEditor(neovim);
    buffer = await editor.openChat("show.md", chat);
  });
  afterEach(() => editor.quit());

  it("draws open calls, the prompt below them, and takes both away again", async () => {
    const answer = await show({
      calls: [openCall],
      keys: true,
      status: { kind: "waiting", text: "ya all · yo this", line: 6 },
      usage: { text: "12 tokens in, 3 out", line: 4 },
    });
    expect(answer).toEqual({ status: "shown", tick: await editor.tick() });
    const rows = await editor.screen();
    const first = rows.findIndex((row) => row.includes("web_search x"));
    expect(rows.slice(first, first + 5).map((row) => row.trimEnd())).toEqual([
      "❓ web_search x · server mock",
      "  +query",
      "  query: x",
      "ya all · yo this",
      "12 tokens in, 3 out",
    ]);
    await show({});
    expect(await marks("parley.show")).toEqual([]);
    expect((await editor.screen()).join("\n")).not.toContain("web_search\n  query");
  });

  it("keeps the cursor in view where a row is drawn above it in a full window", async () => {
    const answer = [...Array.from({ length: 40 }, () => "words"), "word ".repeat(40)];
    const text = ["💬: one", "", "🤖:[demo]", "", ...answer, "", "💬: "];
    buffer = await editor.openChat("full.md", text);
    await editor.press("G");
    const last = () => editor.lua("return vim.fn.line('w$')");
    await poll("the end", async () => (await last()) === text.length);
    await show({ usage: { text: "12 tokens in, 3 out", line: text.length - 3 } });
    await onScreen("12 tokens in");
    expect(await last()).toBe(text.length);
  });

  it("changes no text and leaves nothing in the undo history", async () => {
    const tick = await editor.tick();
    await show({ calls: [openCall], keys: true, status: { kind: "waiting", text: "wait" } });
    expect(await editor.tick()).toBe(tick);
    expect(await editor.lines()).toEqual(chat);
  });

  it("goes on moving without an error when the buffer is read again and has fewer lines", async () => {
    await editor.lua(
      "vim.api.nvim_buf_set_lines(0, -1, -1, false, { '', '', '', '', '', (...) })",
      unfinished,
    );
    await show({
      unfinished_line: 12,
      running: [{ line: 0, text: "running" }],
      status: { kind: "progress", text: "asking", line: 12 },
    });
    await editor.nvim.command("silent edit!");
    const frames = new Set<string | undefined>();
    await poll("three frames", async () => {
      frames.add((await editor.screen())[0]);
      return frames.size >= 3;
    });
    expect(await editor.lua("return vim.fn.execute('messages')")).not.toContain("spinner");
  });

  it("moves with each write, and not on its own while writes come", async () => {
    await editor.lua("vim.api.nvim_buf_set_lines(0, -1, -1, false, { '', (...) })", unfinished);
    await show({ unfinished_line: 8, status: { kind: "progress", text: "asking", line: 8 } });
    const { alone, along, pauses } = await editor.lua<Record<string, number>>(`
      local spinner = require("parley.screen.spinner")
      local set_extmark, is_writing = vim.api.nvim_buf_set_extmark, false
      local counts = { alone = 0, along = 0, pauses = 0 }
      vim.api.nvim_buf_set_extmark = function(...)
        local which = is_writing and "along" or "alone"
        counts[which] = counts[which] + 1
        return set_extmark(...)
      end
      local last = vim.uv.hrtime()
      for _ = 1, 40 do
        vim.wait(15)
        local now = vim.uv.hrtime()
        -- On a busy machine a write may come too late.
        counts.pauses = counts.pauses + (now - last > 75e6 and 2 or 0)
        last = now
        is_writing = true
        spinner.go_along(vim.api.nvim_get_current_buf())
        is_writing = false
      end
      vim.api.nvim_buf_set_extmark = set_extmark
      return counts`);
    expect(along).toBeGreaterThan(0);
    expect(alone).toBeLessThanOrEqual(1 + (pauses ?? 0));
  });

  it("covers the unfinished mark with progress that moves, and only with that", async () => {
    await editor.lua("vim.api.nvim_buf_set_lines(0, -1, -1, false, { '', (...) })", unfinished);
    await editor.lua(`Told = {}
      if vim.fn.exists("##Progress") == 0 then return end
      vim.api.nvim_create_autocmd("Progress", {
        callback = function(event) table.insert(Told, event.data) end,
      })
      Cancel = function(id)
        local how = { kind = "progress", source = "parley", status = "cancel", id = id }
        vim.api.nvim_echo({ { "stop" } }, false, how)
      end`);
    await show({ unfinished_line: 8, status: { kind: "progress", text: "asking", line: 8 } });
    const row = async () => (await editor.screen())[8] ?? "";
    const first = await row();
    expect(first).toMatch(/^\S asking$/);
    await poll("another picture", async () => (await row()) !== first);
    await show({ unfinished_line: 8, status: { kind: "progress", text: "writing", line: 8 } });
    expect((await editor.screen()).filter((line) => line.includes("writing"))).toHaveLength(1);
    await editor.lua("local _, last = next(Told) if last then Cancel(last.id) end");
    await show({ unfinished_line: 8, status: { kind: "info", text: "it was stopped", line: 8 } });
    expect(await row()).toBe("it was stopped");
    // Neovim has progress messages from 0.12 on.
    if (/^0\.1[01]\./.test(neovim.version)) return;
    const told = await editor.lua<Record<string, unknown>[]>("return Told");
    const common = { title: "show", source: "parley", data: { buf: buffer } };
    expect(told).toMatchObject([
      { ...common, status: "running", text: ["asking"] },
      { ...common, status: "running", text: ["writing"] },
      { status: "cancel" },
      { ...common, status: "success", text: ["done"], percent: 100 },
    ]);
    expect(new Set(told.map(({ id }) => id)).size).toBe(1);
    const stops = () => editor.received("stop");
    await poll("the stop", async () => (await stops()).length > 0);
    expect(await stops()).toMatchObject([{ buf: buffer }]);
    expect(await editor.lua("return vim.fn.execute('messages')")).not.toContain("asking");
    expect(await editor.lua("return vim.o.messagesopt")).toContain("progress:c");
  });

  it("counts down to the next attempt, and says when it is sent", async () => {
    await editor.lua("vim.api.nvim_buf_set_lines(0, -1, -1, false, { '', (...) })", unfinished);
    const text = "attempt 2 of 4: OpenAI accepts no more requests for now";
    await show({
      unfinished_line: 8,
      status: { kind: "progress", text, line: 8, wait_ms: 1500 },
    });
    const row = async () => (await editor.screen())[8] ?? "";
    expect(await row()).toMatch(/^\S retrying in 2 s, attempt 2 of 4: OpenAI accepts no more/);
    await poll("a second less", async () => (await row()).includes("retrying in 1 s,"));
    await poll("the next attempt", async () => (await row()).includes("retrying now, attempt 2"));
    await show({ unfinished_line: 8, status: { kind: "progress", text: "gpt-5", line: 8 } });
    expect(await row()).toMatch(/^\S gpt-5$/);
  });

  it("puts the usage at the end of its answer, below where there is no room", async () => {
    await show({ usage: { text: "12 tokens in, 3 out", line: 4 } });
    expect((await editor.screen())[4]).toMatch(/^Words\. {10,}12 tokens in, 3 out$/);
    await show({ usage: { text: `${"many words ".repeat(12)}end`, line: 4 } });
    const rows = await editor.screen();
    expect(rows[4]).toBe("Words.");
    expect(rows[5]).toMatch(/^many words/);
    await onScreen("words end");
  });

  it("has the statusline ready, for this buffer alone", async () => {
    const statusline = () => editor.lua<string>("return require('parley').statusline()");
    await show({ statusline: "gpt-5 · answering" });
    expect(await statusline()).toBe("gpt-5 · answering");
    await editor.lua(
      "vim.o.laststatus = 2 vim.o.statusline = '%{v:lua.require(\"parley\").statusline()}'",
    );
    await onScreen("gpt-5 · answering");
    await show({ statusline: "gpt-5 · 1 call waits" });
    await onScreen("gpt-5 · 1 call waits");
    await editor.nvim.command("enew");
    expect(await statusline()).toBe("");
  });

  it("wraps long messages at the window's width", async () => {
    await show({ status: { kind: "error", text: "word ".repeat(40) } });
    const rows = (await editor.screen()).filter((row) => row.startsWith("word word"));
    expect(rows.length).toBeGreaterThan(1);
    expect(rows.join(" ").match(/word/g)).toHaveLength(40);
    // Where it is seen it goes into the list of messages alone; elsewhere it is told.
    const told = () => editor.lua<string[]>("return Notified");
    const message = "word ".repeat(40);
    await editor.lua(`local messages = require("parley.messages.notify")
      Noted, Note = {}, messages.note
      messages.note = function(text) table.insert(Noted, text) end`);
    await editor.call("tell", buffer, "error", message);
    expect(await told()).toEqual([]);
    expect(await editor.lua("return Noted")).toEqual([message]);
    // A plugin that shows messages has a list of its own.
    await editor.lua("Note('listed', vim.log.levels.ERROR)");
    expect(await editor.lua("return table.remove(Notified)")).toBe("listed");
    await editor.lua("vim.api.nvim_buf_set_lines(0, 0, 0, false, vim.fn['repeat']({ '' }, 90))");
    await editor.press("gg");
    await editor.call("tell", buffer, "error", message);
    expect(await told()).toEqual([message]);
  });

  it("says what the keys do in as many words as fit, and all of them where none do", async () => {
    const status = {
      kind: "waiting",
      text: `1 call waits: ya all · yo this · ${"long ".repeat(16)}`,
      shorter: ["1 call waits: ya all · yo this", "1 wait: ya all"],
    };
    const view = { calls: [openCall], keys: true, status };
    const columns = await editor.lua("return vim.o.columns");
    await show(view);
    await onScreen("1 call waits: ya all · yo this");
    expect((await editor.screen()).join("\n")).not.toContain("long");
    await editor.nvim.command("set columns=24");
    await show(view);
    await onScreen("1 wait: ya all");
    await editor.lua("vim.o.columns = ...", columns);
    await show({ ...view, status: { kind: "waiting", text: status.text } });
    await onScreen("1 call waits: ya all · yo this · long long");
  });

  it("shows what runs behind its line, and nowhere else", async () => {
    await show({ running: [{ line: 6, text: "2 of 5" }] });
    await poll("the progress", async () => /❓.*2 of 5/u.test((await editor.screen())[6] ?? ""));
    await show({
      running: [{ line: 6, text: "running", elapsed_ms: 4200, stop: " · <C-g>x stops" }],
      status: { kind: "progress", text: "running the approved calls" },
    });
    await onScreen("running 4 s · <C-g>x stops");
    expect((await editor.screen()).join("\n")).not.toContain("the approved calls");
  });

  it("sets diagnostics", async () => {
    await show({
      diagnostics: [{ line: 6, col: 3, level: "warning", code: "broken-call", message: "Broken." }],
    });
    expect(await editor.lua("return vim.diagnostic.get(0)")).toMatchObject([
      { lnum: 6, col: 3, severity: 2, code: "broken-call", message: "Broken.", source: "parley" },
    ]);
    await show({});
    expect(await editor.lua("return vim.diagnostic.get(0)")).toEqual([]);
  });

  it("draws nothing that does not fit the text any more", async () => {
    const tick = await editor.tick();
    await editor.nvim.command("normal! ggOnew");
    const view = { calls: [openCall], keys: true };
    expect(await editor.call("show", buffer, tick, view)).toMatchObject({ status: "stale" });
    expect(await marks("parley.show")).toEqual([]);
    await editor.nvim.command("normal! dd");
    expect(await editor.call("show", buffer, tick, view)).toMatchObject({ status: "shown" });
  });

  it("draws nothing on a line that is not there, whatever the tick says", async () => {
    const view = { unfinished_line: 4000, status: { kind: "progress", text: "live" } };
    const tick = await editor.tick();
    expect(await editor.call("show", buffer, tick, view)).toMatchObject({ status: "stale", tick });
  });

  it("scrolls so that what is below the last line is seen", async () => {
    await editor.lua(
      "vim.api.nvim_buf_set_lines(0, 4, 4, false, vim.fn['repeat']({ 'filler' }, 60))",
    );
    await editor.nvim.command("normal! Gzb");
    await show({
      calls: [{ ...openCall, line: 66 }],
      keys: true,
      status: { kind: "waiting", text: "the prompt", line: 66 },
    });
    await onScreen("the prompt");
    expect(await editor.lua("return vim.fn.line('.')")).toBe(67);
    // In a chat that was just opened the cursor goes to the call with the first drawing.
    const path = editor.writeChat("opened.md", chat);
    await editor.nvim.command(`set lines=14 | edit! ${path}`);
    buffer = await editor.lua<number>("return vim.api.nvim_get_current_buf()");
    const told = () => editor.received("attach");
    await poll("the chat", async () => (await told()).some(({ buf }) => buf === buffer));
    const lines = Array.from({ length: 9 }, (_, index) => `  row ${index}`);
    await show({
      calls: [{ ...openCall, lines }],
      keys: true,
      status: { kind: "waiting", text: "another prompt", line: 6 },
    });
    await onScreen("another prompt");
    expect(await editor.lua("return vim.fn.line('.')")).toBe(7);
  });

  it("rests tree-sitter while an answer streams", async () => {
    const highlights = () =>
      editor.lua("return vim.treesitter.highlighter.active[(...)] ~= nil", buffer);
    await editor.lua("vim.treesitter.start((...), 'markdown')", buffer);
    await editor.lua("vim.api.nvim_buf_set_lines(0, 4, 7, false, { (...) })", unfinished);
    await editor.lua("_G.highlighter = vim.treesitter.highlighter.active[(...)]", buffer);
    const tip = await editor.call("tip_open", buffer, await editor.tick(), 3, 2, "a");
    expect(await highlights()).toBe(false);
    expect(await editor.lua("return vim.bo.syntax")).toBe("");
    await editor.call("tip_close", buffer, tip["id"]);
    // Another one would keep all trees of this one alive.
    const isSame = "return vim.treesitter.highlighter.active[(...)] == _G.highlighter";
    expect(await editor.lua(isSame, buffer)).toBe(true);
    expect(await editor.lua("return vim.wo.conceallevel")).toBe(0);
  });

  describe("folds", () => {
    const result = (lines: number) => [
      "🛠️: [web_search][call_1]",
      "",
      "```",
      ...Array.from({ length: lines }, (_, index) => `row ${index}`),
      "```",
    ];
    const folded = (line: number) => editor.nvim.call("foldclosed", [line]) as Promise<number>;

    const setUp = (options: string) =>
      editor.lua(
        `require('parley').setup({ chat_dir = ..., ${options} })`,
        join(editor.folder, "chats"),
      );
    beforeEach(() => setUp("fold_calls = false"));

    it("folds a long result that is written, and no short one", async () => {
      await editor.call(
        "apply",
        buffer,
        await editor.tick(),
        [{ start: 7, end: 7, lines: ["", ...result(3), "", ...result(30), "", "text"] }],
        "a",
      );
      expect(await folded(9)).toBe(-1);
      expect(await folded(20)).toBe(17);
      expect(await editor.nvim.call("foldclosedend", [20])).toBe(50);
      expect(await folded(52)).toBe(-1);
    });

    it("folds the long results of a file that is opened, and leaves other ways of folding alone", async () => {
      const lines = [...chat, ...result(2500), "", ...result(20), "", "end"];
      await editor.openChat("long.md", lines);
      await poll("the first fold", async () => (await folded(100)) === 8);
      await poll("the second fold", async () => (await folded(2525)) > 0);
      await editor.nvim.command("set foldmethod=indent");
      const other = [...chat, ...result(40), "", "end"];
      await editor.openChat("other.md", other);
      await editor.call(
        "apply",
        await editor.lua("return vim.fn.bufnr()"),
        await editor.tick(),
        [{ start: other.length, end: other.length, lines: result(30) }],
        "a",
      );
      expect(await folded(other.length + 5)).toBe(-1);
    });

    it.each([900, 70])("keeps a step line with %d bytes to one row", async (count) => {
      const step = `<!-- parley:step {"model":"mock/demo","state":"${"x".repeat(count)}"} -->`;
      await editor.call(
        "apply",
        buffer,
        await editor.tick(),
        [{ start: 3, end: 3, lines: [step] }],
        "a",
      );
      const rows = await editor.screen();
      expect(rows[3]).toMatch(/^step · mock\/demo/);
      expect(rows[5]).toBe(chat[4]);
    });

    it("does not fold when told so", async () => {
      await setUp("fold_calls = false, fold_results = false");
      await editor.call(
        "apply",
        buffer,
        await editor.tick(),
        [{ start: 7, end: 7, lines: result(30) }],
        "a",
      );
      expect(await folded(20)).toBe(-1);
    });
  });
});
