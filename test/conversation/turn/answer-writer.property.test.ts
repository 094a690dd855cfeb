import { expect, test } from "vitest";
import type { StreamPart } from "../../../src/conversation/ports.ts";
import { createAnswerWriter } from "../../../src/conversation/turn/answer-writer.ts";
import { beginAnswer } from "../../../src/transcript/edits/answer-edits.ts";
import { finishStep } from "../../../src/transcript/edits/finish-step.ts";
import { applyEdits } from "../../../src/transcript/edits/layout.ts";
import { markerAt } from "../../../src/transcript/markers.ts";
import { parseLines, parseTranscript } from "../../../src/transcript/parse.ts";
import fc from "../../support/property.ts";
import { question, scene } from "../chats.ts";
import { anyResponse, write } from "../responses.ts";

function cutSomewhere(part: StreamPart, sizes: readonly number[]): StreamPart[] {
  if (part.type !== "text-delta" && part.type !== "reasoning-delta") return [part];
  const pieces: StreamPart[] = [];
  let start = 0;
  for (const size of sizes) {
    pieces.push({ ...part, text: part.text.slice(start, start + size) });
    start += size;
  }
  return [...pieces, { ...part, text: part.text.slice(start) }];
}

test("writes the same text and parts however the deltas are split", () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 20 });
  fc.assert(
    fc.property(anyResponse, sizes, (response, cuts) => {
      const pieces = response.flatMap((part) => cutSomewhere(part, cuts));
      expect(write(pieces)).toBe(write(response));
      const [whole, cut] = [createAnswerWriter(), createAnswerWriter()];
      for (const part of response) whole.push(part);
      for (const part of pieces) cut.push(part);
      whole.end();
      cut.end();
      expect(cut.parts).toEqual(whole.parts);
    }),
  );
});

test("escapes every marker in a response except thoughts and summaries", () => {
  fc.assert(
    fc.property(anyResponse, (response) => {
      for (const line of write(response).split("\n")) {
        expect([undefined, "thought", "summary"]).toContain(markerAt(line)?.name);
      }
    }),
  );
});

/** Without the lines of its text that are its own thoughts and summaries. */
const withoutOwn = anyResponse.filter((response) =>
  response.every((part) => part.type !== "text-delta" || !/🧠|📝/.test(part.text)),
);

test("writes text that reads back as the model sent it", () => {
  fc.assert(
    fc.property(withoutOwn, (response) => {
      const writer = createAnswerWriter();
      for (const part of response) writer.push(part);
      writer.end();
      const file = `💬: why?\n\n🤖:\n\n${write(response)}\n<!-- parley:unfinished open -->\n`;
      const { exchanges, problems } = parseTranscript(file);
      // A fence that the model left open above a thought is rightly reported.
      const others = problems.filter(({ code }) => code !== "marker-in-fence");
      expect(others).toEqual([]);
      const blocks = exchanges[0]?.answer?.steps.at(-1)?.blocks ?? [];
      const texts = blocks.flatMap((block) => (block.kind === "text" ? [block.text] : []));
      const sent = writer.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
      expect(texts.join("\n\n")).toBe(sent.join("\n\n"));
    }),
    { numRuns: 1000 },
  );
});

/** The whole way of a response into the text: the answer is opened, streamed into, and its step ended. */
function answered(response: readonly StreamPart[]) {
  const { transcript, exchange } = scene(`${question}\n💬: next\n`, 0);
  const begun = beginAnswer(transcript, exchange, { label: "Model", record: null });
  const opened = applyEdits(transcript.lines, begun.edits);
  const streamed = opened.toSpliced(begun.tip.line, 1, ...write(response).split("\n"));
  const writer = createAnswerWriter();
  for (const part of response) writer.push(part);
  writer.end();
  const parts = writer.parts.map((part) =>
    part.type === "text" ? part : { ...part, decision: null, notes: [], result: null },
  );
  const finished = { parts, record: {}, previousModel: null, openQuestion: false };
  const current = parseLines(streamed);
  const now = current.exchanges[0];
  if (now === undefined) throw new Error("The exchange is gone.");
  return parseLines(applyEdits(streamed, finishStep(current, now, finished)));
}

test("adds only undecided calls to the chat, whatever the model sends", () => {
  fc.assert(
    fc.property(anyResponse, (response) => {
      const { exchanges } = answered(response);
      expect(exchanges.map((exchange) => exchange.question.text)).toEqual([
        "what does google cost?",
        "next",
      ]);
      const steps = exchanges[0]?.answer?.steps ?? [];
      const calls = steps.flatMap((step) => step.calls);
      const sent = response.flatMap((part) => (part.type === "tool-call" ? [part.call] : []));
      expect(calls.map((block) => block.call)).toEqual(sent);
      expect(calls.every((block) => block.decision === null && block.result === null)).toBe(true);
      expect(steps.length).toBeLessThanOrEqual(1);
    }),
    { numRuns: 500 },
  );
});

test("keeps the order of calls and texts", () => {
  fc.assert(
    fc.property(withoutOwn, (response) => {
      const writer = createAnswerWriter();
      for (const part of response) writer.push(part);
      writer.end();
      const { exchanges } = answered(response);
      const blocks = exchanges[0]?.answer?.steps.flatMap((step) => step.blocks) ?? [];
      const order = blocks.flatMap(({ kind }) => (kind === "thought" ? [] : [kind]));
      const isNew = (kind: string, index: number, all: readonly string[]) =>
        kind === "call" || kind !== all[index - 1];
      const sent = writer.parts.map(({ type }) => type);
      expect(order.filter(isNew)).toEqual(sent.filter(isNew));
    }),
    { numRuns: 500 },
  );
});
