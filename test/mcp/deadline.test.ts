import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createDeadline } from "../../src/mcp/deadline.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe("the time of a call", () => {
  const isOver = ({ signal }: ReturnType<typeof createDeadline>) => signal.aborted;

  it("is over after its milliseconds", () => {
    const deadline = createDeadline(100, 1000);
    vi.advanceTimersByTime(99);
    expect(isOver(deadline)).toBe(false);
    vi.advanceTimersByTime(1);
    expect(isOver(deadline)).toBe(true);
  });

  it("starts again with each message of the server, but not for ever", () => {
    const deadline = createDeadline(100, 250);
    for (let word = 0; word < 4; word += 1) {
      vi.advanceTimersByTime(60);
      deadline.reset();
    }
    expect(isOver(deadline)).toBe(false);
    vi.advanceTimersByTime(10);
    expect(isOver(deadline)).toBe(true);
  });

  it("stops while any pause lasts", () => {
    const deadline = createDeadline(100, 150);
    vi.advanceTimersByTime(60);
    deadline.pause();
    deadline.pause();
    vi.advanceTimersByTime(10_000);
    deadline.resume();
    deadline.reset();
    vi.advanceTimersByTime(10_000);
    deadline.resume();
    vi.advanceTimersByTime(89);
    expect(isOver(deadline)).toBe(false);
    vi.advanceTimersByTime(1);
    expect(isOver(deadline)).toBe(true);
  });

  it.each([8, -8])("goes on after the clock was put by %i hours, as after a sleep", (hours) => {
    const deadline = createDeadline(100, 250);
    for (let word = 0; word < 4; word += 1) {
      vi.setSystemTime(Date.now() + hours * 3_600_000);
      vi.advanceTimersByTime(60);
      deadline.reset();
    }
    expect(isOver(deadline)).toBe(false);
    vi.advanceTimersByTime(10);
    expect(isOver(deadline)).toBe(true);
  });

  it("begins again after a sleep in which the clock of timers went on, as on macOS", () => {
    let asleep = 0;
    const now = performance.now.bind(performance);
    vi.spyOn(performance, "now").mockImplementation(() => now() + asleep);
    const deadline = createDeadline(100, 250);
    asleep = 3_600_000;
    vi.advanceTimersByTime(100);
    expect(isOver(deadline)).toBe(false);
    asleep *= 2;
    deadline.reset();
    vi.advanceTimersByTime(99);
    expect(isOver(deadline)).toBe(false);
    vi.advanceTimersByTime(1);
    expect(isOver(deadline)).toBe(true);
  });

  it("ends with the call", () => {
    const deadline = createDeadline(100, 1000);
    deadline.pause();
    deadline.end();
    deadline.resume();
    vi.advanceTimersByTime(5000);
    expect(isOver(deadline)).toBe(false);
  });
});
