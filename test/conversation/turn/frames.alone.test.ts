import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createFrameWriter, frameMs, keptWrites } from "../../../src/conversation/turn/frames.ts";
import fc from "../../support/property.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

// In a process of its own: a timer that another file left would be counted.
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

/** A write that is answered when the test says so. */
function slowWrite() {
  const answers: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const write = vi.fn(
    () => new Promise<void>((resolve, reject) => answers.push({ resolve, reject })),
  );
  const answer = async (error?: Error) => {
    const waiting = answers.shift();
    if (error) waiting?.reject(error);
    else waiting?.resolve();
    await vi.advanceTimersByTimeAsync(0);
  };
  return { write, answer };
}

/** Lets what is to be done soon be done. */
const soon = () => vi.advanceTimersByTimeAsync(0);

test("writes once for all parts that arrive at the same time", async () => {
  const write = vi.fn(async () => {});
  const frames = createFrameWriter(write);
  for (let count = 0; count < 1000; count += 1) frames.wake();
  expect(write).toHaveBeenCalledTimes(0);
  await soon();
  expect(write).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(100);
  expect(write).toHaveBeenCalledTimes(1);
});

test("writes the beginning of a burst at once, and the rest together", async () => {
  const write = vi.fn(async () => {});
  const frames = createFrameWriter(write);
  for (let count = 0; count < 3; count += 1) {
    frames.wake();
    await vi.advanceTimersByTimeAsync(1);
    expect(write).toHaveBeenCalledTimes(1);
  }
  await vi.advanceTimersByTimeAsync(1);
  expect(write).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(100);
  expect(write).toHaveBeenCalledTimes(2);
});

test("writes at once again after a pause", async () => {
  const write = vi.fn(async () => {});
  const frames = createFrameWriter(write);
  frames.wake();
  await vi.advanceTimersByTimeAsync(1000);
  frames.wake();
  await soon();
  expect(write).toHaveBeenCalledTimes(2);
  frames.stop();
});

test("starts no write before the previous one is answered", async () => {
  const { write, answer } = slowWrite();
  const frames = createFrameWriter(write);
  frames.wake();
  await soon();
  frames.wake();
  await vi.advanceTimersByTimeAsync(500);
  expect(write).toHaveBeenCalledTimes(1);
  await answer();
  expect(write).toHaveBeenCalledTimes(2);
  await answer();
  expect(write).toHaveBeenCalledTimes(2);
  frames.stop();
});

test("finish waits for the current write, writes once more, and then never again", async () => {
  const { write, answer } = slowWrite();
  const frames = createFrameWriter(write);
  frames.wake();
  await soon();
  let isFinished = false;
  const finished = frames.finish().then(() => {
    isFinished = true;
  });
  expect(write).toHaveBeenCalledTimes(1);
  await answer();
  expect(write).toHaveBeenCalledTimes(2);
  expect(isFinished).toBe(false);
  await answer();
  await finished;
  frames.wake();
  await vi.advanceTimersByTimeAsync(100);
  await frames.finish();
  expect(write).toHaveBeenCalledTimes(2);
});

test("stop drops a write that waits for its frame", async () => {
  const write = vi.fn(async () => {});
  const frames = createFrameWriter(write);
  frames.wake();
  await vi.advanceTimersByTimeAsync(1);
  frames.wake();
  frames.stop();
  expect(vi.getTimerCount()).toBe(0);
  await vi.advanceTimersByTimeAsync(100);
  await frames.finish();
  expect(write).toHaveBeenCalledTimes(1);
});

test("a failed write stops all writing and makes finish fail", async () => {
  const { write, answer } = slowWrite();
  const frames = createFrameWriter(write);
  frames.wake();
  await soon();
  frames.wake();
  await answer(new Error("the buffer is gone"));
  await vi.advanceTimersByTimeAsync(100);
  expect(write).toHaveBeenCalledTimes(1);
  await expect(frames.finish()).rejects.toThrow("the buffer is gone");
});

test("a write that throws synchronously makes finish fail too", async () => {
  const frames = createFrameWriter(() => {
    throw new Error("no tip");
  });
  frames.wake();
  await soon();
  await expect(frames.finish()).rejects.toThrow("no tip");
});

test("finish writes the last parts exactly once", async () => {
  const write = vi.fn(async () => {});
  const frames = createFrameWriter(write);
  frames.wake();
  await frames.finish();
  await soon();
  expect(write).toHaveBeenCalledTimes(1);
});

interface Streamed {
  /** When each write began. */
  readonly writes: readonly number[];
  /** The parts of all writes, in the order in which they were written. */
  readonly parts: readonly number[];
  /** How long each part waited. */
  readonly waits: readonly number[];
  /** Writes that were under way at the same time, at most. */
  readonly together: number;
}

