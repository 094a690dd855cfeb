/** What servers ask of the user's model, over a real connection. */
import { describe, expect, it } from "vitest";
import { createSampler } from "../../../src/app/servers/sampler.ts";
import type { ModelRequest, StreamPart } from "../../../src/conversation/ports.ts";
import { createClientFeatures } from "../../../src/mcp/asking/client-features.ts";
import type { ServerConfiguration } from "../../../src/mcp/configured/launch-configuration.ts";
import { eventually } from "../../support/eventually.ts";
import { asking, noFeatures, start } from "../../support/mcp-server.ts";
import { everythingServer } from "../../support/real-servers.ts";
import { type Answer, scriptedUser } from "../../support/scripted-user.ts";

/** The machine may be busy. */

const text = (words: string) => ({ type: "text", text: words });
const user = (words: string) => ({ role: "user", content: text(words) });
const params = { messages: [user("What is\nnew?")], systemPrompt: "Be brief.", maxTokens: 50 };
const request = { method: "sampling/createMessage", params };
const usage: StreamPart = { type: "usage", usage: { input: 7, output: 2 } };
const finish = (reason: "stop" | "length"): StreamPart => ({
  type: "finish",
  reason,
  rawReason: reason,
});
const said: readonly StreamPart[] = [{ type: "text-delta", text: "Rain." }, usage, finish("stop")];

interface Options {
  readonly configuration?: Partial<ServerConfiguration>;
  readonly parts?: readonly StreamPart[];
  readonly maxTokens?: number | null;
  readonly budget?: number;
}

function scene(answers: readonly Answer[] | null, options: Options = {}) {
  const { configuration = {}, parts = said, maxTokens = null, budget = 25 } = options;
  const sent: ModelRequest[] = [];
  const notices: string[] = [];
  const one = scriptedUser(answers ?? []);
  const sampler = createSampler({
    model: () => ({ provider: "mock", id: "demo" }),
    maxTokens: () => maxTokens,
    async *stream(asked) {
      sent.push(asked);
      yield* parts;
    },
  });
  const features = createClientFeatures({
    ...noFeatures,
    sampler,
    user: answers === null ? null : one,
    notify: (_level: string, message: string) => notices.push(message),
  });
  const { server } = start({ ...asking, sampling: "ask", ...configuration }, { features });
  let left = budget;
  const spendModelCall = () => {
    left -= 1;
    return left >= 0;
  };
  const origin = { place: () => "line 7", spendModelCall };
  const ask = async (args: object, tool = "ask", signal = new AbortController().signal) => {
    const output = await server.call(tool, { ...args }, { signal, progress: () => {}, origin });
    return output.text.startsWith("{") ? JSON.parse(output.text) : output.text;
  };
  return { server, ask, sent, notices, one };
}

