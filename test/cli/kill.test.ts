/**
 * When the command line is killed while saving, the file is one of the complete texts it writes, and can be
 * continued.
 */
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

describe("parley run, when it is killed", () => {
  it("leaves a complete transcript that another run finishes", { timeout: 60_000 }, async () => {
    const place = openPlace(question, { ownProgram: true });
    place.write("script.json", turns);
    expect((await place.parley(run)).code).toBe(0);
    const finished = place.read();
    // In the first save and in the middle of the turn; `npm run soak` tests every step.
    for (const at of [8, 37]) {
      place.write("chat.md", question);
      expect((await runKilledAt(place, at)).signal, `step ${at}`).toBe("SIGKILL");
      expect(await expectWholeAndFinished(place)).toBe(finished);
    }
    await expect.poll(() => processesWith(place.folder), { timeout: 5000 }).toEqual([]);
  });

  it("runs each call at most once although a second run takes part", {
    timeout: 60_000,
  }, async () => {
    const place = openPlace(question, { ownProgram: true });
    place.write("script.json", turns);
    expect((await place.parley(run)).code).toBe(0);
    const finished = place.read();
    place.write("chat.md", question);
    const [, other] = await Promise.all([runKilledAt(place, 8), place.parley(run)]);
    // The second run did nothing, took over from the killed one, or found the turn finished.
    expect([0, 1]).toContain(other.code);
    const left = place.read();
    for (const id of ["call_1", "call_2", "call_3"]) {
      expect(left.split(`"id":"${id}"`).length, id).toBeLessThanOrEqual(2);
      expect(left.split(`][${id}]`).length, id).toBeLessThanOrEqual(2);
    }
    expect(await expectWholeAndFinished(place)).toBe(finished);
  });

  it("reports that the disk is full and leaves the file complete", {
    timeout: 60_000,
  }, async () => {
    const place = openPlace(question);
    place.write("script.json", turns);
    const ended = await runKilledAt(place, 30, "ENOSPC");
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/could not be written, so it is as it was: .*ENOSPC/);
    expect(readdirSync(place.folder).filter((name) => name.startsWith("."))).toEqual([]);
    await expectWholeAndFinished(place);
  });
});
