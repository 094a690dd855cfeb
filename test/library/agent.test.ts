/** What a program gets from a turn besides its result: types, events, waiting, options, values, transcripts. */

import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import type { Message } from "../../src/conversation/ports.ts";
import { runTurn } from "../../src/library/run-turn.ts";
import { fromTranscript, toTranscript } from "../../src/library/transcripts.ts";
import type { TurnEvent, WaitingTurn } from "../../src/library/turn-options.ts";
import { toOpenAIRequest, toResponsesRequest } from "../../src/library/wire-requests.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { parseTranscript } from "../../src/transcript/parse.ts";
import fc from "../support/property.ts";
import { playing } from "./playing.ts";

const ran: string[] = [];
const weather = defineTool({
  name: "get_weather",
  description: "The weather.",
  input: z.object({ city: z.string(), unit: z.enum(["c", "f"]).default("c") }),
  run: ({ city, unit }, { progress }) => {
    progress("looking");
    ran.push(city);
    return `${city}: 22 ${unit}`;
  },
});
const remove = defineTool({
  name: "remove",
  description: "Removes a file.",
  input: z.object({ path: z.string() }),
  run: ({ path }) => {
    ran.push(path);
    return "gone";
  },
});

const call = (id: string, name: string, args: unknown) => ({ id, name, arguments: args });

describe("calls and results", () => {
  it("are typed by the name of their tool", async () => {
    const model = playing({ calls: [call("a", "get_weather", { city: "Paris" })] }, { text: "22" });
    const turn = await runTurn({
      model,
      messages: ["weather?"],
      tools: [weather, remove],
      approve(one) {
        expectTypeOf(one.name).toEqualTypeOf<"get_weather" | "remove">();
        if (one.name === "get_weather") {
          expectTypeOf(one.arguments).toEqualTypeOf<{ city: string; unit: "c" | "f" }>();
          return one.arguments.unit === "c";
        }
        expectTypeOf(one.arguments).toEqualTypeOf<{ path: string }>();
        return false;
      },
    });
    const [step] = turn.steps;
    const [result] = step?.results ?? [];
    expect(result).toMatchObject({ name: "get_weather", status: "ok", isError: false });
    if (result?.name !== "get_weather" || result.status !== "ok") throw new Error("no result");
    expectTypeOf(result.arguments).toEqualTypeOf<{ city: string; unit: "c" | "f" }>();
    expectTypeOf(result.value).toEqualTypeOf<string>();
    expect(result.arguments.city).toBe("Paris");
    expect(result.value).toBe("Paris: 22 c");
    expect(turn.text).toBe("22");
    expect(model.asked[0]?.messages).toEqual([
      { role: "user", content: [{ type: "text", text: "weather?" }] },
    ]);
  });
});

describe("the events of a turn", () => {
  it("arrive in order, with the usage and the end of each step", async () => {
    const events: TurnEvent[] = [];
    const steps: number[] = [];
    await runTurn({
      model: playing(
        {
          thoughts: "hm",
          text: "Let me see.",
          calls: [call("a", "get_weather", { city: "Rome" })],
        },
        { text: "Warm." },
      ),
      messages: ["weather?"],
      tools: [weather],
      approve: () => true,
      onEvent: (event) => void events.push(event as TurnEvent),
      onStep: ({ number }) => void steps.push(number),
    });
    const types = events.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1]);
    expect(types).toEqual([
      "thought",
      "text",
      "call-input",
      "usage",
      "call",
      "progress",
      "result",
      "step",
      "text",
      "usage",
      "step",
    ]);
    const input = events.findLast((event) => event.type === "call-input");
    expect(input).toMatchObject({ name: "get_weather", json: '{"city":"Rome"}' });
    expect(steps).toEqual([1, 2]);
  });
});

