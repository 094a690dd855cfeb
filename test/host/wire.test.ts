/** Whole turns through real keys, with the model behind OpenAI's and Anthropic's real wire formats. */
import { describe, expect, it } from "vitest";
import {
  type Body,
  callJson,
  chatText,
  decide,
  editorsAndWires,
  extendEachOther,
  google,
  microsoft,
  open,
  question,
  respond,
  searchFor,
  serve,
  untilDone,
  untilWaiting,
} from "./wire-chat.ts";

const note = `"note":"Canned results of Parley's mock server; no web search was made."`;
const googleResult = `{"matches":[{"title":"GOOGL","snippet":"$911 as of today"}],${note}}`;
const microsoftResult = `{"matches":[{"title":"MSFT","snippet":"$544 as of today"}],${note}}`;
const promise = "Sure, I need to search the web.";
const prices = "GOOGL is at $911 and MSFT at $544 as of today. Do you want something else?";

const waitingText = (label: string) =>
  [
    `💬: ${question}`,
    "",
    `🤖:[${label}]`,
    "",
    promise,
    "",
    `❓: \`${callJson(google)}\``,
    `❓: \`${callJson(microsoft)}\``,
  ].join("\n");

const answeredText = (label: string) =>
  [
    `💬: ${question}`,
    "",
    `🤖:[${label}]`,
    "",
    promise,
    "",
    `❓:[ya] \`${callJson(google)}\``,
    "",
    "🛠️: [web_search][call_1]",
    "",
    `\`${googleResult}\``,
    "",
    `❓:[ya] \`${callJson(microsoft)}\``,
    "",
    "🛠️: [web_search][call_2]",
    "",
    `\`${microsoftResult}\``,
    "",
    prices,
    "",
    "💬: ",
  ].join("\n");

/** Without the header. */
const bodyOf = (text: string) => text.slice(text.indexOf("💬:"));

const calls = [google, microsoft];

/** The conversation as OpenAI is to be sent it, without the system's message. */
const openaiMessages = [
  { role: "user", content: question },
  {
    role: "assistant",
    content: promise,
    tool_calls: calls.map(({ id, name, arguments: text }) => ({
      id,
      type: "function",
      function: { name, arguments: text },
    })),
  },
  { role: "tool", tool_call_id: "call_1", content: googleResult },
  { role: "tool", tool_call_id: "call_2", content: microsoftResult },
  { role: "assistant", content: prices },
  { role: "user", content: "no, thanks" },
];

const anthropicText = (text: string) => [{ type: "text", text }];

const anthropicMessages = [
  { role: "user", content: anthropicText(question) },
  {
    role: "assistant",
    content: [
      ...anthropicText(promise),
      ...calls.map(({ id, name, arguments: text }) => ({
        type: "tool_use",
        id,
        name,
        input: JSON.parse(text),
      })),
    ],
  },
  {
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: "call_1", content: anthropicText(googleResult) },
      { type: "tool_result", tool_use_id: "call_2", content: anthropicText(microsoftResult) },
    ],
  },
  { role: "assistant", content: anthropicText(prices) },
  { role: "user", content: anthropicText("no, thanks") },
];

const expected = {
  openai: { messages: openaiMessages, tool: { type: "function" } },
  anthropic: { messages: anthropicMessages, tool: { name: "web_search" } },
};

/** The messages without the system's, with contents as lists where they may be either. */
function sent(body: Body, provider: "openai" | "anthropic"): Body[] {
  if (provider === "openai") return body.messages.slice(1);
  return body.messages.map(({ role, content }: Body) => ({
    role,
    content: (typeof content === "string" ? anthropicText(content) : content).map((block: Body) =>
      typeof block.content === "string"
        ? { ...block, content: anthropicText(block.content) }
        : block,
    ),
  }));
}

describe.each(editorsAndWires)("$model in Neovim $version", ({ path, provider, model, label }) => {
  it("works through both transcripts of the format, and sends them as it says", async () => {
    const server = await serve([
      { text: promise, calls, chunkSize: 7 },
      { text: prices, chunkSize: 11 },
      { text: "You are welcome." },
    ]);
    const nvim = await open({
      path,
      chat: { text: chatText(model, `💬: ${question}`) },
      env: server.environment,
    });
    await respond(nvim);
    expect(bodyOf(await untilWaiting(nvim))).toBe(waitingText(label));
    await decide(nvim, "ya");
    expect(bodyOf(await untilDone(nvim))).toBe(answeredText(label));
    await nvim.input("GAno, thanks<Esc><C-g><C-g>");
    await untilDone(nvim, "You are welcome\\.");

    expect(server.requests.map(({ api }) => api)).toEqual([provider, provider, provider]);
    expect(server.requests.map(({ violation }) => violation)).toEqual([null, null, null]);
    const bodies = server.requests.map(({ body }) => body);
    const { messages, tool } = expected[provider];
    expect(bodies.map((body) => sent(body, provider))).toEqual([
      messages.slice(0, 1),
      messages.slice(0, -2),
      messages,
    ]);
    for (const body of bodies) expect(body.tools).toEqual([expect.objectContaining(tool)]);
    expect(extendEachOther(server)).toBe(true);
  });

  it("goes several rounds in one turn, with one call, with none but calls, and in parallel", async () => {
    const apple = searchFor("apple", "call_3");
    const server = await serve([
      { text: "First Google.", calls: [google] },
      { calls: [microsoft] },
      { text: "Now two at once.", calls: [apple, searchFor("nvidia", "call_4")] },
      { text: "All four are known." },
    ]);
    const nvim = await open({
      path,
      chat: { text: chatText(model, `💬: ${question}`) },
      env: server.environment,
    });
    await respond(nvim);
    await untilWaiting(nvim, /^❓: `.*google/m);
    await decide(nvim, "yo");
    await untilWaiting(nvim, /^❓: `.*microsoft/m);
    await decide(nvim, "yo");
    await untilWaiting(nvim, /^❓: `.*nvidia/m);
    await decide(nvim, "ya");
    const text = await untilDone(nvim);
    expect(text.match(/^🤖:/gm)).toHaveLength(1);
    expect(text.match(/^❓:\[(yo|ya)\] /gm)).toEqual([
      "❓:[yo] ",
      "❓:[yo] ",
      "❓:[ya] ",
      "❓:[ya] ",
    ]);
    expect(text.match(/^🛠️: \[web_search\]\[call_\d\]$/gm)).toHaveLength(4);
    expect(text).not.toContain("unfinished");
    expect(server.requests.map(({ violation }) => violation)).toEqual([null, null, null, null]);
    expect(extendEachOther(server)).toBe(true);
    await nvim.input("GAthanks<Esc><C-g><C-g>");
    await nvim.until("the next request", () => server.requests.length === 5);
    expect(extendEachOther(server)).toBe(true);
  });
});
