import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { watchSilence } from "../../../src/conversation/turn/watch-answer.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("tells a silence, tells it again, and takes it back", () => {
  const told: (number | null)[] = [];
  const watch = watchSilence((seconds) => told.push(seconds));
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

it("tells within a second that the machine has slept", () => {
  const told: (number | null)[] = [];
  const watch = watchSilence((seconds) => told.push(seconds));
  vi.setSystemTime(Date.now() + 3_600_000);
  vi.advanceTimersByTime(1_000);
  expect(told).toEqual([3601]);
  watch.end();
});
