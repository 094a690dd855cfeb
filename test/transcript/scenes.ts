import { expect } from "vitest";
import { applyEdits } from "../../src/transcript/edits/layout.ts";
import { parseLines } from "../../src/transcript/parse.ts";
import type { ProblemCode } from "../../src/transcript/problems.ts";
import type { Answer, Edit, Exchange, Transcript } from "../../src/transcript/transcript.ts";
import fc from "../support/property.ts";
import * as arbitrary from "./arbitraries.ts";

/** A transcript and the exchange that is edited. */
export interface Scene {
  readonly transcript: Transcript;
  readonly exchange: Exchange;
}

/** Lines with at least one exchange, and the index of one; small, so that a counterexample is readable. */
export const place: fc.Arbitrary<readonly [string[], number]> = fc
  .tuple(arbitrary.fileLines, fc.nat(4))
  .filter(([lines]) => {
    const { exchanges, problems } = parseLines(lines);
    // Any fence written below an unclosed body of the Lua Parley closes it (format, section 1).
    return exchanges.length > 0 && !problems.some(({ code }) => code === "unclosed-legacy");
  });

export function sceneAt([lines, index]: readonly [readonly string[], number]): Scene {
  const transcript = parseLines(lines);
  return { transcript, exchange: transcript.exchanges[index % transcript.exchanges.length]! };
}

/** The scene after the edits. */
export function change({ transcript, exchange }: Scene, edits: readonly Edit[]): Scene {
  const next = parseLines(applyEdits(transcript.lines, edits), transcript);
  return { transcript: next, exchange: next.exchanges[exchange.index]! };
}

export function answerAfter(scene: Scene, edits: readonly Edit[]): Answer {
  return change(scene, edits).exchange.answer!;
}

/** Whether a problem of this kind is in the exchange. */
export function has({ transcript, exchange }: Scene, code: ProblemCode): boolean {
  const { start, end } = exchange.range;
  return transcript.problems.some((p) => p.code === code && p.line >= start && p.line < end);
}

/** The lines outside of the exchange are untouched, and the exchanges above it read as before. */
export function expectInside({ transcript, exchange }: Scene, edits: readonly Edit[]): void {
  const { start, end } = exchange.range;
  const { lines } = transcript;
  for (const edit of edits) {
    expect(edit.start).toBeGreaterThanOrEqual(start);
    expect(edit.end).toBeLessThanOrEqual(end);
  }
  const changed = applyEdits(lines, edits);
  expect(changed.slice(0, start)).toEqual(lines.slice(0, start));
  const below = lines.length - end;
  expect(changed.slice(changed.length - below)).toEqual(lines.slice(end));
  expect(parseLines(changed).exchanges.slice(0, exchange.index)).toEqual(
    transcript.exchanges.slice(0, exchange.index),
  );
}

/** The answer is open at an empty tip, and its last step has no content. */
export function expectOpen(
  { transcript, exchange }: Scene,
  tip: { readonly line: number; readonly answerLine: number },
): void {
  const { answer } = exchange;
  expect(answer?.unfinished).toEqual({ line: tip.line + 1, reason: "open" });
  expect(answer?.range.start).toBe(tip.answerLine);
  expect(transcript.lines[tip.line]).toBe("");
  expect(answer?.steps.at(-1)?.blocks).toEqual([]);
}

export const runs = { numRuns: 800 };
