/** Random sessions in real Neovims, hundreds of them: `PARLEY_SOAK_SEEDS=1-300`. */
import { describe, expect, it } from "vitest";
import { neovims } from "../support/neovim.ts";
import { keepFailure } from "./failures.ts";
import { openForSessions } from "./open.ts";
import { playSession } from "./play.ts";

const [first = 1, last = 150] = (process.env.PARLEY_SOAK_SEEDS ?? "1-150").split("-").map(Number);
/** Sessions in one Neovim: enough that what one leaves behind meets the next. */
const size = 15;
const batches = Array.from({ length: Math.ceil((last - first + 1) / size) }, (_, index) => {
  const start = first + index * size;
  return {
    number: Math.floor(start / size),
    seeds: Array.from({ length: Math.min(size, last - start + 1) }, (_, more) => start + more),
  };
});

describe.each(neovims)("random sessions in Neovim $version", ({ path }) => {
  it.each(batches)("seeds $seeds", async ({ number, seeds }) => {
    const faults: Record<number, string[]> = {};
    const live = await openForSessions(path, number);
    for (const seed of seeds) {
      const found = await playSession(live, seed);
      if (found.length === 0) continue;
      faults[seed] = found;
      await keepFailure(`seed ${seed}`, found);
      if (live.nvim.hasEnded) break;
    }
    expect(faults).toEqual({});
  });
});
