/** The host gives memory back and keeps its code when nobody waits for it, and only then. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { collectYoung, watchIdleMemory } from "../../src/host/idle-memory.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const megabyte = 2 ** 20;

function start() {
  const state = { megabytes: 60, isBusy: false, collections: 0, keeps: 0 };
  const { used } = watchIdleMemory({
    keepCode: () => {
      state.keeps += 1;
    },
    collect: () => {
      state.collections += 1;
      state.megabytes = 65;
    },
    residentBytes: () => state.megabytes * megabyte,
    isBusy: () => state.isBusy,
  });
  return { state, used };
}

it("collects twice when it is quiet, and not again for what is little", () => {
  const { state, used } = start();
  used();
  state.megabytes = 120;
  vi.advanceTimersByTime(4000);
  used();
  vi.advanceTimersByTime(4900);
  expect(state.collections).toBe(0);
  vi.advanceTimersByTime(200);
  expect(state.collections).toBe(1);
  vi.advanceTimersByTime(60_000);
  expect(state.collections).toBe(2);
  state.megabytes = 68;
  expect(state.keeps).toBe(1);
  used();
  vi.advanceTimersByTime(60_000);
  expect([state.collections, state.keeps]).toEqual([2, 2]);
  state.megabytes = 70;
  used();
  vi.advanceTimersByTime(60_000);
  expect(state.collections).toBe(4);
});

it("waits for a turn to end, and leaves the second to later when a key comes", () => {
  const { state, used } = start();
  state.isBusy = true;
  state.megabytes = 200;
  used();
  vi.advanceTimersByTime(60_000);
  expect([state.collections, state.keeps]).toEqual([0, 0]);
  state.isBusy = false;
  vi.advanceTimersByTime(5000);
  expect(state.collections).toBe(1);
  used();
  vi.advanceTimersByTime(4000);
  expect(state.collections).toBe(1);
});

it("collects the young garbage of a start, where Node can be asked to", () => {
  const gc = vi.fn();
  vi.stubGlobal("gc", gc);
  collectYoung();
  vi.stubGlobal("gc", undefined);
  collectYoung();
  vi.unstubAllGlobals();
  expect(gc.mock.calls).toEqual([[{ type: "minor" }]]);
});
