/** Random sessions in real Neovims, hundreds of them: `PARLEY_SOAK_SEEDS=1-300`. */
import { describe, expect, it } from "vitest";
import { neovims } from "../support/neovim.ts";
import { keepFailure } from "./failures.ts";
import { batches, openForSessions } from "./open.ts";
import { playSession } from "./play.ts";

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
