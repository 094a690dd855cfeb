/** The command line is killed inside its saves: the file is one of the whole texts it writes, and can be gone on with. */
import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  expectWholeAndFinished,
  question,
  run,
  runKilledAt,
  turns,
} from "../support/killed-run.ts";
import { processesWith } from "../support/processes.ts";
import { openPlace } from "./command-line.ts";

describe("parley run, killed", () => {
  it("leaves a whole transcript that another run finishes", { timeout: 60_000 }, async () => {
    const place = openPlace(question, { ownProgram: true });
    place.write("script.json", turns);
    expect((await place.parley(run)).code).toBe(0);
    const finished = place.read();
    // In the first save, and in the middle of the turn; `npm run soak` takes every step.
    for (const at of [8, 37]) {
      place.write("chat.md", question);
      expect((await runKilledAt(place, at)).signal, `step ${at}`).toBe("SIGKILL");
      expect(await expectWholeAndFinished(place)).toBe(finished);
    }
    await expect.poll(() => processesWith(place.folder), { timeout: 5000 }).toEqual([]);
  });

  it("leaves two runs at once one driver, though one is killed in its save", {
    timeout: 60_000,
  }, async () => {
    const place = openPlace(question, { ownProgram: true });
    place.write("script.json", turns);
    expect((await place.parley(run)).code).toBe(0);
    const finished = place.read();
    place.write("chat.md", question);
    const [, other] = await Promise.all([runKilledAt(place, 8), place.parley(run)]);
    // Whoever came second did nothing, took over what the killed one left, or found it finished.
    expect([0, 1]).toContain(other.code);
    const left = place.read();
    for (const id of ["call_1", "call_2", "call_3"]) {
      expect(left.split(`"id":"${id}"`).length, id).toBeLessThanOrEqual(2);
      expect(left.split(`][${id}]`).length, id).toBeLessThanOrEqual(2);
    }
    expect(await expectWholeAndFinished(place)).toBe(finished);
  });

  it("says that the disk is full, and leaves the file whole", { timeout: 60_000 }, async () => {
    const place = openPlace(question);
    place.write("script.json", turns);
    const ended = await runKilledAt(place, 30, "ENOSPC");
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/could not be written, so it is as it was: .*ENOSPC/);
    expect(readdirSync(place.folder).filter((name) => name.startsWith("."))).toEqual([]);
    await expectWholeAndFinished(place);
  });
});
