import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { StreamTip } from "../../../src/conversation/editor.ts";
import { reportSilence, watchPlace } from "../../../src/conversation/turn/watch-answer.ts";
import type { Edit } from "../../../src/transcript/transcript.ts";
import { inTurn, scene } from "../chats.ts";
import { openMemoryChat } from "../memory-chat.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** The lines of an answer that streams; its tip is in line 4. */
const streaming = ["💬: a", "", "🤖:[x]", "", "half of", "<!-- parley:unfinished open -->"];

/** How often the place was told as lost after one edit of the user. `line` is what the editor says of the tip. */
async function lostBy(
  edit: Edit,
  { line = 4, isOver = false }: { line?: number | null; isOver?: boolean },
) {
  const text = streaming.join("\n");
  const { chat } = openMemoryChat(text, []);
  chat.session = inTurn(chat.session, scene(text));
  const lost = vi.fn();
  const asked = vi.fn(async () => {
    if (isOver) end();
    return line;
  });
  const end = watchPlace(chat, { line: asked } as unknown as StreamTip, lost);
  await chat.edit("theirs", () => ({ edits: [edit] }));
  await vi.advanceTimersByTimeAsync(0);
  return { lost: lost.mock.calls.length, looks: asked.mock.calls.length };
}

describe("the place of a streaming answer", () => {
  it("is lost with its tip", async () => {
    expect(await lostBy({ start: 4, end: 5, lines: [] }, { line: null })).toMatchObject({
      lost: 1,
    });
  });

  it("is lost with its mark", async () => {
    expect(await lostBy({ start: 5, end: 6, lines: [] }, {})).toMatchObject({ lost: 1 });
  });

  it("is lost when a turn is typed between the answer and its mark", async () => {
    const turn = { start: 4, end: 4, lines: ["💬: b", "", "🤖:"] };
    expect(await lostBy(turn, {})).toMatchObject({ lost: 1 });
  });

  it("is kept when the question is deleted", async () => {
    expect(await lostBy({ start: 0, end: 2, lines: [] }, {})).toEqual({ lost: 0, looks: 1 });
  });

  it("is not checked when lines are added", async () => {
    const added = { start: 4, end: 5, lines: ["half of", "", "the answer"] };
    expect(await lostBy(added, { line: null })).toEqual({ lost: 0, looks: 0 });
  });

  it("is not reported as lost when the watch ended during the check", async () => {
    const gone = { start: 4, end: 6, lines: [] };
    expect(await lostBy(gone, { line: null, isOver: true })).toEqual({ lost: 0, looks: 1 });
  });
});

it("reportSilence reports a silence, repeats the report, and clears it when text arrives", () => {
  const told: (number | null)[] = [];
  const watch = reportSilence((seconds) => told.push(seconds));
  vi.advanceTimersByTime(9_000);
  watch.heard();
  vi.advanceTimersByTime(9_000);
  expect(told).toEqual([]);
  vi.advanceTimersByTime(7_000);
  expect(told).toEqual([10, 15]);
  watch.heard();
  watch.heard();
  expect(told).toEqual([10, 15, null]);
  watch.end();
  vi.advanceTimersByTime(60_000);
  expect(told).toHaveLength(3);
});

it("reportSilence reports within a second that the machine was asleep", () => {
  const told: (number | null)[] = [];
  const watch = reportSilence((seconds) => told.push(seconds));
  vi.setSystemTime(Date.now() + 3_600_000);
  vi.advanceTimersByTime(1_000);
  expect(told).toEqual([3601]);
  watch.end();
});