describe("a request for an answer of the model", () => {
  it("is shown whole, sent after a yes, and answered after another", async () => {
    const { ask, sent, one } = scene(["Send", "Send"]);
    expect(await ask(request)).toEqual({
      role: "assistant",
      content: text("Rain."),
      model: "mock/demo",
      stopReason: "endTurn",
    });
    expect(one.asked).toEqual([
      {
        prompt: "bad wants an answer of mock/demo",
        details: [
          "The MCP server bad asks, for the call ❓: ask (line 7).",
          "It wants mock/demo to answer this with at most 50 tokens; nothing else is sent.",
          "system:",
          "│ Be brief.",
          "user:",
          "│ What is",
          "│ new?",
        ].join("\n"),
        items: "Decline|Send this to mock/demo",
      },
      {
        prompt: "Give this answer to bad",
        details: "mock/demo answered (7 tokens in, 2 out):\n│ Rain.",
        items: "Decline|Send it to bad",
      },
    ]);
    expect(sent).toEqual([
      {
        model: { provider: "mock", id: "demo" },
        system: "Be brief.",
        messages: [{ role: "user", content: [text("What is\nnew?")] }],
        tools: [],
        maxOutputTokens: 50,
      },
    ]);
  });

  const no = { code: -1, message: expect.stringContaining("User rejected sampling request") };

  it("is declined before or after the model answered, or by leaving the question", async () => {
    const { ask, sent } = scene(["Decline", null, "Send", "Decline"]);
    expect(await ask(request)).toEqual(no);
    expect(await ask(request)).toEqual(no);
    expect(sent).toHaveLength(0);
    expect(await ask(request)).toEqual(no);
    expect(sent).toHaveLength(1);
  });

  it("is declined where nobody is there to ask", async () => {
    const { ask, sent, notices } = scene(null);
    expect(await ask(request)).toEqual(no);
    expect(sent).toEqual([]);
    expect(notices[0]).toContain(
      "asked for an answer of a model, which was declined because there is no user to ask",
    );
  });

  it("is not offered to servers until it is configured", async () => {
    const { ask } = scene([], { configuration: { sampling: "off" } });
    expect(await ask({}, "capabilities")).not.toHaveProperty("sampling");
    expect(await ask(request)).toMatchObject({ code: -32601 });
    const { ask: other } = scene([]);
    expect(await other({}, "capabilities")).toMatchObject({ sampling: {} });
  });

  it("counts in the turn's requests, and is not sent when those are used up", async () => {
    const { ask, sent, notices } = scene(["Send", "Send", "Send"], { budget: 1 });
    await ask(request);
    expect(await ask(request)).toMatchObject({ code: -32602 });
    expect(sent).toHaveLength(1);
    expect(notices[0]).toContain("The turn may make no more requests to a model");
  });

  it("keeps to the smaller limit, and says that the answer was cut there", async () => {
    const parts = [said[0] ?? usage, finish("length")];
    const { ask, sent, one } = scene(["Send", "Send"], { parts, maxTokens: 20 });
    expect(await ask(request)).toMatchObject({ stopReason: "maxTokens" });
    expect(sent[0]?.maxOutputTokens).toBe(20);
    expect(one.asked[1]?.details).toContain("(tokens not counted, cut at its limit)");
  });

  it("joins what one side says in a row, and shows images by their size", async () => {
    const { ask, sent, one } = scene([null, "Send", "Send"]);
    const image = { type: "image", mimeType: "image/png", data: "A".repeat(4096) };
    const messages = [
      user("a\u202e"),
      { role: "user", content: image },
      { role: "assistant", content: text("b") },
    ];
    await ask({ ...request, params: { ...params, messages } });
    expect(one.asked[0]?.details).toMatch(
      /user:\n│ a\\u\{202e\}\n\[image: image\/png, 3\.1 kB\]\nassistant:\n│ b$/,
    );
    await ask({ ...request, params: { ...params, messages } });
    expect(sent[0]?.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  });

  const refused: readonly [string, object, RegExp][] = [
    ["tools", { ...params, tools: [] }, /tools, which Parley does not support/],
    ["nothing", { ...params, messages: [] }, /contains no message/],
    [
      "more than anybody reads",
      { ...params, systemPrompt: "a".repeat(100_000) },
      /characters, which is too much to review/,
    ],
    [
      "sound",
      {
        ...params,
        messages: [{ role: "user", content: { type: "audio", data: "AA==", mimeType: "a/b" } }],
      },
      /cannot be sent: audio/,
    ],
  ];
  for (const [what, wrong, reason] of refused) {
    it(`with ${what} is refused, and says so`, async () => {
      const { ask, sent, notices } = scene(["Send"]);
      expect(await ask({ ...request, params: wrong })).toMatchObject({ code: -32602 });
      expect(sent).toEqual([]);
      expect(notices[0]).toMatch(reason);
    });
  }

  it("that fails tells why, and ends with the stop of its call", async () => {
    const failure = { kind: "network", message: "No network.", happened: "No network" } as const;
    const { ask, notices } = scene(["Send"], { parts: [{ type: "error", failure }] });
    expect(await ask(request)).toMatchObject({ code: -32602 });
    expect(notices[0]).toContain("No network.");
    const { ask: other, one } = scene([]);
    const stop = new AbortController();
    const asked = other(request, "ask", stop.signal);
    await eventually(() => expect(one.open()).toBe(1));
    stop.abort();
    expect(await asked).toContain("Stopped before there was a result");
    await eventually(() => expect(one.open()).toBe(0));
  });
});

it("the reference server offers all of its tools, and gets an answer", async () => {
  const configuration = { command: process.execPath, args: [everythingServer] };
  const { server, ask, one } = scene(["Send", "Send"], { configuration });
  const { tools } = await server.tools(15_000);
  expect(tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["trigger-sampling-request", "get-roots-list"]),
  );
  // One more runs only as a task and is left out.
  expect(tools).toHaveLength(16);
  const answer = await ask({ prompt: "hello", maxTokens: 9 }, "trigger-sampling-request");
  expect(answer).toContain('"text": "Rain."');
  expect(one.asked[0]?.details).toContain("│ Resource trigger-sampling-request context: hello");
});
