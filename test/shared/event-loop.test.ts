/** Long work that lets others have their turn. */
import { expect, it } from "vitest";
import { filterInTurns } from "../../src/shared/event-loop.ts";
import { turnsOf } from "../support/event-loop.ts";

/** Ten milliseconds of work. */
function isEven(item: number): boolean {
  const end = performance.now() + 10;
  while (performance.now() < end);
  return item % 2 === 0;
}
const items = [1, 2, 3, 4, 5, 6, 7, 8];

it("a slow filter lets others have their turn after each of its pieces", async () => {
  const { result, turns } = await turnsOf(
    filterInTurns(items, isEven, new AbortController().signal),
  );
  expect(result).toEqual([2, 4, 6, 8]);
  expect(turns).toBeGreaterThanOrEqual(items.length / 2);
});

it("a slow filter ends with its signal", async () => {
  const stop = new AbortController();
  setImmediate(() => stop.abort());
  await expect(filterInTurns(items, isEven, stop.signal)).rejects.toThrow(/abort/);
});
