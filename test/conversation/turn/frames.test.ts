import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createFrameWriter } from "../../../src/conversation/turn/frames.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

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

test("the first reason to write is a write at once", () => {
  const write = vi.fn(async () => {});
  const frames = createFrameWriter(write);
  frames.wake();
  expect(write).toHaveBeenCalledTimes(1);
  frames.stop();
});

test("many reasons within one frame are one write, at its end", async () => {
  const write = vi.fn(async () => {});
  const frames = createFrameWriter(write, { intervalMs: 16 });
  for (let count = 0; count < 1000; count += 1) frames.wake();
  await vi.advanceTimersByTimeAsync(15);
  expect(write).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(write).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(100);
  expect(write).toHaveBeenCalledTimes(2);
});

test("a reason after a quiet time is written at once again", async () => {
  const write = vi.fn(async () => {});
  const frames = createFrameWriter(write, { intervalMs: 16 });
  frames.wake();
  await vi.advanceTimersByTimeAsync(1000);
  frames.wake();
  expect(write).toHaveBeenCalledTimes(2);
  frames.stop();
});

test("the next write waits until the last one was answered", async () => {
  const { write, answer } = slowWrite();
  const frames = createFrameWriter(write, { intervalMs: 16 });
  frames.wake();
  frames.wake();
  await vi.advanceTimersByTimeAsync(500);
  expect(write).toHaveBeenCalledTimes(1);
  await answer();
  expect(write).toHaveBeenCalledTimes(2);
  await answer();
  expect(write).toHaveBeenCalledTimes(2);
});

test("finish waits for the write under way and writes once more, then never again", async () => {
  const { write, answer } = slowWrite();
  const frames = createFrameWriter(write);
  frames.wake();
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

test("stop drops what waits for its frame", async () => {
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

test("a failed write ends the writing, and finish says so", async () => {
  const { write, answer } = slowWrite();
  const frames = createFrameWriter(write);
  frames.wake();
  frames.wake();
  await answer(new Error("the buffer is gone"));
  await vi.advanceTimersByTimeAsync(100);
  expect(write).toHaveBeenCalledTimes(1);
  await expect(frames.finish()).rejects.toThrow("the buffer is gone");
});

test("a write that throws before it waits is a failed write too", async () => {
  const frames = createFrameWriter(() => {
    throw new Error("no tip");
  });
  frames.wake();
  await expect(frames.finish()).rejects.toThrow("no tip");
});
