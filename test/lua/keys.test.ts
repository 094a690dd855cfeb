import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Editor, neovims, poll, startEditor } from "./editor.ts";

const callOne = '❓: `{"id":"call_1","type":"function","function":{"name":"web_search"}}`';
const callTwo = '❓: `{"id":"call_2","type":"function","function":{"name":"web_search"}}`';
const chat = [
  "💬: alpha beta gamma delta",
  'second (line) of the "question"',
  "",
  "🤖:[demo]",
  "",
  "Some words here.",
  "",
  callOne,
  callTwo,
];

describe.each(neovims)("approval keys on Neovim $version", (neovim) => {
  let editor: Editor;
  let buffer: number;

  async function show(calls: readonly number[], more: Record<string, unknown> = {}) {
    const lines = await editor.lines();
    return editor.call("show", buffer, await editor.tick(), {
      calls: calls.map((line) => ({
        line,
        text: lines[line],
        lines: ["mock · web_search", `  query: ${line}`],
        cut: false,
        full: ["mock · web_search", `  query: ${line}, in full`],
        ...more,
      })),
      keys: calls.length > 0,
    });
  }

  const goTo = (line: number, column = 0) =>
    editor.lua("vim.api.nvim_win_set_cursor(0, {...})", line, column);
  const register = (name = '"') => editor.nvim.call("getreg", [name]) as Promise<string>;
  const decisions = () => editor.received("key");
  const decision = () =>
    poll("a decision", async () => {
      const all = await decisions();
      return all.length > 0 && all;
    });

  const state = async () =>
    (await editor.nvim.request("nvim_get_mode", [])) as { mode: string; blocking: boolean };
  const mode = (wanted: string) =>
    poll(`mode ${wanted}`, async () => (await state()).mode === wanted);
  const waitsForMore = () => poll("a half-typed command", async () => (await state()).blocking);

  /** The text that `keys` yank; it was empty before. */
  async function yanked(keys: string, name = '"'): Promise<string> {
    await editor.lua("vim.fn.setreg((...), '')", name);
    await editor.press(keys);
    return poll(`a yank by ${keys}`, async () => (await register(name)) || false);
  }

  beforeEach(async () => {
    editor = await startEditor(neovim, { before: "vim.o.timeoutlen = 300" });
    buffer = await editor.openChat("keys.md", chat);
    await show([7, 8]);
  });
  afterEach(() => editor.quit());

  it.each(["ya", "yA", "yo", "yO"])(
    "sends %s from an open call line with what is shown",
    async (key) => {
      await goTo(9);
      await editor.press(key);
      expect(await decision()).toEqual([
        {
          action: "key",
          buf: buffer,
          key,
          line: 8,
          tick: await editor.tick(),
          shown: [
            { line: 7, text: callOne },
            { line: 8, text: callTwo },
          ],
          listed: false,
        },
      ]);
      expect(await register()).toBe("");
    },
  );

  it("decides when the two keys come slower than 'timeoutlen'", async () => {
    await goTo(8);
    await editor.press("y");
    await mode("no");
    await editor.press("o");
    expect((await decision())[0]).toMatchObject({ key: "yo", line: 7 });
    expect(await register()).toBe("");
  });

  it.each([
    ["yap", `\n${callOne}\n${callTwo}\n`],
    ["yaw", "❓"],
    ['"byaw', "❓", "b"],
    ['"b2yaw', "❓: ", "b"],
  ])("takes %s on a call line for the yank it looks like", async (keys, text, name = '"') => {
    await goTo(8);
    expect(await yanked(keys, name)).toBe(text);
    expect(await decisions()).toEqual([]);
  });

  it("gives back a key that follows a decision and is no text object", async () => {
    await goTo(8);
    await editor.press("yoj");
    await decision();
    await poll(
      "the cursor to move",
      async () => (await editor.lua("return vim.fn.line('.')")) === 9,
    );
  });

  it("leaves no count and no register pending", async () => {
    await goTo(8);
    await editor.press('"a3yo');
    await decision();
    await goTo(1);
    await editor.press("x");
    await poll("the deletion", async () => (await editor.lines())[0] !== chat[0]);
    expect((await editor.lines())[0]).toBe(": alpha beta gamma delta");
    expect(await register("a")).toBe("");
  });

  it.each([
    ["yap", '💬: alpha beta gamma delta\nsecond (line) of the "question"\n\n'],
    ["yaw", "alpha "],
    ["yiw", "alpha"],
    ["3yaw", "alpha beta gamma "],
    ["y3aw", "alpha beta gamma "],
    ["yy", "💬: alpha beta gamma delta\n"],
    ["y2w", "alpha beta "],
  ])("leaves %s alone off a call line", async (keys, text) => {
    await goTo(1, 6);
    expect(await yanked(keys)).toBe(text);
    // The maps are there again for the next key on a call line.
    await goTo(8);
    await editor.press("yo");
    expect((await decision())[0]).toMatchObject({ key: "yo" });
  });

  it("leaves a register before the yank alone off a call line", async () => {
    await goTo(1, 6);
    expect(await yanked('"ayaw', "a")).toBe("alpha ");
  });

  it("lets the operator wait for its object as long as it takes", async () => {
    await goTo(1, 6);
    await editor.press("y");
    await mode("no");
    await editor.press("a");
    await waitsForMore();
    await editor.press("w");
    await poll("the yank", async () => (await register()) === "alpha ");
    expect(await decisions()).toEqual([]);
  });

  it("leaves a foreign `omap af` alone, on and off a call line", async () => {
    await editor.lua("vim.keymap.set('o', 'af', ':<C-u>normal! 0vee<CR>')");
    await goTo(1, 6);
    expect(await yanked("yaf")).toBe("💬: alpha");
    await goTo(8);
    await editor.press("yaf");
    await poll("the yank", async () => (await register()).startsWith("❓"));
    expect(await decisions()).toEqual([]);
  });

  it("leaves a foreign `nmap yob` alone, on and off a call line, with its repetition", async () => {
    await editor.lua(`vim.keymap.set("n", "yob", function()
      _G.Toggle = function() Toggled = (Toggled or 0) + 1 end
      vim.o.operatorfunc = "v:lua.Toggle"
      return "g@l"
    end, { expr = true })`);
    const toggled = (times: number) =>
      poll(`${times} toggles`, async () => (await editor.lua("return Toggled")) === times);
    await goTo(1, 6);
    await editor.press("yob");
    await toggled(1);
    await editor.press(".");
    await toggled(2);
    for (const key of ["y", "o", "b"]) {
      await editor.press(key);
      if (key !== "b") await waitsForMore();
    }
    await toggled(3);
    await goTo(8);
    await editor.press("yob");
    await toggled(4);
    expect(await decisions()).toEqual([]);
  });

  it("leaves a foreign `ysiw` and its repetition alone", async () => {
    await editor.lua(`vim.keymap.set("n", "ys", function()
      _G.Surround = function()
        local from, to = vim.fn.getpos("'["), vim.fn.getpos("']")
        vim.api.nvim_buf_set_text(0, to[2] - 1, to[3], to[2] - 1, to[3], { ")" })
        vim.api.nvim_buf_set_text(0, from[2] - 1, from[3] - 1, from[2] - 1, from[3] - 1, { "(" })
      end
      vim.o.operatorfunc = "v:lua.Surround"
      return "g@"
    end, { expr = true })`);
    await goTo(1, 6);
    await editor.press("ysiw");
    await poll(
      "the first",
      async () => (await editor.lines())[0] === "💬: (alpha) beta gamma delta",
    );
    await goTo(1, 15);
    await editor.press(".");
    await poll(
      "the second",
      async () => (await editor.lines())[0] === "💬: (alpha) (beta) gamma delta",
    );
  });

  it("gives way to `:normal` and to macros as the plain keys do", async () => {
    await goTo(1, 6);
    await editor.lua("vim.cmd('normal yaw')");
    expect(await register()).toBe("alpha ");
    await editor.lua("vim.fn.setreg('q', 'wyiw')");
    expect(await yanked("@q")).toBe("beta");
  });

  it("puts back a map that somebody had on the buffer", async () => {
    await editor.lua(
      `require("parley.approval_maps").remove(...)
      vim.keymap.set("n", "yo", function() Foreign = true end, { buffer = true })`,
      buffer,
    );
    await show([]);
    await show([7, 8]);
    await goTo(1);
    await editor.press("yo");
    await poll("the foreign map", () => editor.lua("return Foreign"));
    await show([]);
    await editor.lua("Foreign = nil");
    await goTo(8);
    await editor.press("yo");
    await poll("the foreign map again", () => editor.lua("return Foreign"));
    expect(await decisions()).toEqual([]);
  });

  it("has no approval keys once no call is open", async () => {
    await show([]);
    expect(await editor.nvim.call("maparg", ["ya", "n"])).toBe("");
    await goTo(8);
    expect(await yanked("yaw")).not.toBe("");
    expect(await decisions()).toEqual([]);
  });

  it.each([
    ["<CR>", undefined],
    ["no network today<CR>", "no network today"],
  ])("asks for the reason of a no: %s", async (typed, reason) => {
    await goTo(8);
    await editor.press("yn");
    await mode("c");
    await editor.press(typed);
    const [sent] = await decision();
    expect(sent).toMatchObject({ key: "yn", line: 7 });
    expect(sent?.["reason"]).toBe(reason);
  });

  it("takes a no back with <Esc>", async () => {
    await goTo(8);
    await editor.press("yN");
    await mode("c");
    await editor.press("<Esc>");
    await editor.press("yo");
    expect((await decision()).map((message) => message["key"])).toEqual(["yo"]);
  });

  it("opens the full list when a call is cut, and decides there", async () => {
    await show([7, 8], { cut: true });
    await goTo(8);
    await editor.press("ya");
    await poll("the list", async () =>
      (await editor.screen()).some((row) => row.includes("query: 8, in full")),
    );
    expect(await decisions()).toEqual([]);
    await editor.press("ya");
    expect((await decision())[0]).toMatchObject({ key: "ya", buf: buffer, listed: true });
  });

  it("opens the full list when a call is off screen", async () => {
    await editor.lua(
      "vim.api.nvim_buf_set_lines(0, 3, 3, false, vim.fn['repeat']({ 'filler' }, 60))",
    );
    await show([67, 68]);
    await editor.lua("vim.api.nvim_win_set_cursor(0, {68, 0}) vim.cmd('normal! zb')");
    await editor.press("ya");
    await poll("the list", async () =>
      (await editor.screen()).some((row) => row.includes("query: 68, in full")),
    );
    expect(await decisions()).toEqual([]);
  });

  it("decides by command from anywhere, one call only at the cursor", async () => {
    await goTo(1);
    await editor.nvim.command("Parley approve");
    expect(await decisions()).toEqual([]);
    expect(await editor.lua("return Notified[#Notified]")).toContain("not on an open");
    await editor.nvim.command("Parley approve all");
    expect((await decision())[0]).toMatchObject({ key: "ya" });
  });

  it("sends what was drawn when the line was edited since", async () => {
    await editor.lua("vim.api.nvim_buf_set_text(0, 7, 5, 7, 5, { ' ' })");
    await goTo(8);
    await editor.press("yo");
    const [sent] = await decision();
    expect(sent?.["shown"]).toEqual([
      { line: 7, text: callOne },
      { line: 8, text: callTwo },
    ]);
  });

  it("lets the host write while a key waits for what follows", async () => {
    await goTo(8);
    await editor.press("ya");
    const answer = await editor.call("apply", buffer, await editor.tick(), [
      { start: 0, end: 1, lines: ["💬: changed"] },
    ]);
    expect(answer).toMatchObject({ status: "applied" });
    await decision();
  });
});