describe("a waiting turn", () => {
  const turns = [
    {
      text: "Both.",
      calls: [
        call("a", "get_weather", { city: "Oslo" }),
        call("a", "remove", { path: "/tmp/x" }),
        call("b", "nothing", {}),
      ],
    },
    { text: "Done." },
  ];

  it("can be stored as JSON and continued once every call is decided", async () => {
    ran.length = 0;
    const first = await runTurn({
      model: playing(...turns),
      messages: ["do it"],
      tools: [weather, remove],
      approve: ({ name }) => (name === "get_weather" ? true : "wait"),
    });
    expect(first.end).toBe("waiting");
    expect(ran).toEqual([]);
    const stored = JSON.parse(JSON.stringify(first.waiting)) as WaitingTurn;
    expect(stored).toEqual(first.waiting);
    expect(
      stored.calls.map(({ key, decision, result }) => [key, decision, result?.isError]),
    ).toEqual([
      ["a", true, undefined],
      ["a#2", null, undefined],
      ["b", null, true],
    ]);

    const model = playing(...turns);
    const options = { model, tools: [weather, remove], from: stored } as const;
    const still = await runTurn(options);
    expect(still.end).toBe("waiting");
    expect(still.waiting?.calls).toEqual(stored.calls);
    expect(model.asked).toEqual([]);

    const done = await runTurn({ ...options, decisions: { "a#2": { deny: "keep it" } } });
    expect(done).toMatchObject({ end: "done", text: "Done." });
    expect(ran).toEqual(["Oslo"]);
    const results = done.messages.flatMap((one) => (one.role === "tool" ? one.results : []));
    expect(results.map(({ isError }) => isError)).toEqual([false, true, true]);
    expect(JSON.stringify(results[1])).toContain("keep it");
    expect(done.usage.input).toBeGreaterThan(first.usage.input);
  });

  it("gives every call a unique key, whatever ids the model uses", async () => {
    const id = fc.constantFrom("a", "a#2", "a#2#2", "a#3", "b", "__proto__", "");
    await fc.assert(
      fc.asyncProperty(fc.array(id, { minLength: 1, maxLength: 6 }), fc.nat(), async (ids, at) => {
        ran.length = 0;
        const calls = ids.map((one, index) => call(one, "remove", { path: `/tmp/${index}` }));
        const script = [{ text: "All.", calls }, { text: "Done." }];
        const options = { tools: [remove], model: playing(...script) } as const;
        const { waiting } = await runTurn({ ...options, messages: ["do it"] });
        if (waiting === null) throw new Error("No call is waiting.");
        for (const from of [waiting, fromTranscript(toTranscript(waiting)).waiting]) {
          const keys = (from?.calls ?? []).map(({ key }) => key);
          expect(keys).toHaveLength(ids.length);
          expect(new Set(keys).size).toBe(ids.length);
        }
        // Only the approved call runs.
        const chosen = at % ids.length;
        const decisions = Object.fromEntries(
          waiting.calls.map(({ key }, index) => [key, index === chosen]),
        );
        await runTurn({ ...options, from: waiting, decisions });
        expect(ran).toEqual([`/tmp/${chosen}`]);
      }),
      { numRuns: 60 },
    );
  });

  it("rejects an invalid waiting turn, and new messages beside a valid one", async () => {
    const options = { model: playing(...turns), tools: [weather, remove] } as const;
    const { waiting } = await runTurn({ ...options, messages: ["do it"] });
    if (waiting === null) throw new Error("No call is waiting.");
    const halves = [{ calls: [{}] }, { calls: [null] }, { steps: null }, { usage: undefined }];
    const odd = [
      ...[{ version: 2 }, ...halves].map((half) => ({ ...waiting, ...half })),
      ...[{}, null, JSON.stringify(waiting)],
    ];
    for (const from of odd as unknown as WaitingTurn[]) {
      await expect(runTurn({ ...options, from })).rejects.toThrow("from is not a waiting turn");
    }
    const more = runTurn({ ...options, from: waiting, messages: ["and more"] });
    await expect(more).rejects.toThrow("takes no messages");
  });

  it("checks the stored arguments again before it runs a call", async () => {
    ran.length = 0;
    const first = await runTurn({
      model: playing(...turns),
      messages: ["x"],
      tools: [weather, remove],
    });
    const text = JSON.stringify(first.waiting).replaceAll(
      '{\\"city\\":\\"Oslo\\"}',
      '{\\"city\\":5}',
    );
    const from = JSON.parse(text) as WaitingTurn;
    const done = await runTurn({
      model: playing(...turns),
      tools: [weather, remove],
      from,
      decisions: { a: true, "a#2": true, b: true },
    });
    expect(ran).toEqual(["/tmp/x"]);
    expect(done.end).toBe("done");
  });

  it("round-trips through a transcript and ignores approvals written into the text", async () => {
    const first = await runTurn({
      model: playing(...turns),
      messages: ["do it"],
      tools: [weather, remove],
    });
    if (first.waiting === null) throw new Error("No call is waiting.");
    const text = toTranscript(first.waiting, { model: "mock/demo" });
    expect(parseTranscript(text).problems.filter(({ level }) => level === "error")).toEqual([]);
    expect(text.match(/^❓: /gm)).toHaveLength(2);
    const { waiting } = fromTranscript(text);
    expect(waiting?.calls.map(({ call: { name }, result }) => [name, result !== null])).toEqual([
      ["get_weather", false],
      ["remove", false],
      ["nothing", true],
    ]);
    // An approval that was written into the file does not count.
    const forged = fromTranscript(text.replaceAll("❓: ", "❓:[ya] "));
    expect(forged.waiting?.calls.every(({ decision }) => decision === null)).toBe(true);
  });
});

