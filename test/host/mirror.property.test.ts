/** The host's copy of a buffer is the buffer, whatever is done to it; and an edit meant for another text is refused. */

import { afterEach, describe, expect, it } from "vitest";
import { BufferEditor } from "../../src/host/buffer.ts";
import { createLua } from "../../src/host/lua.ts";
import { neovims, TestNeovim } from "../support/neovim.ts";
import fc from "../support/property.ts";

const before = ["one", "two", "💬: three", "", "five"];

const commands = [
  "normal! ggdG",
  "normal! ggyGggdGp",
  "normal! ggdGP",
  "normal! Gp",
  "normal! ggP",
  "normal! dd",
  "normal! ggdd",
  "normal! Gdd",
  "normal! u",
  "undo 0",
  "normal! \u0012",
  "normal! ggVGJ",
  "normal! yyp",
  "normal! ggO",
  "normal! Gotext",
  "normal! ggcGnew",
  "normal! Vp",
  "%d",
  "g/./d",
  "g/^/m0",
  "v/o/d",
  "%!cat",
  "%!tac",
  "%!true",
  "%sort",
  "%s/o/\\r/e",
  "%s/\\n//e",
  "0put =['a', 'b']",
  "$put =['c', '']",
  "1,2m$",
  "%t$",
  "%normal! Ax",
  "earlier 3",
  "later 2",
  "read !printf 'x\\ny'",
  "0read !printf 'x\\ny'",
  "call setline(1, ['p', 'q'])",
  "call append(0, 'top')",
  "call deletebufline('%', 1, '$')",
  "lua vim.api.nvim_buf_set_lines(0, 0, -1, false, {})",
  "lua vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'x' })",
  "lua vim.api.nvim_buf_set_text(0, 0, 0, 0, 0, { '', 'y' })",
  "edit!",
  // Typed, each key on its own: what a command would do is shown first.
  ":%s/o/\\r/<CR>",
  ":%s/./\\0\\0/<Esc>",
  ":1s/^/x\\r/<CR>",
  ":$s/$/\\ry/<CR>",
];

async function run(nvim: TestNeovim, command: string): Promise<void> {
  if (!command.startsWith(":")) {
    await nvim.lua("pcall(vim.cmd, 'silent! ' .. ...)", command);
    return;
  }
  for (const key of command.match(/<\w+>|./g) ?? []) {
    await nvim.input(key);
    // Answered when the key was taken.
    await nvim.client.request("nvim_get_mode", []);
  }
  await nvim.input("<C-\\><C-n>");
}

const open: TestNeovim[] = [];
afterEach(async () => {
  for (const nvim of open.splice(0)) await nvim.cleanUp();
});

async function openEditor(path: string): Promise<{ nvim: TestNeovim; editor: BufferEditor }> {
  const nvim = await TestNeovim.start({ path, init: "vim.o.hidden = true" });
  open.push(nvim);
  await nvim.command("edit other.txt");
  const number = Number(await nvim.lua("return vim.api.nvim_get_current_buf()"));
  const editor = new BufferEditor(number, createLua(nvim.client));
  return { nvim, editor };
}

/** What Neovim told before its last answer is handled. */
const handled = () => new Promise((resolve) => setImmediate(resolve));

