/** Work ahead of a request changes nothing of it, whatever the chat, the vendor, and what happens in between. */
import { afterEach, describe, expect, it } from "vitest";
import { chatText } from "../../../bench/lib/chats.mjs";
import { makeHistoryAhead } from "../../../src/app/open-chat/history-ahead.ts";
import type { ModelName } from "../../../src/conversation/ports.ts";
import { buildMessages } from "../../../src/conversation/request/build-messages.ts";
import { estimateSize } from "../../../src/conversation/request/request-size.ts";
import { createMemoryLessons } from "../../../src/providers/learning/lessons.ts";
import { createModels } from "../../../src/providers/models.ts";
import { bodyBytes } from "../../../src/providers/request/body-bytes.ts";
import { routeOf } from "../../../src/providers/route.ts";
import { vendors } from "../../../src/providers/vendors/vendors.ts";
import { forgetKept } from "../../../src/shared/kept.ts";
import { parseLines } from "../../../src/transcript/parse.ts";
import type { Transcript } from "../../../src/transcript/transcript.ts";
import { defaults } from "../../support/configuration.ts";
import { edited } from "../../support/edited-chats.ts";
import fc from "../../support/property.ts";

const lessons = createMemoryLessons();
const models = createModels({ providers: {}, environment: {}, lessons });
const asked: readonly ModelName[] = [
  ...[...vendors.values()].flatMap(({ id, models: [first = ""] }) => ({ provider: id, id: first })),
  { provider: "openai", id: "gpt-4.1" },
  { provider: "mock", id: "demo" },
];

function addressOf(model: ModelName): string {
  const route = routeOf({ model }, { providers: {}, environment: {}, lessons });
  return "failure" in route ? "" : route.address;
}

/** What a request about the last question is: its bytes, its size, its messages. */
function requestOf(transcript: Transcript, model: ModelName, maxFullExchanges: number) {
  const exchange = transcript.exchanges.at(-1);
  if (exchange === undefined) return null;
  const options = { exchange, files: new Map(), maxFullExchanges };
  const { messages, notices } = buildMessages(transcript, options);
  const request = { model, messages, tools: [], system: "Be brief." };
  const wire = models.wire(request);
  if (!("body" in wire)) throw new Error(wire.failure.message);
  const body = Buffer.from(bodyBytes(wire.body as object)).toString();
  return { body, json: JSON.stringify(wire.body), size: estimateSize(request), notices };
}

const ahead = (transcript: Transcript, model: ModelName, max_full_exchanges: number) =>
  makeHistoryAhead(
    { configuration: { ...defaults, max_full_exchanges }, models },
    transcript,
    model,
    () => false,
  );

afterEach(forgetKept);

const question = ["", "💬: and what of this?", ""];

/** What happens to the lines between the work and the request. */
const meanwhile: readonly ((lines: readonly string[], at: number) => readonly string[])[] = [
  (lines) => lines,
  (lines) => [...lines.slice(0, -1), "and of that?", ""],
  (lines) => [...lines, "🤖:", "", "an answer", ...question],
  (lines, at) => lines.toSpliced(at % lines.length, 1, "another line"),
  (lines, at) => lines.toSpliced(at % lines.length, 2),
];