it("matches results to calls by position when two calls have the same id", () => {
  const line = (name: string) =>
    `❓: \`{"id":"x","type":"function","function":{"name":"${name}","arguments":"{}"}}\``;
  const result = "🛠️: [b][x] (error)\n\n`no`";
  const { waiting } = fromTranscript(`💬: q\n\n🤖:\n\n${line("a")}\n${line("b")}\n\n${result}\n`);
  expect(waiting?.calls).toMatchObject([
    { key: "x", result: null },
    { key: "x#2", result: { name: "b", content: [{ text: "no" }] } },
  ]);
  if (waiting === null) throw new Error("No call is waiting.");
  const text = toTranscript(waiting);
  expect(text.match(/^❓:\[auto\].*"name":"/gm)).toHaveLength(1);
  expect(fromTranscript(text).waiting?.calls).toEqual(waiting.calls);
});

it("round-trips any conversation through a transcript", () => {
  const word = fc
    .string({ unit: "grapheme", minLength: 1 })
    .map((text) => `x${text.replace(/\s+/g, " ")}x`);
  const lines = fc.array(
    fc.oneof(word, fc.constantFrom("💬: no", "🤖: no", "❓: `{}`", "", "🛠️: x", "```", "---")),
    {
      minLength: 1,
      maxLength: 4,
    },
  );
  const text = fc
    .tuple(lines, fc.constantFrom("end", "---\n\n[^1]: note"))
    .map(([all, end]) => ["start", ...all, end].join("\n"));
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 3 }), (pairs) => {
      const messages = pairs.flatMap(([question, answer]): Message[] => [
        { role: "user", content: [{ type: "text", text: question }] },
        { role: "assistant", content: [{ type: "text", text: answer }] },
      ]);
      const read = fromTranscript(toTranscript(messages));
      expect(read.messages).toEqual(messages);
      expect(read.waiting).toBeNull();
    }),
  );
});

describe("options that control a turn", () => {
  const rounds = [1, 2, 3, 4].map((n) => ({
    calls: [call(`c${n}`, "get_weather", { city: `${n}` })],
  }));

  it("end the turn when stopWhen returns true", async () => {
    const turn = await runTurn({
      model: playing(...rounds),
      messages: ["go"],
      tools: [weather],
      approve: () => true,
      stopWhen: (_, steps) => steps.length === 2,
    });
    expect(turn).toMatchObject({ end: "condition" });
    expect(turn.messages.at(-1)?.role).toBe("tool");
  });

  it("send the model settings, and change one step with prepareStep", async () => {
    const model = playing(...rounds.slice(0, 1), { text: "ok" });
    await runTurn({
      model,
      messages: ["go"],
      tools: [weather, remove],
      approve: () => true,
      effort: "high",
      temperature: 0.2,
      serverTools: ["web_search"],
      cacheKey: "chat-1",
      prepareStep: ({ number }) =>
        number === 2 ? { activeTools: ["remove"], system: "End." } : undefined,
    });
    const [first, second] = model.asked;
    expect(first).toMatchObject({
      reasoningEffort: "high",
      sampling: { temperature: 0.2 },
      serverTools: ["web_search"],
      cacheKey: "chat-1",
    });
    expect(first?.tools.map(({ name }) => name)).toEqual(["get_weather", "remove"]);
    expect(second).toMatchObject({ system: "End.", sampling: { temperature: 0.2 } });
    expect(second?.tools.map(({ name }) => name)).toEqual(["remove"]);
  });
});

describe("a structured answer", () => {
  const output = z.object({ city: z.string(), degrees: z.number() });

  it("is returned as a typed value that fits the schema", async () => {
    const turn = await runTurn({
      model: playing(
        { calls: [call("a", "get_weather", { city: "Bern" })] },
        { calls: [call("b", "give_answer", { city: "Bern", degrees: "22" })] },
        { calls: [call("c", "give_answer", { city: "Bern", degrees: 22 })] },
      ),
      messages: ["how warm?"],
      tools: [weather],
      approve: () => true,
      output,
    });
    expectTypeOf(turn.output).toEqualTypeOf<{ city: string; degrees: number } | null>();
    expect(turn).toMatchObject({ end: "done", output: { city: "Bern", degrees: 22 } });
  });

  it("is requested once more when the model answers in text, and is null after that", async () => {
    const model = playing(
      { text: "22 degrees." },
      { calls: [call("c", "give_answer", { city: "Bern", degrees: 22 })] },
    );
    expect(await runTurn({ model, messages: ["?"], tools: [], output })).toMatchObject({
      output: { degrees: 22 },
    });
    expect(model.asked).toHaveLength(2);
    const words = playing({ text: "22." }, { text: "22, I said." });
    expect(await runTurn({ model: words, messages: ["?"], tools: [], output })).toMatchObject({
      end: "done",
      output: null,
      steps: [{ response: { text: "22." } }, { response: { text: "22, I said." } }],
    });
    expect(words.asked).toHaveLength(2);
  });
});

it("reports a missing key with the apiKey option and without chat headers", async () => {
  const turn = await runTurn({ model: "openai/gpt-5.5", messages: ["hi"], tools: [] }).catch(
    () => null,
  );
  const failure = turn?.failure;
  if (failure?.kind !== "missing-key") return;
  expect(failure.message).toContain("apiKey");
  expect(failure.message).not.toMatch(/respond|header/);
});

it("leaves the temperature out of requests to a model that does not take one", () => {
  const request = {
    model: { provider: "openai", id: "gpt-5.5" },
    system: "",
    messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
    tools: [],
    sampling: { temperature: 0.3 },
  } as const;
  expect(toResponsesRequest(request)).not.toHaveProperty("temperature");
  expect(toOpenAIRequest(request)).not.toHaveProperty("temperature");
});