describe.each(neovims)("the host's copy of a buffer in Neovim $version", ({ path }) => {
  it("is the buffer after any commands", { timeout: 60_000 }, async () => {
    const { nvim, editor } = await openEditor(path);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...commands), { minLength: 1, maxLength: 12 }),
        async (done) => {
          await nvim.lua(
            `vim.fn.writefile(..., "other.txt") vim.cmd("silent edit! other.txt")
            vim.fn.setreg('"', { "put", "lines" }, "l")`,
            before,
          );
          let told = [...(await editor.read()).lines];
          const read: { readonly lines: readonly string[]; readonly were: readonly string[] }[] =
            [];
          let isReloaded = false;
          editor.onDetached = () => {
            isReloaded = true;
          };
          const forget = editor.onSplice(({ start, end, lines }) => {
            told.splice(start, end - start, ...lines);
          });
          for (const command of done) {
            await run(nvim, command);
            await handled();
            // What a reload changed is not told line by line: who follows reads again.
            if (isReloaded) told = [...(await editor.read()).lines];
            isReloaded = false;
            const text = await nvim.lines();
            const { lines } = await editor.read();
            expect(lines, command).toEqual(text);
            // Of a chat of any length there is one list, until somebody changes it.
            expect((await editor.read()).lines).toBe(lines);
            read.push({ lines, were: [...lines] });
            expect(told, `the splices of ${command}`).toEqual(text);
          }
          forget();
          for (const { lines, were } of read) expect(lines).toEqual(were);
        },
      ),
      { numRuns: 150, endOnFailure: true },
    );
  });

  it("is of one moment for all that a reader does before it waits again", async () => {
    const { nvim, editor } = await openEditor(path);
    await nvim.lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, ...)", before);
    await editor.read();
    let told = 0;
    const skewed: number[] = [];
    editor.onSplice(async () => {
      told += 1;
      const at = told;
      for (let step = 0; step < 10; step++) await editor.read();
      if (told !== at) skewed.push(at);
    });
    await nvim.lua(
      "for at = 1, 200 do vim.api.nvim_buf_set_lines(0, 0, 0, false, { 'line ' .. at }) end",
    );
    await nvim.until("all changes", () => told === 200);
    expect(skewed).toEqual([]);
  });

  it("hears of changes however reloads and readers that come and go meet", async () => {
    const { nvim, editor: first } = await openEditor(path);
    await nvim.lua('vim.fn.writefile(..., "other.txt") vim.cmd("silent edit! other.txt")', before);
    const lua = createLua(nvim.client);
    let editor = first;
    await editor.read();
    for (let round = 0; round < 60; round += 1) {
      // All in one breath: what Neovim tells of the reload meets those who begin to follow.
      const reload = () => nvim.client.request("nvim_command", ["silent edit!"]);
      const begin = () => {
        editor.close();
        editor = new BufferEditor(first.number, lua);
        return editor.attach();
      };
      const read = () => editor.read();
      const steps = [
        [begin, reload],
        [reload, begin],
        [begin, reload, read, reload],
        [reload, read, reload, begin],
      ][round % 4];
      await Promise.all((steps ?? []).map((step) => step()));
      await editor.read();
      const last = `round ${round}`;
      await nvim.lua("vim.api.nvim_buf_set_lines(0, -1, -1, false, { ... })", last);
      await handled();
      expect((await editor.read()).lines, last).toEqual(await nvim.lines());
    }
  });

  it("is read again when a user acted on a text that is newer", async () => {
    const { nvim, editor } = await openEditor(path);
    await nvim.lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, ...)", before);
    const { tick } = await editor.read();
    // A follower that hears nothing any more.
    editor.close();
    await nvim.lua("vim.api.nvim_buf_set_lines(0, 0, 1, false, { 'other' })");
    editor.expect(tick);
    expect((await editor.read()).lines[0]).toBe("one");
    editor.expect(Number(await nvim.lua("return vim.api.nvim_buf_get_changedtick(0)")));
    expect((await editor.read()).lines[0]).toBe("other");
  });

  it("is read however low Neovim counts its changes", async () => {
    const { nvim, editor } = await openEditor(path);
    await nvim.lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, ...)", before);
    // As Neovim 0.12 was seen to do in a new buffer: then the text was asked for again and again, and no key was heard.
    await nvim.lua("vim.api.nvim_buf_get_changedtick = function() return -1 end");
    expect(await editor.read()).toEqual({ lines: before, tick: -1 });
  });

  it("is read again when an edit was meant for another text", async () => {
    const { nvim, editor } = await openEditor(path);
    await nvim.lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, ...)", before);
    const { tick } = await editor.read();
    // An event that never came: as if Neovim had told of a line less.
    editor.events.lines(0, 1, [], tick);
    const wrong = await editor.read();
    expect(wrong.lines).toHaveLength(before.length - 1);
    const edit = { start: 1, end: 2, lines: ["changed"] };
    expect(await editor.apply(wrong, [edit], "a")).toBe("stale");
    expect(await nvim.lines()).toEqual(before);
    const right = await editor.read();
    expect(right.lines).toEqual(before);
    expect(await editor.apply(right, [edit], "a")).toBe("applied");
    expect(await nvim.lines()).toEqual(before.with(1, "changed"));
  });

  it("takes no edit of a text that somebody else found to be wrong", async () => {
    const { nvim, editor } = await openEditor(path);
    await nvim.lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, ...)", before);
    const { tick } = await editor.read();
    // Events that never came, or that told of lines that are not there.
    for (const [first, lines] of [
      [0, []],
      [1, ["one", "two", "three"]],
    ] as const) {
      editor.events.lines(first, first + 1, lines, tick);
      const wrong = await editor.read();
      editor.distrust();
      expect(await editor.read()).toEqual({ lines: before, tick: wrong.tick });
      const end = wrong.lines.length;
      for (const edit of [
        { start: 0, end: 1, lines: ["changed"] },
        { start: end - 1, end, lines: ["changed"] },
        { start: end, end, lines: ["changed"] },
      ]) {
        expect(await editor.apply(wrong, [edit], "a")).toBe("stale");
      }
      expect(await nvim.lines()).toEqual(before);
    }
  });

  it("writes beside bytes that are no UTF-8", async () => {
    const { nvim, editor } = await openEditor(path);
    await nvim.lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'a', 'raw \\255\\254', 'b' })");
    const edit = { start: 2, end: 3, lines: ["c"] };
    expect(await editor.apply(await editor.read(), [edit], "a")).toBe("applied");
    expect(await nvim.lua("return vim.fn.getline(2) == 'raw \\255\\254'")).toBe(true);
    expect((await nvim.lines())[2]).toBe("c");
  });
});
