import { describe, expect, it } from "vitest";
import { renderCallLine } from "../../../src/transcript/call-line.ts";
import {
  beginAnswer,
  beginContinuation,
  replaceAnswer,
} from "../../../src/transcript/edits/answer-edits.ts";
import { finishStep } from "../../../src/transcript/edits/finish-step.ts";
import { setHeaderValue } from "../../../src/transcript/edits/header-edits.ts";
import { applyEdits } from "../../../src/transcript/edits/layout.ts";
import { escapeAnswerText, oneLine } from "../../../src/transcript/markers.ts";
import { parseLines } from "../../../src/transcript/parse.ts";
import type { Block } from "../../../src/transcript/transcript.ts";
import fc from "../../support/property.ts";
import * as arbitrary from "../arbitraries.ts";
import { change, expectInside, has, place, runs, type Scene, sceneAt } from "../scenes.ts";

const parts = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant("text" as const), text: arbitrary.text }),
    fc.record({
      type: fc.constant("call" as const),
      call: arbitrary.call,
      decision: arbitrary.decision,
      notes: fc.constantFrom([], ["repaired"]),
      result: fc.option(arbitrary.result),
    }),
  ),
  { maxLength: 5 },
);

/** Opens a step in the exchange, as respond would. */
function open(scene: Scene): Scene {
  const { transcript, exchange } = scene;
  const { answer } = exchange;
  const isSettled = answer?.steps.at(-1)?.calls.every((call) => call.result !== null) ?? true;
  const how =
    answer === null
      ? beginAnswer
      : answer.unfinished !== null || isSettled
        ? beginContinuation
        : replaceAnswer;
  return change(scene, how(transcript, exchange, { label: "M", record: null }).edits);
}

/** Writes lines at the tip of the open step. */
function write(scene: Scene, lines: readonly string[]): Scene {
  const { line } = scene.exchange.answer!.unfinished!;
  return change(scene, [{ start: line - 1, end: line, lines }]);
}

describe("a finished step, in any transcript", () => {
  it("has no unfinished mark, keeps the steps above, and has every call once", () => {
    fc.assert(
      fc.property(place, parts, fc.boolean(), fc.boolean(), (where, response, asked, edited) => {
        const opened = open(sceneAt(where));
        fc.pre(!has(opened, "below-mark") && !has(opened, "stale-mark"));
        const texts = response.flatMap((part) => (part.type === "text" ? [part.text] : []));
        const typed = edited ? ["typed by the user"] : [];
        const scene = write(opened, [...escapeAnswerText(texts.join("\n\n")), ...typed]);
        const { answer } = scene.exchange;
        fc.pre(answer !== null);
        const edits = finishStep(scene.transcript, scene.exchange, {
          parts: response.map((part) =>
            part.type === "call" && part.result !== null
              ? { ...part, result: { ...part.result, callId: part.call.id } }
              : part,
          ),
          record: { model: "a/b" },
          previousModel: null,
          openQuestion: asked,
        });
        expectInside(scene, edits);
        const finished = change(scene, edits).exchange.answer;
        expect(finished?.unfinished).toBeNull();
        const above = answer.steps.slice(0, -1);
        expect(finished?.steps.slice(0, above.length).map((step) => step.blocks)).toEqual(
          above.map((step) => step.blocks),
        );
        const calls = response.filter((part) => part.type === "call");
        if (calls.length === 0) return;
        expect(finished?.steps.length).toBe(answer.steps.length);
        const last = finished?.steps.at(-1);
        expect(last?.calls.map((block) => block.lineText)).toEqual(
          calls.map(({ call, decision, notes }) => renderCallLine(call, decision, notes)),
        );
        expect(last?.calls.map((block) => block.result?.text)).toEqual(
          calls.map(({ result }) => result?.text.replace(/\r\n?/g, "\n")),
        );
        const content = answer.steps.at(-1)?.blocks.map(contentOf).join("\n");
        const now = last?.blocks
          .filter((block) => block.kind !== "call")
          .map(contentOf)
          .join("\n");
        expect(now).toBe(content);
      }),
      { numRuns: 300 },
    );
  });
});

/** The text of a block without its blank lines. */
function contentOf(block: Block): string {
  return block.kind === "call" ? "" : block.text.replace(/\n\s*\n/g, "\n");
}

describe("setting a header value", () => {
  it("writes any value as one line, and changes nothing else", () => {
    fc.assert(
      fc.property(arbitrary.fileLines, arbitrary.text, (lines, value) => {
        const before = parseLines(lines);
        const changed = parseLines(applyEdits(lines, setHeaderValue(before, "model", value)));
        const entry = changed.header.entries.findLast((e) => e.key === "model" && !e.append);
        expect(entry?.value).toBe(oneLine(value));
        expect(changed.exchanges.map((e) => [e.question.text, e.answer?.steps.length])).toEqual(
          before.exchanges.map((e) => [e.question.text, e.answer?.steps.length]),
        );
      }),
      runs,
    );
  });
});
