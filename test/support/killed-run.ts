/** `parley run`, killed before a step of its saves that is counted, not timed. */
import { expect } from "vitest";
import { parseTranscript } from "../../src/transcript/parse.ts";
import { call, type Ended, type Place, script, scripted } from "../cli/command-line.ts";

export const question = `${scripted}💬: find it\n`;
export const turns = script(
  { text: "Let me see.", calls: [call("call_1"), call("call_2")] },
  { text: "Once more.", calls: [call("call_3")] },
  { text: "Done, with some words at the end." },
);
export const run = ["run", "chat.md", "--approve", "all"];

const hook = new URL("../soak/kill-at.mjs", import.meta.url).href;

/** The run up to its step `at`; of a run with fewer steps, all of it. */
export async function runKilledAt(
  place: Place,
  at: number,
  by: "SIGKILL" | "ENOSPC" = "SIGKILL",
): Promise<Ended> {
  const env = { NODE_OPTIONS: `--import=${hook}`, KILL_AT: String(at), KILL_BY: by };
  return place.parley(run, env);
}

/** What a kill left is a whole text of the run, which another run finishes; the finished text. */
export async function expectWholeAndFinished(place: Place): Promise<string> {
  const left = place.read();
  expect(left.startsWith(question)).toBe(true);
  expect(parseTranscript(left).problems).toEqual([]);
  expect((await place.parley(run)).code).toBe(0);
  return place.read();
}
