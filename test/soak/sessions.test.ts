/** A few random sessions in real Neovims; `npm run soak` plays hundreds. */
import { describe, expect, it } from "vitest";
import { neovims } from "../support/neovim.ts";
import { openForSessions } from "./open.ts";
import { playSession } from "./play.ts";

describe.each(neovims)("random sessions in Neovim $version", ({ path }) => {
  it("lose, double and run nothing", { timeout: 60_000 }, async () => {
    const live = await openForSessions(path, 0);
    for (const seed of [1, 2, 3]) expect(await playSession(live, seed), `seed ${seed}`).toEqual([]);
  });
});