describe("a request that was made ahead", () => {
  it("is the same as one that was not", async () => {
    const check = fc.asyncProperty(
      fc.array(edited, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(...asked),
      fc.constantFrom(...meanwhile),
      fc.nat(),
      fc.constantFrom(0, 1, 3, 100),
      async (texts, model, change, at, full) => {
        const lines = [...texts.join("\n\n").split("\n"), ...question];
        const before = parseLines(lines);
        await ahead(before, model, full);
        const after = parseLines(change(lines, at), before);
        const first = requestOf(after, model, full);
        // What was made once is still right after it was used.
        expect(requestOf(after, model, full)).toEqual(first);
        forgetKept();
        expect(requestOf(after, model, full)).toEqual(first);
        expect(first?.body).toBe(first?.json);
      },
    );
    await fc.assert(check, { numRuns: 300 });
  });

  it.each(asked)("is for one model alone: $provider/$id", async (model) => {
    const transcript = parseLines(chatText(60).split("\n"));
    for (const other of asked) await ahead(transcript, other, 100);
    const made = requestOf(transcript, model, 100);
    forgetKept();
    expect(requestOf(transcript, model, 100)).toEqual(made);
  });

  it.each(asked)("has ids that are nowhere else: $provider/$id", async (model) => {
    const calls = chatText(400).replace(/call_\d+/g, "call_1");
    const transcript = parseLines(calls.split("\n"));
    await ahead(transcript, model, 1000);
    const made = requestOf(transcript, model, 1000);
    forgetKept();
    expect(requestOf(transcript, model, 1000)).toEqual(made);
  });

  it("is made again when the model was found to want something else", async () => {
    const model = { provider: "deepseek", id: "deepseek-chat" };
    const transcript = parseLines(chatText(60).split("\n"));
    await ahead(transcript, model, 100);
    const before = requestOf(transcript, model, 100);
    const about = { vendor: "deepseek", model: model.id, baseUrl: addressOf(model) };
    const date = new Date().toISOString();
    lessons.add([{ ...about, lesson: { kind: "thoughts-back" }, date }]);
    const after = requestOf(transcript, model, 100);
    expect(after?.body).not.toBe(before?.body);
    forgetKept();
    expect(requestOf(transcript, model, 100)).toEqual(after);
  });

  it("takes what was made, until that is forgotten", async () => {
    const transcript = parseLines(chatText(200).split("\n"));
    const exchange = transcript.exchanges.at(-1);
    if (exchange === undefined) throw new Error("The chat has a question.");
    const built = () =>
      buildMessages(transcript, { exchange, files: new Map(), maxFullExchanges: 1000 }).messages;
    expect(built()[0]).not.toBe(built()[0]);
    await ahead(transcript, { provider: "openai", id: "gpt-5" }, 1000);
    const [first] = [built()];
    // All but the question: 200 exchanges, of which every tenth has a call and its result.
    const same = built().filter((message, index) => message === first[index]);
    expect(same).toHaveLength(200 * 2 + 20 * 2);
    forgetKept();
    expect(built()[0]).not.toBe(first[0]);
  });

  it("is made once, and only the end of a chat that has grown is made again", async () => {
    const model = { provider: "openai", id: "gpt-5" };
    const lines = chatText(400).split("\n");
    let written = 0;
    const counted = {
      ...models,
      write(request: Parameters<typeof models.write>[0]) {
        written += request.messages.filter(({ role }) => role === "user").length;
        models.write(request);
      },
    };
    const work = (transcript: Transcript) =>
      makeHistoryAhead(
        { configuration: defaults, models: counted },
        transcript,
        model,
        () => false,
      );
    const transcript = parseLines(lines);
    await work(transcript);
    expect(written).toBe(400);
    await work(parseLines([...lines.slice(0, -1), "more words", ""], transcript));
    expect(written).toBe(400);
    const grown = parseLines([...lines, "🤖:", "", "an answer", ...question], transcript);
    await work(grown);
    expect(written).toBeLessThan(400 + 160);
  });

  it("ends when it is of no use any longer, and goes on from there", async () => {
    const model = { provider: "openai", id: "gpt-5" };
    const transcript = parseLines(chatText(600).split("\n"));
    let steps = 0;
    const counted = {
      ...models,
      write(request: Parameters<typeof models.write>[0]) {
        steps += 1;
        models.write(request);
      },
    };
    const now = { configuration: defaults, models: counted };
    await makeHistoryAhead(now, transcript, model, () => steps === 2);
    expect(steps).toBe(2);
    await makeHistoryAhead(now, transcript, model, () => false);
    expect(steps).toBe(Math.ceil(600 / 160));
  });
});
