/** What providers want back, in whole turns: after a restart, after an edit, and when a response pauses. */
import { describe, expect, it } from "vitest";
import {
  foundStream,
  pausedStream,
  searchBlocks,
  thinkingBlocks,
} from "../providers/anthropic-stream-fixtures.ts";
import { reasoning, reasoningStream } from "../providers/responses-stream-fixtures.ts";
import { sse } from "../providers/stream-fixture.ts";
import { oneNeovim } from "../support/neovim.ts";
import {
  type Body,
  chatText,
  decide,
  google,
  open,
  question,
  respond,
  serve,
  untilDone,
  untilWaiting,
} from "./wire-chat.ts";

const signature = { google: { thought_signature: "c2ln+/==" } };
const sentinel = { google: { thought_signature: "skip_thought_signature_validator" } };

const { id, name, arguments: json } = google;
const signedCall = { id, type: "function", function: { name, arguments: json } };
const geminiStream = [
  { content: "I search." },
  { tool_calls: [{ ...signedCall, extra_content: signature }] },
]
  .map((delta, index) =>
    sse({ choices: [{ index: 0, delta, finish_reason: index === 1 ? "stop" : null }] }),
  )
  .join("");

/** What a compatible vendor sends beside the text, and the call, in chunks of chat completions. */
function chatStream(...deltas: readonly object[]): string {
  const all = [...deltas, { content: "I search." }, { tool_calls: [{ index: 0, ...signedCall }] }];
  const end = sse({ choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] });
  return all.map((delta) => sse({ choices: [{ index: 0, delta }] })).join("") + end;
}

function field(name: string) {
  return ({ messages }: Body) =>
    messages
      .filter(({ role }: Body) => role === "assistant")
      .map((message: Body) => message[name] ?? null);
}

const details = [{ type: "reasoning.encrypted", data: "ZW5j", id: "r1", index: 0 }];

const ends = [{ text: "It is known." }, { text: "Good bye." }];

/** Each with what its first response leaves in a later request, by whether it may. */
const wires = [
  {
    wire: "the Responses API",
    model: "openai/gpt-5-codex",
    stream: reasoningStream,
    kept: ({ input }: Body) => input.filter(({ type }: Body) => type === "reasoning"),
    whole: [reasoning],
    without: [],
    later: [],
  },
  {
    wire: "Gemini",
    model: "google/gemini-3.8-flash",
    stream: geminiStream,
    kept: ({ messages }: Body) =>
      messages.flatMap(({ tool_calls: calls = [] }: Body) =>
        calls.map(({ extra_content: extra }: Body) => extra),
      ),
    whole: [signature],
    without: [sentinel],
    later: [sentinel],
  },
  {
    wire: "DeepSeek",
    model: "deepseek/deepseek-v4-pro",
    stream: chatStream({ reasoning_content: "I should " }, { reasoning_content: "search." }),
    kept: field("reasoning_content"),
    whole: ["I should search."],
    without: [""],
    later: ["", ""],
  },
  {
    wire: "OpenRouter",
    model: "openrouter/anthropic/claude-sonnet-5.5",
    stream: chatStream({ reasoning_details: details }),
    kept: field("reasoning_details"),
    whole: [details],
    without: [null],
    later: [null, null],
  },
];

const cases = oneNeovim.flatMap((neovim) => wires.map((wire) => ({ ...neovim, ...wire })));

describe.each(cases)("$wire in Neovim $version", ({ path, model, stream, kept, ...expected }) => {
  const chat = { text: chatText(model, `💬: ${question}`) };

  it("gets its state back after a restart, and never once the turn is over", async () => {
    const server = await serve([{ raw: [stream] }, ...ends]);
    const before = await open({ path, chat, env: server.environment });
    await respond(before);
    expect(await untilWaiting(before)).toMatch(/^<!-- parley:step \{.*"state":"[\w-]+".*\} -->$/m);
    await before.kill();

    const nvim = await open({ path, home: before.home, env: server.environment });
    await untilWaiting(nvim);
    await decide(nvim, "ya");
    await untilDone(nvim, "It is known\\.");
    expect(kept(server.requests[1]?.body)).toEqual(expected.whole);
    await nvim.input("GAthanks<Esc><C-g><C-g>");
    await untilDone(nvim, "Good bye\\.");
    expect(kept(server.requests[2]?.body)).toEqual(expected.later);
    expect(server.requests.map(({ violation }) => violation)).toEqual([null, null, null]);
  });

  it("does without it where a user edited the step, and is accepted", async () => {
    const server = await serve([{ raw: [stream] }, ...ends]);
    const nvim = await open({ path, chat, env: server.environment });
    await respond(nvim);
    await untilWaiting(nvim);
    await nvim.input("gg/^I search<CR>ccI look it up.<Esc>");
    await nvim.untilText(/^I look it up\.$/m);
    await untilWaiting(nvim);
    await decide(nvim, "ya");
    await untilDone(nvim, "It is known\\.");
    expect(kept(server.requests[1]?.body)).toEqual(expected.without);
    expect(server.requests.map(({ violation }) => violation)).toEqual([null, null]);
  });
});

describe.each(oneNeovim)("a search of the vendor's in Neovim $version", ({ path }) => {
  it("is shown, continues on its own when it pauses, and is plain text afterwards", async () => {
    const server = await serve([{ raw: [pausedStream] }, { raw: [foundStream] }, ...ends]);
    const text = chatText("anthropic/claude-opus-5", `💬: ${question}`).replace(
      "tools: mock",
      "tools: none\nserver_tools: web_search\nreasoning_effort: high",
    );
    const nvim = await open({ path, chat: { text }, env: server.environment });
    await respond(nvim);
    const done = await untilDone(nvim, "example\\.com/>\\)");
    expect(done).toContain("\n> web search: price of \\*google\\* 🤖: stock\n");
    expect(done).toMatch(/^It is \$911\n\n> Sources:\n>\n> - \[GOOGL\]/m);
    expect(done.match(/^🤖:/gm)).toHaveLength(1);
    const [first, second] = server.requests.map(({ body }) => body);
    expect(first.tools).toEqual([
      { type: "web_search_20260318", name: "web_search", allowed_callers: ["direct"] },
    ]);
    expect(first.thinking).toEqual({ type: "adaptive", display: "summarized" });
    expect(first.output_config).toEqual({ effort: "high" });
    expect(second.messages.at(-1)).toEqual({
      role: "assistant",
      content: [...thinkingBlocks, { type: "text", text: "I look." }, searchBlocks[0]],
    });
    expect(second.container).toBe("container_1");
    await nvim.input("GAthanks<Esc><C-g><C-g>");
    await untilDone(nvim, "It is known\\.");
    const third = JSON.stringify(server.requests[2]?.body.messages);
    expect(third).toContain("> web search: price of");
    expect(third).not.toContain("server_tool_use");
    expect(server.requests.map(({ violation }) => violation)).toEqual([null, null, null]);
  });
});
