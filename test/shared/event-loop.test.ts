/** Long computations that yield to the event loop. */
import { expect, it } from "vitest";
import { filterInTurns } from "../../src/shared/event-loop.ts";
import { turnsOf } from "../support/event-loop.ts";

/** Computes for ten milliseconds. */
function isEven(item: number): boolean {
  const end = performance.now() + 10;
  while (performance.now() < end);
  return item % 2 === 0;
}
const items = [1, 2, 3, 4, 5, 6, 7, 8];

it("filterInTurns yields to the event loop between pieces of slow work", async () => {
  const { result, turns } = await turnsOf(
    filterInTurns(items, isEven, new AbortController().signal),
  );
  expect(result).toEqual([2, 4, 6, 8]);
  expect(turns).toBeGreaterThanOrEqual(items.length / 2);
});

it("filterInTurns stops when its signal aborts", async () => {
  const stop = new AbortController();
  setImmediate(() => stop.abort());
  await expect(filterInTurns(items, isEven, stop.signal)).rejects.toThrow(/abort/);
});
