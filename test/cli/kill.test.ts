/** The command line is killed at any moment: the file is one of the whole texts it writes, and can be gone on with. */
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { parseTranscript } from "../../src/transcript/parse.ts";
import { processesWith } from "../support/processes.ts";
import { call, openPlace, script, scripted } from "./command-line.ts";

const turns = script(
  { text: "Let me see.", calls: [call("call_1"), call("call_2")], delayMs: 5 },
  { text: "Once more.", calls: [call("call_3")], delayMs: 5 },
  { text: "Done, with some words at the end.", delayMs: 5 },
);
const question = `${scripted}💬: find it\n`;

const run = ["run", "chat.md", "--approve", "all"];
const rounds = 8;

describe("parley run, killed", () => {
  it("leaves a whole transcript that another run finishes", async () => {
    const whole = openPlace(question);
    whole.write("script.json", turns);
    const began = Date.now();
    expect((await whole.parley(run)).code).toBe(0);
    const lasts = Date.now() - began;
    const finished = whole.read();

    const place = openPlace(question, { ownProgram: true });
    place.write("script.json", turns);
    for (let round = 0; round < rounds; round += 1) {
      let moment = (lasts * (round + 0.5)) / rounds;
      for (let isKilled = false; !isKilled; moment /= 2) {
        place.write("chat.md", question);
        const running = place.start(run);
        // Any moment will do; of a run that was faster than the first one, an earlier one.
        await wait(moment);
        running.process.kill("SIGKILL");
        isKilled = (await running.ended).signal === "SIGKILL";
      }

      const left = place.read();
      expect(left.startsWith(question)).toBe(true);
      expect(parseTranscript(left).problems).toEqual([]);
      expect((await place.parley(run)).code).toBe(0);
      expect(place.read()).toBe(finished);
    }
    await expect.poll(() => processesWith(place.folder), { timeout: 5000 }).toEqual([]);
  }, 60_000);
});
