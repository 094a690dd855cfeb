/** What the editor has to do: bounded per frame, not per delta, and the same however long the chat is. */
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { type ModelServer, type RawTurn, startModelServer } from "../support/model-server.ts";
import { itInTurn, neovims, TestNeovim } from "../support/neovim.ts";
import { answerOf, type Counts, countFromStart, longChat, readCounts } from "./counting.ts";

let editor: TestNeovim | undefined;
let server: ModelServer | undefined;
afterEach(async () => {
  await editor?.cleanUp();
  await server?.close();
  editor = undefined;
  server = undefined;
});

async function open(
  path: string,
  exchanges: number,
  { answer = answerOf(1, 0), more = "" }: { answer?: RawTurn; more?: string } = {},
): Promise<TestNeovim> {
  server = await startModelServer({ turns: () => answer });
  const init = `${countFromStart}\nvim.o.foldexpr = "v:lua.FOLD()"`;
  const chat = { text: longChat(exchanges) + more, isOld: true };
  editor = await TestNeovim.start({ path, chat, init, env: server.environment });
  await editor.ready();
  const nvim = editor;
  await nvim.until("the first view", () => nvim.lua("return vim.b.parley_status ~= nil"));
  return nvim;
}

interface Streamed {
  readonly counts: Counts;
  /** Changes of the buffer, and the milliseconds from the first to the last. */
  readonly changes: number;
  readonly spanMs: number;
}

/** Counts from the tip's opening to the end of the stream, when the place of its mark is asked for. */
async function stream(path: string, exchanges: number, deltas: number): Promise<Streamed> {
  const nvim = await open(path, exchanges, { answer: answerOf(deltas, 1) });
  await nvim.lua(`COUNT_CALLS()
    CHANGES = { count = 0, first = nil, last = nil }
    local tip = require("parley.text.tip")
    local tip_open, tip_mark = tip.open, tip.mark
    tip.open = function(...)
      local answer = tip_open(...)
      RESET()
      vim.api.nvim_buf_attach(0, false, { on_lines = function()
        if COUNTED then return true end
        local now = vim.uv.hrtime() / 1e6
        CHANGES = { count = CHANGES.count + 1, first = CHANGES.first or now, last = now }
      end })
      return answer
    end
    tip.mark = function(...)
      COUNTED = COUNTED or { vim.deepcopy(COUNT), CHANGES.count, CHANGES.last - CHANGES.first }
      return tip_mark(...)
    end`);
  await nvim.input("G<C-g><C-g>");
  await nvim.untilText(new RegExp(`word${deltas - 1}\\n\\n💬: $`));
  const [changes, spanMs] = z
    .tuple([z.number(), z.number()])
    .parse(await nvim.lua("return { COUNTED[2], COUNTED[3] }"));
  return { counts: await readCounts(nvim, "COUNTED[1]"), changes, spanMs };
}

/** Until the host and the folds have read all of the chat. */
async function wholeRead(nvim: TestNeovim): Promise<Counts & { readonly total: number }> {
  const total = z.number().parse(await nvim.client.request("nvim_buf_line_count", [0]));
  const counts = await nvim.until("all of it to be read", async () => {
    const read = await readCounts(nvim);
    return read.lines >= 2 * total && read;
  });
  return { ...counts, total };
}

