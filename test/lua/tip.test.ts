import { afterEach, beforeEach, describe, expect, it } from "vitest";
import fc from "../support/property.ts";
import { type Editor, neovims, poll, startEditor } from "./editor.ts";

const mark = "<!-- parley:unfinished open -->";
const chat = ["💬: one", "", "🤖:[demo]", "", "<!-- parley:unfinished open -->", "", "text below"];

describe.each(neovims)("the tip of an answer on Neovim $version", (neovim) => {
  let editor: Editor;
  let buffer: number;

  const open = async () => {
    const answer = await editor.call("tip_open", buffer, await editor.tick(), 3, 2, "a");
    expect(answer).toMatchObject({ status: "opened" });
    return answer["id"] as number;
  };
  const write = (id: number, prefix: string, text: string) =>
    editor.call("tip_write", buffer, id, prefix, text, "a");

  beforeEach(async () => {
    editor = await startEditor(neovim);
    buffer = await editor.openChat("tip.md", chat);
  });
  afterEach(() => editor.quit());

  it("writes where the answer grows, in one undo step", async () => {
    const id = await open();
    expect(await write(id, "", "Hello")).toEqual({
      status: "written",
      line: 3,
      tick: await editor.tick(),
    });
    expect(await write(id, "Hello", " you\n\nmore")).toMatchObject({ status: "written", line: 5 });
    expect(await editor.call("tip_line", buffer, id)).toBe(5);
    expect(await editor.lines()).toEqual([
      ...chat.slice(0, 3),
      "Hello you",
      "",
      "more",
      ...chat.slice(4),
    ]);
    await editor.nvim.command("undo");
    expect(await editor.lines()).toEqual(chat);
  });

  it("says what is before the tip when somebody typed there", async () => {
    const id = await open();
    await write(id, "", "Hello");
    await editor.lua("vim.api.nvim_buf_set_lines(0, 3, 4, false, { 'Hello, and' })");
    expect(await write(id, "Hello", "x")).toEqual({ status: "moved", prefix: "Hello, and" });
    await editor.lua("vim.api.nvim_win_set_cursor(0, {4, 0}) vim.cmd('normal! A!')");
    const { prefix } = (await write(id, "Hello", "x")) as { prefix: string };
    expect(await write(id, prefix, "x")).toMatchObject({ status: "written" });
  });

  it("looks nothing up where nothing else changed the text since it was opened or written at", async () => {
    const id = await open();
    await editor.lua(`LOOKED = {}
      for _, name in ipairs({ "nvim_buf_get_lines", "nvim_buf_get_extmark_by_id" }) do
        local api = vim.api[name]
        vim.api[name] = function(buf, ...)
          LOOKED[#LOOKED + 1] = name
          return api(buf, ...)
        end
      end`);
    const looked = (code: string, ...parameters: unknown[]) =>
      editor.lua<number>(`LOOKED = {} ${code} return #LOOKED`, ...parameters);
    const tipWrite = `require("parley.rpc").call("tip_write", ...)`;
    expect(await looked(tipWrite, buffer, id, "", "Hello", "a")).toBe(0);
    expect(await looked(tipWrite, buffer, id, "Hello", " you\n", "a")).toBe(0);
    expect(await looked(tipWrite, buffer, id, "", "and", "a")).toBe(0);
    await editor.lua("vim.api.nvim_buf_set_lines(0, 0, 0, false, { 'above' })");
    expect(await looked(tipWrite, buffer, id, "and", " me", "a")).toBeGreaterThan(0);
    expect((await editor.lines()).slice(4, 6)).toEqual(["Hello you", "and me"]);
  });

  it("compares a long prefix by its beginning only", async () => {
    const id = await open();
    const long = "é".repeat(500);
    await write(id, "", long);
    expect(await write(id, long.slice(0, 64), "!")).toMatchObject({ status: "written" });
    expect((await editor.lines())[3]).toBe(`${long}!`);
    expect(await write(id, `x${long}`, "!")).toMatchObject({ status: "moved", prefix: `${long}!` });
  });

  it.each([
    ["the answer's line is deleted", "3Gdd"],
    ["the answer's marker is broken", "3Gli\u000d\u001b"],
    ["the tip's line is deleted", "4Gdd"],
    ["everything around it is deleted", "2G3dd"],
    ["the unfinished mark is deleted", "5Gdd"],
    ["the whole text is deleted", "ggdG"],
  ])("is gone when %s", async (_, keys) => {
    const id = await open();
    await write(id, "", "Hello");
    await editor.nvim.command(`normal! ${keys}`);
    const before = await editor.lines();
    expect(await write(id, "Hello", "x")).toEqual({ status: "gone" });
    expect(await editor.call("tip_line", buffer, id)).toBeNull();
    expect(await editor.lines()).toEqual(before);
  });

  it.each([
    ["typed behind the mark", "5GAMINE", ["Hello you", mark, "MINE"]],
    ["typed before the mark", "5GIMINE", ["Hello you", mark, "MINE"]],
    ["typed in the mark", "5G9liMINE", ["Hello you", mark, "MINE"]],
    ["typed in place of the mark", "5GccMINE", ["Hello you", mark, "MINE"]],
    ["a part of the mark is deleted", "5G3x", ["Hello you", mark]],
    ["the mark is broken in two", "5G5li\u000d\u001b", ["Hello you", mark]],
    ["the mark is indented", "5G>>", ["Hello you", mark]],
    ["the mark is joined to the tip", "4GJ", ["Hello  you", mark]],
    ["typed before the answer's marker", "3GiMINE", ["MINE", "🤖:[demo]", "Hello you", mark]],
  ])("puts right what was %s", async (_, keys, expected) => {
    const id = await open();
    await write(id, "", "Hello");
    await editor.nvim.command(`normal! ${keys}`);
    const answer = await write(id, "Hello", " you");
    if (answer["status"] === "moved") await write(id, String(answer["prefix"]), " you");
    const lines = (await editor.lines()).map((line) => line.trimEnd());
    const first = lines.indexOf(expected[0] ?? "");
    expect(lines.slice(first, first + expected.length)).toEqual(expected);
    expect(await editor.call("tip_mark", buffer, id, "group", false)).toBe(lines.indexOf(mark));
  });

  it("is gone when the last of several lines written at once is deleted", async () => {
    const id = await open();
    await write(id, "", "Hello\nthere");
    await editor.nvim.command("normal! 5Gdd");
    expect(await write(id, "there", "x")).toEqual({ status: "gone" });
  });

  it("meets a mark below the last line, and one behind the end of its line, when the file is read again", async () => {
    for (const command of [
      "call append(4, range(9))",
      "6,7delete",
      "call setline(3, '🤖:[demo]' .. repeat('x', 99))",
    ]) {
      const id = await open();
      await write(id, "", "Hello, with some words");
      await editor.nvim.command(`${command} | silent edit!`);
      expect((await write(id, "Hello, with some words", "!"))["status"]).toMatch(/gone|moved/);
      await editor.call("tip_mark", buffer, id, "a", true);
      await editor.call("tip_close", buffer, id);
      await editor.nvim.command("silent edit!");
      expect(await editor.lines()).toEqual(chat);
    }
  });

  it.each([
    ["a line is opened above the answer's line", "normal! 3GOx"],
    ["lines are put above the answer's line", "3put! =['a', 'b']"],
    ["the answer's line is replaced by another label", "call setline(3, '🤖:[other]')"],
    ["the unfinished mark is replaced by the same text", "call setline(5, getline(5))"],
    ["a line is opened above the unfinished mark", "normal! 5GOx"],
  ])("goes on when %s", async (_, command) => {
    const id = await open();
    await write(id, "", "Hello");
    for (let round = 0; round < 2; round += 1) {
      await editor.nvim.command(command);
      expect(await write(id, "Hello", "")).toMatchObject({ status: "written" });
    }
    await write(id, "Hello", " you");
    expect(await editor.lines()).toContain("Hello you");
  });

  it("is gone when the edit that began the answer is undone", async () => {
    await editor.call(
      "apply",
      buffer,
      await editor.tick(),
      [{ start: 7, end: 7, lines: ["", "🤖:[demo]", "", "<!-- parley:unfinished open -->"] }],
      "b",
    );
    const opened = await editor.call("tip_open", buffer, await editor.tick(), 9, 8, "b");
    await editor.call("tip_write", buffer, opened["id"], "", "Hello\nyou", "b");
    await editor.nvim.command("undo");
    expect(await editor.lines()).toEqual(chat);
    expect(await editor.call("tip_write", buffer, opened["id"], "you", "x", "b")).toEqual({
      status: "gone",
    });
  });

  it("is gone when some of what was written is undone, and there again after redo", async () => {
    const edit = (text: string) => editor.press(`ggA${text}<Esc>`);
    const told = (text: string) => poll(text, async () => (await editor.lines())[0] === text);
    const id = await open();
    await write(id, "", "Hello");
    await edit("!");
    await told("💬: one!");
    await write(id, "Hello", " you");
    await editor.press("u");
    await poll("the undo", async () => (await editor.lines())[3] === "Hello");
    expect(await editor.call("tip_line", buffer, id)).toBe(null);
    expect(await write(id, "Hello", " all")).toEqual({ status: "gone" });
    await editor.press("<C-r>");
    await poll("the redo", async () => (await editor.lines())[3] === "Hello you");
    expect(await write(id, "Hello you", " all")).toMatchObject({ status: "written" });
    // The user's own change, undone before more is written, takes nothing of the answer.
    await edit("?");
    await told("💬: one!?");
    await editor.press("u");
    await told("💬: one!");
    expect(await write(id, "Hello you all", ".")).toMatchObject({ status: "written" });
    await edit("?");
    await told("💬: one!?");
    await write(id, "Hello you all.", " More.");
    await editor.press("u");
    await poll("the undo", async () => (await editor.lines())[3] === "Hello you all.");
    await edit("*");
    await told("💬: one!?*");
    expect(await write(id, "Hello you all.", " Lost.")).toEqual({ status: "gone" });
  });

  it("goes on when a preview of the undo tree undoes and redoes at once", async () => {
    const preview = (steps: number) =>
      editor.lua(
        `local quiet = { silent = true, noautocmd = true }
        for _, name in ipairs({ "undo", "redo" }) do
          for _ = 1, (...) do vim.cmd({ cmd = name, mods = quiet }) end
        end`,
        steps,
      );
    await editor.call(
      "apply",
      buffer,
      await editor.tick(),
      [{ start: 7, end: 7, lines: ["", "🤖:[demo]", "", mark, "", "below"] }],
      "b",
    );
    const opened = await editor.call("tip_open", buffer, await editor.tick(), 9, 8, "b");
    const add = (prefix: string, text: string) =>
      editor.call("tip_write", buffer, opened["id"], prefix, text, "b");
    expect(await add("", "One\n\ntwo")).toMatchObject({ status: "written" });
    await preview(1);
    expect(await add("two", " three\n")).toMatchObject({ status: "written" });
    await editor.press("ggA!<Esc>");
    await poll("the word", async () => (await editor.lines())[0] === "💬: one!");
    await preview(1);
    expect(await add("", "four")).toMatchObject({ status: "written" });
    await preview(3);
    expect(await add("four", " five")).toMatchObject({ status: "written" });
    const answer = ["🤖:[demo]", "One", "", "two three", "four five", mark, "", "below"];
    expect(await editor.lines()).toEqual(["💬: one!", ...chat.slice(1), "", ...answer]);
  });

  it("is gone with its buffer, and when it was closed", async () => {
    const id = await open();
    await editor.call("tip_close", buffer, id);
    expect(await write(id, "", "x")).toEqual({ status: "gone" });
    const second = await open();
    await editor.nvim.command("bwipeout!");
    expect(await write(second, "", "x")).toEqual({ status: "gone" });
    await editor.call("tip_close", buffer, second);
  });

  it("is closed while other answers grow in other chats", async () => {
    const first = await open();
    const firstBuffer = buffer;
    buffer = await editor.openChat("other.md", chat);
    const second = await open();
    await write(second, "", "second");
    expect(await editor.call("tip_close", buffer, second)).toBeNull();
    buffer = firstBuffer;
    expect(await write(first, "", "first")).toMatchObject({ status: "written" });
    expect(await editor.call("tip_close", buffer, first)).toBeNull();
  });

  it("refuses a place of another text, and one without an answer", async () => {
    expect(await editor.call("tip_open", buffer, 1, 3, 2, "a")).toMatchObject({ status: "stale" });
    expect(await editor.call("tip_open", buffer, await editor.tick(), 3, 0, "a")).toEqual({
      status: "gone",
    });
  });

  it("keeps both texts whatever a user types, wherever", async () => {
    const chunk = fc.stringMatching(/^[a-z \n]{1,12}$/);
    const edit = fc.record({
      row: fc.nat(20),
      column: fc.nat(20),
      text: fc.stringMatching(/^[A-Z]{1,4}$/),
    });
    const steps = fc.array(fc.oneof(chunk, edit), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(steps, async (list) => {
        await editor.lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, (...))", chat);
        const id = await open();
        let prefix = "";
        let streamed = "";
        let typed = "";
        for (const step of list) {
          if (typeof step === "string") {
            let answer = await write(id, prefix, step);
            if (answer["status"] === "moved") {
              prefix = answer["prefix"] as string;
              answer = await write(id, prefix, step);
            }
            expect(answer["status"]).toBe("written");
            const cut = step.lastIndexOf("\n") + 1;
            prefix = cut > 0 ? step.slice(cut) : prefix + step;
            streamed += step;
            continue;
          }
          const did = await editor.lua<boolean>(
            `local row, column, text = ...
            local line = vim.api.nvim_buf_get_lines(0, row, row + 1, false)[1]
            -- Before the column where a line's meaning begins, the answer ends; that has a test of its own.
            if not line or line:find("^🤖") or line:find("^<!") then return false end
            column = math.min(column, #line)
            while column < #line and vim.str_utf_start(line, column + 1) ~= 0 do column = column + 1 end
            vim.api.nvim_buf_set_text(0, row, column, row, column, { text })
            return true`,
            step.row,
            step.column,
            step.text,
          );
          if (did) typed += step.text;
        }
        await editor.call("tip_close", buffer, id);
        const all = (await editor.lines()).slice(2).join("\n");
        const tail = all.indexOf("<!-- parley:unfinished");
        const own = (await editor.lines()).join("\n").replace(/[^A-Z]/g, "");
        expect([...own].sort().join("")).toBe([...typed].sort().join(""));
        const body = all.slice(all.indexOf("\n") + 1, tail - 1).replace(/[A-Z]/g, "");
        expect(body).toBe(streamed);
      }),
      { numRuns: 40 },
    );
  });
});
