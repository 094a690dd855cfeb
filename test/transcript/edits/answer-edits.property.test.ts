import { describe, expect, it } from "vitest";
import {
  beginAnswer,
  beginContinuation,
  openQuestion,
  replaceAnswer,
  restartStep,
  retryLastStep,
  stopStep,
} from "../../../src/transcript/edits/answer-edits.ts";
import fc from "../../support/property.ts";
import * as arbitrary from "../arbitraries.ts";
import { answerAfter, change, expectInside, expectOpen, place, runs, sceneAt } from "../scenes.ts";

const record = fc.option(
  fc.record(
    {
      model: fc.constantFrom("a/b", "mock/demo", "x-->y"),
      files: fc.dictionary(arbitrary.line, fc.constantFrom("a.txt", "b.png"), { maxKeys: 2 }),
    },
    { requiredKeys: [] },
  ),
);
const label = fc.option(fc.oneof(arbitrary.text, fc.constant("Claude[1m]")));

describe("opening a step, in any transcript", () => {
  it("begins or replaces an answer", () => {
    fc.assert(
      fc.property(place, label, record, (where, name, step) => {
        const scene = sceneAt(where);
        const { answer } = scene.exchange;
        const isEmpty = answer === null || answer.steps.every((s) => s.blocks.length === 0);
        const open = isEmpty ? beginAnswer : replaceAnswer;
        const { edits, tip } = open(scene.transcript, scene.exchange, {
          label: name,
          record: step,
        });
        expectInside(scene, edits);
        const opened = change(scene, edits);
        expectOpen(opened, tip);
        expect(opened.exchange.answer?.steps.length).toBe(1);
        if (step !== null) expect(opened.exchange.answer?.steps[0]?.record).toEqual(step);
        expect(opened.exchange.question).toEqual({
          ...scene.exchange.question,
          range: opened.exchange.question.range,
        });
        expect(opened.transcript.exchanges.length).toBe(scene.transcript.exchanges.length);
      }),
      runs,
    );
  });

  it("continues an answer above text that belongs to no step", () => {
    fc.assert(
      fc.property(place, record, (where, step) => {
        const scene = sceneAt(where);
        const { answer } = scene.exchange;
        fc.pre(answer !== null && answer.unfinished === null);
        const { edits, tip } = beginContinuation(scene.transcript, scene.exchange, {
          record: step,
        });
        expectInside(scene, edits);
        const opened = change(scene, edits);
        expectOpen(opened, tip);
        const steps = opened.exchange.answer?.steps.slice(0, -1);
        expect(steps?.map((s) => s.blocks)).toEqual(answer.steps.map((s) => s.blocks));
      }),
      runs,
    );
  });

  it("restarts the last step, finished or unfinished", () => {
    fc.assert(
      fc.property(place, record, (where, step) => {
        const scene = sceneAt(where);
        const { answer } = scene.exchange;
        fc.pre(answer !== null && answer.steps.length > 0);
        const again = answer.unfinished === null ? retryLastStep : restartStep;
        const { edits, tip } = again(scene.transcript, scene.exchange, { record: step });
        const opened = change(scene, edits);
        expectOpen(opened, tip);
        const above = opened.exchange.answer?.steps.slice(0, -1);
        expect(above).toEqual(answer.steps.slice(0, -1));
        if (again === restartStep) expectInside(scene, edits);
      }),
      runs,
    );
  });
});

describe("ending a step, in any transcript", () => {
  it("keeps the content of a step that is stopped", () => {
    fc.assert(
      fc.property(place, (where) => {
        const scene = sceneAt(where);
        const { answer } = scene.exchange;
        fc.pre(answer !== null && answer.unfinished !== null);
        const edits = stopStep(scene.transcript, scene.exchange, "length");
        expectInside(scene, edits);
        const stopped = answerAfter(scene, edits);
        expect(stopped.unfinished?.reason).toBe("length");
        expect(stopped.steps.map((step) => step.blocks)).toEqual(
          answer.steps.map((step) => step.blocks),
        );
      }),
      runs,
    );
  });

  it("adds the next question once, and only below the last exchange", () => {
    fc.assert(
      fc.property(place, (where) => {
        const scene = sceneAt(where);
        const { exchanges } = scene.transcript;
        const isLast = scene.exchange.index === exchanges.length - 1;
        const edits = openQuestion(scene.transcript, scene.exchange);
        expectInside(scene, edits);
        const opened = change(scene, edits);
        expect(opened.transcript.exchanges.length).toBe(exchanges.length + (isLast ? 1 : 0));
        if (isLast) expect(opened.exchange.answer?.aside ?? null).toBeNull();
        expect(openQuestion(opened.transcript, opened.exchange)).toEqual([]);
      }),
      runs,
    );
  });
});