describe.each(neovims)("work in Neovim $version", ({ path, version }) => {
  const it = itInTurn(path);
  it.each([10, 1000])("streams into a chat of %i exchanges frame by frame", async (exchanges) => {
    const deltas = 300;
    const { counts, changes, spanMs } = await stream(path, exchanges, deltas);
    // A frame is 16 ms; up to three writes were earned before it, and the last does not wait for its own.
    expect(changes).toBeLessThanOrEqual(spanMs / 16 + 4);
    // On a busy machine deltas come later than one per frame: of those that do not, several are one write.
    expect(changes).toBeLessThan(deltas);
    expect(counts.calls.tip_write).toBe(changes);
    // The lines of the tip, of the answer's head and of the mark, and those on screen that are drawn again.
    // Colours read the piece of Markdown that is written, and what is below it on screen.
    expect(counts.largest).toBeLessThanOrEqual(100);
    expect(counts.lines).toBeLessThanOrEqual(changes * 60 + (spanMs / 100 + 2) * 150);
    expect(counts.folds).toBe(0);
    expect(counts.diagnostics).toBe(0);
    // Neovim's own would parse with each write; colours are looked for ten times a second, in what is new.
    expect(counts.parses).toBeLessThanOrEqual((2 * spanMs) / 100 + 15);
    // The spinner moves some ten times a second; with each write, the place that the window follows and where the write
    // ended.
    expect(counts.marks).toBeLessThanOrEqual(2 * changes + spanMs / 80 + 10);
    // A write is drawn once, with what moves beside it; colours are looked for when none came for a while.
    expect(counts.redraws).toBeLessThanOrEqual(changes + spanMs / 200 + 10);
    // The cursor moves once with each write, and twice more where the window has to scroll for it.
    expect(counts.asked.nvim_win_set_cursor).toBeLessThanOrEqual(changes + (2 * deltas) / 10 + 10);
    expect(counts.asked.nvim_get_autocmds ?? 0).toBeLessThanOrEqual(2);
    // Measures every line of the window.
    expect(counts.asked.screenpos ?? 0).toBeLessThanOrEqual(2);
    // Waiting, writing, and the end.
    expect(counts.calls.show ?? 0).toBeLessThanOrEqual(3);
    expect(counts.calls.apply ?? 0).toBe(0);
    expect(counts.calls.save ?? 0).toBe(0);
  });

  it("takes few calls of Lua for a write of an answer, redraw included", async () => {
    const deltas = 100;
    const nvim = await open(path, 10, { answer: answerOf(deltas, 20) });
    // Compiled code calls no hook.
    await nvim.lua(`jit.off() jit.flush()
      local count, tip = 0, require("parley.text.tip")
      CALLS = {}
      local write = tip.write
      tip.write = function(...)
        CALLS[#CALLS + 1] = count
        count = 0
        return write(...)
      end
      debug.sethook(function() count = count + 1 end, "c")`);
    await nvim.input("G<C-g><C-g>");
    await nvim.untilText(new RegExp(`word${deltas - 1}\\n\\n💬: $`));
    const calls = z.array(z.number()).parse(await nvim.lua("debug.sethook() return CALLS"));
    expect(calls.length).toBeGreaterThan(20);
    // A window that is drawn again as a whole takes more than twice as many.
    // The spinner, colours and a new line come beside some of them; newer Neovims add their statusline and highlighter.
    const most = version.startsWith("0.10") ? 260 : 360;
    expect(calls.toSorted((a, b) => a - b)[Math.floor(calls.length / 2)]).toBeLessThanOrEqual(most);
  });

  it("reads a chat of 10,000 exchanges in small pieces, and once", async () => {
    const nvim = await open(path, 10_000);
    const { lines, largest, total } = await wholeRead(nvim);
    expect(largest).toBeLessThanOrEqual(2000);
    // Once for the host, once for the folds, and what is drawn.
    expect(lines).toBeLessThanOrEqual(2 * total + 2000);
  });

  it("does nothing with the length of the chat when keys are pressed", async () => {
    const nvim = await open(path, 1000);
    await wholeRead(nvim);
    await nvim.lua("COUNT_CALLS() RESET()");
    // A call that cannot be read is a remark, which the host shows when the typing is over.
    await nvim.input("GA and what of that?<CR>🤖:<CR>❓: `{`<Esc>");
    await nvim.until("the remark", () => nvim.lua("return BEFORE_SHOW ~= nil"));
    const counts = await readCounts(nvim, "BEFORE_SHOW");
    expect(counts.calls).toEqual({ show: 1 });
    // A chat of 1,000 exchanges has many thousands.
    expect(counts.largest).toBeLessThanOrEqual(200);
    // Moving to the end draws a screen, and each of 30 keys a line, with the colours of the piece that it is in.
    expect(counts.lines).toBeLessThanOrEqual(2000);
    expect(counts).toMatchObject({ marks: 0, folds: 0, diagnostics: 0 });
  });

  it("reads no more than what is drawn as the cursor moves while a call waits below", async () => {
    const call = JSON.stringify({
      id: "c1",
      type: "function",
      function: { name: "web_search", arguments: '{"query":"x"}' },
    });
    const nvim = await open(path, 1000, { more: `\n🤖:[demo]\n\n❓: \`${call}\`\n` });
    await wholeRead(nvim);
    await nvim.until("the keys of the call", async () => /y[ano]/.test(await nvim.virtualText()));
    await nvim.input("gg");
    await nvim.until("the first line", () => nvim.lua("return vim.fn.line('w0') == 1"));
    await nvim.lua("RESET()");
    await nvim.input("jjjjjkkkk");
    const line = () => nvim.lua("return vim.fn.line('.')");
    await nvim.until("the keys", async () => (await line()) === 2);
    const counts = await readCounts(nvim);
    expect(counts.largest).toBeLessThanOrEqual(200);
    expect(counts.lines).toBeLessThanOrEqual(2000);
  });
});

describe.each(neovims)("a turn with calls in Neovim $version", ({ path }) => {
  it("writes every edit at once: none is refused because the file was saved before it", async () => {
    const text =
      "---\nmodel: mock/demo\n---\n\n💬: can you find the latest stock price of google and microsoft?\n";
    editor = await TestNeovim.start({ path, chat: { text }, init: countFromStart });
    await editor.ready();
    const nvim = editor;
    await nvim.lua("COUNT_CALLS()");
    await nvim.input("G<C-g><C-g>");
    await nvim.untilText(/❓: `.*\n❓: `.*$/);
    await nvim.until("the keys", async () => (await nvim.virtualText()).includes("ya"));
    await nvim.input("gg/^❓:<CR>ya");
    await nvim.untilText(/\n💬: $/);
    const { calls } = await readCounts(nvim);
    expect(calls.save).toBeGreaterThan(2);
    expect(calls.apply).toBeGreaterThan(2);
    expect(calls.stale ?? 0).toBe(0);
  });
});
