import { describe, expect, it } from "vitest";
import {
  decideCalls,
  declineCalls,
  writeResults,
} from "../../../src/transcript/edits/call-edits.ts";
import { toLineFeeds } from "../../../src/transcript/markers.ts";
import type { CallBlock, Exchange } from "../../../src/transcript/transcript.ts";
import fc from "../../support/property.ts";
import * as arbitrary from "../arbitraries.ts";
import { change, expectInside, expectOpen, place, runs, sceneAt } from "../scenes.ts";

function allCalls({ answer }: Exchange): readonly CallBlock[] {
  return answer?.steps.flatMap((step) => step.calls) ?? [];
}

function isOpen(call: CallBlock): boolean {
  return call.source === "parley" && call.result === null && call.broken === null;
}

function idOf(call: CallBlock): string {
  return `${call.call?.id}`;
}

describe("deciding calls, in any transcript", () => {
  it("changes only the decision of an open call", () => {
    fc.assert(
      fc.property(place, (where) => {
        const scene = sceneAt(where);
        const before = allCalls(scene.exchange);
        const edits = decideCalls(scene.transcript, before, "yO");
        expectInside(scene, edits);
        const decided = allCalls(change(scene, edits).exchange);
        expect(decided.map(({ lineText, ...rest }) => rest)).toEqual(
          before.map(({ lineText, ...rest }) => ({
            ...rest,
            decision: isOpen({ lineText, ...rest }) ? "yO" : rest.decision,
          })),
        );
      }),
      runs,
    );
  });

  it("gives every declined call a result, and removes broken calls without one", () => {
    fc.assert(
      fc.property(place, fc.option(arbitrary.text), (where, reason) => {
        const scene = sceneAt(where);
        const { answer } = scene.exchange;
        fc.pre(answer !== null && answer.unfinished === null);
        const last = answer.steps.at(-1)?.calls ?? [];
        fc.pre(last.length > 0);
        const edits = declineCalls(scene.transcript, last, "yN", reason);
        expectInside(scene, edits);
        const declined = change(scene, edits).exchange;
        const kept = last.filter((call) => call.broken === null || call.result !== null);
        const above = allCalls(scene.exchange).length - last.length;
        const now = allCalls(declined).slice(above);
        expect(now.map((call) => call.json)).toEqual(kept.map((call) => call.json));
        expect(now.filter((call) => call.result === null && call.source === "parley")).toEqual([]);
        const lastNow = declined.answer?.steps.at(-1)?.calls ?? [];
        if (kept.length > 0) expect(lastNow.length).toBe(kept.length);
      }),
      runs,
    );
  });

  it("writes each result below its call, and opens the next step when asked to", () => {
    const nine = fc.array(arbitrary.result, { minLength: 9, maxLength: 9 });
    fc.assert(
      fc.property(place, nine, fc.boolean(), (where, inputs, goesOn) => {
        const scene = sceneAt(where);
        const { answer } = scene.exchange;
        const calls = answer?.steps.at(-1)?.calls ?? [];
        fc.pre(answer !== null && answer.unfinished === null && calls.length < 9);
        fc.pre(calls.some(isOpen) && new Set(calls.map(idOf)).size === calls.length);
        fc.pre(!goesOn || calls.every((call) => isOpen(call) || call.result !== null));
        const results = calls.filter(isOpen).map((call, index) => ({
          call,
          result: { ...inputs[index]!, name: "t", callId: idOf(call) },
        }));
        const { edits, tip } = writeResults(
          scene.transcript,
          scene.exchange,
          results,
          goesOn ? { record: null } : null,
        );
        expectInside(scene, edits);
        const written = change(scene, edits);
        if (goesOn) expectOpen(written, tip!);
        const now = written.exchange.answer?.steps.at(goesOn ? -2 : -1)?.calls ?? [];
        expect(now.map((call) => call.json)).toEqual(calls.map((call) => call.json));
        for (const { call, result } of results) {
          const { range, ...block } = now[calls.indexOf(call)]!.result!;
          expect(range.start).toBe(now[calls.indexOf(call)]!.line + 2);
          expect(block).toEqual({ ...result, text: toLineFeeds(result.text) });
        }
      }),
      runs,
    );
  });
});
