/** Random sessions in two Neovims that have the same chat open: `PARLEY_SOAK_SEEDS=1-300`. */
import { describe, expect, it } from "vitest";
import { neovims } from "../support/neovim.ts";
import { keepFailure } from "./failures.ts";
import { batches, openForSessions, reopenForSessions } from "./open.ts";
import { playSession } from "./play.ts";

describe.each(neovims)("random sessions in two Neovims $version", ({ path }) => {
  it.each(batches)("seeds $seeds", async ({ number, seeds }) => {
    const faults: Record<number, string[]> = {};
    const live = await openForSessions(path, number);
    const beside = await reopenForSessions(live);
    for (const seed of seeds) {
      const found = await playSession(live, seed, beside);
      if (found.length === 0) continue;
      faults[seed] = found;
      await keepFailure(`seed ${seed} in two Neovims`, found);
      if (live.nvim.hasEnded || beside.nvim.hasEnded) break;
    }
    expect(faults).toEqual({});
  });
});
