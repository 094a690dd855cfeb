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

  it("says that the disk is full, and leaves the file whole", { timeout: 60_000 }, async () => {
    const place = openPlace(question);
    place.write("script.json", turns);
    const ended = await runKilledAt(place, 30, "ENOSPC");
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/could not be written, so it is as it was \(ENOSPC/);
    expect(readdirSync(place.folder).filter((name) => name.startsWith("."))).toEqual([]);
    await expectWholeAndFinished(place);
  });
});
