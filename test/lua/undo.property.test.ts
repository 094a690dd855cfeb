/** What is typed and what the host writes meanwhile is undone and redone to exactly what was there. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import fc from "../support/property.ts";
import { type Editor, neovims, poll, startEditor } from "./editor.ts";

const chat = ["---", "topic: x", "---", "", "💬: one", "", "🤖:[x]", "", "Words.", "", "💬: two"];

/** One key each, in Insert mode, where all of them stay. */
const keys = [
  "x",
  "ü",
  "<CR>",
  "<BS>",
  "<Del>",
  "<Up>",
  "<Down>",
  "<C-w>",
  "<C-u>",
  "<Esc>A",
  "<Esc>i",
  "<Esc>o",
];

/** The column that Neovim keeps after `$`. */
const endOfLine = 2 ** 31 - 1;

interface Write {
  readonly at: number;
  readonly removed: number;
  readonly lines: readonly string[];
  readonly group: string;
}
const typed = fc.constantFrom(...keys);
const written: fc.Arbitrary<Write> = fc.record({
  at: fc.nat(1000),
  removed: fc.nat(2),
  lines: fc.array(fc.constantFrom("a", "b", ""), { maxLength: 3 }),
  group: fc.constantFrom("g", "h"),
});
const actions = fc.array(fc.oneof({ weight: 2, arbitrary: typed }, written), { maxLength: 14 });

describe.each(neovims)("undo on Neovim $version", (neovim) => {
  let editor: Editor;
  beforeAll(async () => {
    editor = await startEditor(neovim);
  });
  afterAll(() => editor.quit());

  let chats = 0;
  let pressed = 0;
  async function press(key: string): Promise<void> {
    pressed += 1;
    await editor.press(`${key}<Cmd>let g:pressed = ${pressed}<CR>`);
    await poll("the key", async () => (await editor.nvim.getVar("pressed")) === pressed);
  }
  async function write(buffer: number, { at, removed, lines, group }: Write): Promise<void> {
    const count = (await editor.lines()).length;
    const start = at % (count + 1);
    const edit = { start, end: Math.min(count, start + removed), lines };
    const tick = await editor.tick(buffer);
    const answer = await editor.call("apply", buffer, tick, [edit], group, {});
    expect(answer).toMatchObject({ status: "applied" });
  }

  it("brings back no line with U where one was written since, and the cursor keeps its column", async () => {
    await fc.assert(
      fc.asyncProperty(actions, written, async (steps, end) => {
        chats += 1;
        const buffer = await editor.openChat(`${chats}.md`, chat);
        await press("GA");
        for (const step of steps) {
          await (typeof step === "string" ? press(step) : write(buffer, step));
        }
        await press("<Esc>gg$");
        const tick = await editor.tick(buffer);
        // Below the first lines, so that the cursor stays in them.
        await write(buffer, { ...end, at: 4 + (end.at % 4) });
        const after = await editor.lines();
        expect(await editor.lua("return vim.fn.winsaveview().curswant")).toBe(endOfLine);
        if ((await editor.tick(buffer)) !== tick) await press("U");
        expect(await editor.lines()).toEqual(after);
        await editor.nvim.command("bwipe!");
      }),
      { numRuns: 30 },
    );
  });

  it("takes back with U what was typed in a line since", async () => {
    const buffer = await editor.openChat("since.md", chat);
    await press("GAa<Esc>");
    await write(buffer, { at: 9, removed: 0, lines: ["More."], group: "g" });
    await press("A b<Esc>A c<Esc>U");
    expect(await editor.lines()).toEqual(chat.toSpliced(9, 0, "More.").with(-1, "💬: twoa"));
  });

  it("gives back what was there, whatever was typed while something else was written", async () => {
    await fc.assert(
      fc.asyncProperty(actions, async (steps) => {
        chats += 1;
        const buffer = await editor.openChat(`${chats}.md`, chat);
        await press("GA");
        for (const step of steps) {
          await (typeof step === "string" ? press(step) : write(buffer, step));
        }
        await press("<Esc>");
        const after = await editor.lines();
        const last = await editor.nvim.call("changenr");
        await editor.nvim.command("silent undo 0");
        expect(await editor.lines()).toEqual(chat);
        await editor.nvim.command(`silent undo ${last}`);
        expect(await editor.lines()).toEqual(after);
        await editor.nvim.command("bwipe!");
      }),
      { numRuns: 60 },
    );
  });

  it("undoes what is typed below an answer without the answer", async () => {
    const buffer = await editor.openChat("below.md", chat);
    await press("GAx");
    await write(buffer, {
      at: 11,
      removed: 0,
      lines: ["", "🤖:[x]", "", "More.", "", "💬: "],
      group: "g",
    });
    await write(buffer, { at: 1, removed: 1, lines: ["topic: y"], group: "g" });
    const answered = await editor.lines();
    await editor.lua("vim.api.nvim_win_set_cursor(0, { vim.fn.line('$'), 99 })");
    await press("and<CR>more<Esc>u");
    expect(await editor.lines()).toEqual(answered);
    await press("u");
    expect(await editor.lines()).toEqual([...chat.slice(0, -1), "💬: twox"]);
  });
});
