import { describe, expect, it } from "vitest";
import { parseLines, parseTranscript } from "../../src/transcript/parse.ts";
import type { Transcript } from "../../src/transcript/transcript.ts";
import fc from "../support/property.ts";
import * as arbitrary from "./arbitraries.ts";

function checkRanges(transcript: Transcript): void {
  const { lines, exchanges, problems, header } = transcript;
  let end = header.range?.end ?? 0;
  exchanges.forEach((exchange, index) => {
    expect(exchange.index).toBe(index);
    if (index > 0) expect(exchange.range.start).toBe(end);
    else expect(exchange.range.start).toBeGreaterThanOrEqual(end);
    end = exchange.range.end;
    expect(end).toBeGreaterThan(exchange.range.start);
    expect(exchange.question.range.start).toBe(exchange.range.start);
    const { answer } = exchange;
    expect(exchange.question.range.end).toBe(answer?.range.start ?? end);
    if (answer === null) return;
    expect(answer.range.end).toBe(end);
    let place = answer.range.start;
    for (const step of answer.steps) {
      expect(step.range.start).toBeGreaterThanOrEqual(place);
      expect(step.range.end).toBeGreaterThanOrEqual(step.range.start);
      expect(step.calls).toEqual(step.blocks.filter((block) => block.kind === "call"));
      place = step.range.end;
    }
    expect(answer.tip).toBeGreaterThanOrEqual(place);
    expect(answer.tip).toBeLessThanOrEqual(end);
    if (answer.aside !== null) expect(answer.aside.start).toBeGreaterThanOrEqual(answer.tip);
    if (answer.unfinished !== null) expect(answer.tip).toBe(answer.unfinished.line);
  });
  expect(end).toBeLessThanOrEqual(lines.length);
  let line = 0;
  for (const problem of problems) {
    expect(problem.line).toBeGreaterThanOrEqual(line);
    expect(problem.line).toBeLessThan(lines.length);
    line = problem.line;
  }
}

describe("any text", () => {
  it("parses, with every range inside the text", () => {
    fc.assert(
      fc.property(arbitrary.fileLines, (lines) => {
        const transcript = parseLines(lines);
        expect(transcript.lines).toBe(lines);
        checkRanges(transcript);
      }),
      { numRuns: 1000 },
    );
  });

  it("is kept character by character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const { lines } = parseTranscript(text);
        expect([text, `${text}\n`]).toContain(`${lines.join("\n")}\n`);
      }),
    );
  });

  it("parses to the same with any earlier parse to reuse", () => {
    const change = fc.record({ at: fc.nat(), remove: fc.nat(6), lines: arbitrary.fileLines });
    fc.assert(
      fc.property(arbitrary.fileLines, arbitrary.fileLines, change, (before, other, edit) => {
        const at = edit.at % (before.length + 1);
        const after = before.toSpliced(at, edit.remove, ...edit.lines);
        const cold = parseLines(after);
        expect(parseLines(after, parseLines(before))).toEqual(cold);
        expect(parseLines(after, parseLines(other))).toEqual(cold);
        expect(parseLines(after, parseLines(after, parseLines(before)))).toEqual(cold);
      }),
      { numRuns: 1000 },
    );
  });

  it("keeps the exchanges above a change as the same objects", () => {
    const exchange = ["💬: q", "", "🤖:[m]", "", "a", ""];
    const before = parseLines([...exchange, ...exchange, ...exchange]);
    const after = parseLines([...before.lines, "more"], before);
    expect(after.exchanges[0]).toBe(before.exchanges[0]);
    expect(after.exchanges[1]).toBe(before.exchanges[1]);
    expect(after.exchanges[2]).not.toBe(before.exchanges[2]);
  });
});