/** Parts that come so many milliseconds after each other, into an editor that takes so long for each write. */
async function streamed(
  gaps: readonly number[],
  { answerMs = 0, finishes = true } = {},
): Promise<Streamed> {
  const begun = performance.now();
  const [writes, parts, waits]: [number[], number[], number[]] = [[], [], []];
  const waiting: { readonly part: number; readonly at: number }[] = [];
  let [under, together] = [0, 0];
  const frames = createFrameWriter(async () => {
    const now = performance.now();
    under += 1;
    together = Math.max(together, under);
    const taken = waiting.splice(0);
    if (taken.length > 0) writes.push(now - begun);
    for (const { part, at } of taken) {
      parts.push(part);
      waits.push(now - at);
    }
    if (answerMs > 0) await new Promise<void>((resolve) => setTimeout(resolve, answerMs));
    under -= 1;
  });
  for (const [part, gap] of gaps.entries()) {
    await vi.advanceTimersByTimeAsync(gap);
    waiting.push({ part, at: performance.now() });
    frames.wake();
  }
  if (!finishes) await vi.advanceTimersByTimeAsync(frameMs + 2 * answerMs);
  const finished = frames.finish();
  await vi.advanceTimersByTimeAsync(2 * answerMs);
  await finished;
  return { writes, parts, waits, together };
}

/** The most writes in any stretch of so many milliseconds. */
function mostWithin(writes: readonly number[], milliseconds: number): number {
  const counts = writes.map(
    (first) => writes.filter((at) => at >= first && at < first + milliseconds).length,
  );
  return Math.max(0, ...counts);
}

const median = (values: readonly number[]) =>
  [...values].sort((one, other) => one - other)[values.length >> 1];

const anyGaps = fc.oneof(
  fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 200 }),
  fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 400 }),
  fc.array(fc.integer({ min: 9, max: 20 }), { maxLength: 200 }),
  fc.array(fc.constantFrom(0, 1, 40), { maxLength: 200 }),
);

test("lets no part wait longer than a frame, and limits the writes per second, whenever parts arrive", async () => {
  await fc.assert(
    fc.asyncProperty(anyGaps, async (gaps) => {
      const { writes, parts, waits } = await streamed(gaps, { finishes: false });
      expect(parts).toEqual(gaps.map((_, part) => part));
      expect(Math.max(0, ...waits)).toBeLessThanOrEqual(frameMs);
      expect(mostWithin(writes, 1000)).toBeLessThanOrEqual(Math.ceil(1000 / frameMs) + keptWrites);
      expect(mostWithin(writes, frameMs)).toBeLessThanOrEqual(keptWrites);
    }),
    { numRuns: 40 },
  );
});

test("has one write at a time and writes all parts in order, however slow the editor is", async () => {
  const answer = fc.integer({ min: 1, max: 100 });
  await fc.assert(
    fc.asyncProperty(anyGaps, answer, fc.boolean(), async (gaps, answerMs, finishes) => {
      const { parts, waits, together } = await streamed(gaps, { answerMs, finishes });
      expect(parts).toEqual(gaps.map((_, part) => part));
      expect(together).toBe(1);
      expect(Math.max(0, ...waits)).toBeLessThanOrEqual(Math.max(frameMs, answerMs));
    }),
    { numRuns: 40 },
  );
});

test.each([
  { what: "20 a second", gap: () => 50, most: 20, waits: 0 },
  { what: "60 a second", gap: () => 17, most: 60, waits: 0 },
  { what: "100 a second", gap: () => 10, most: 57, waits: 0 },
  { what: "100 a second and unsteady", gap: (at: number) => 7 + (at % 7), most: 57, waits: 0 },
  { what: "300 a second", gap: (at: number) => 3 + Number(at % 3 === 0), most: 61, waits: 8 },
  {
    what: "four at a time, 25 times a second",
    gap: (at: number) => [1, 1, 1, 37][at % 4] ?? 0,
    most: 51,
    waits: 2,
  },
])(
  "writes parts at $what at most $most times a second, and half of them within $waits ms",
  async ({ gap, most, waits }) => {
    const gaps = Array.from({ length: 1000 }, (_, at) => gap(at));
    const seconds = gaps.reduce((sum, each) => sum + each, 0) / 1000;
    const stream = await streamed(gaps);
    expect(stream.writes.length).toBeLessThanOrEqual(most * seconds + keptWrites);
    expect(median(stream.waits)).toBeLessThanOrEqual(waits);
  },
);

test("does not delay slower parts after a fast stretch", async () => {
  const fast = Array.from({ length: 3000 }, () => 4);
  const { waits } = await streamed([...fast, ...Array.from({ length: 100 }, () => 10)]);
  // In debt every second one would wait until a frame has passed.
  expect(waits.slice(-100).filter((wait) => wait === 0).length).toBeGreaterThan(53);
});

test("sets about one timer for each write, and leaves none after stop", async () => {
  let timers = 0;
  const frames = createFrameWriter(async () => {}, {
    now: () => performance.now(),
    after(milliseconds, action) {
      timers += 1;
      const timer = setTimeout(action, milliseconds);
      return () => clearTimeout(timer);
    },
    soon(action) {
      const immediate = setImmediate(action);
      return () => clearImmediate(immediate);
    },
  });
  for (let part = 0; part < 500; part += 1) {
    frames.wake();
    await vi.advanceTimersByTimeAsync(2);
  }
  // About as many as writes, though eight times as many parts come.
  expect(timers).toBeLessThanOrEqual(63 + keptWrites);
  frames.stop();
  expect(vi.getTimerCount()).toBe(0);
});
