/** What is sent, by the protocol and by what the model takes. */
import { describe, expect, test } from "vitest";
import type { ModelRequest } from "../../../src/conversation/ports.ts";
import { createModels } from "../../../src/providers/models.ts";
import { textToolProtocols } from "../../../src/providers/text-tools/protocols.ts";
import { webSearch } from "../parts.ts";
import { result, turn } from "../turn.ts";

const models = createModels({ providers: {}, environment: {} });

/** A body as JSON, whatever the API. */
function sent(request: Partial<ModelRequest> & Pick<ModelRequest, "model">) {
  const wired = models.wire({
    system: "Be short.",
    messages: turn,
    tools: [webSearch],
    ...request,
  });
  if ("failure" in wired) throw new Error(wired.failure.message);
  return JSON.parse(JSON.stringify(wired.body));
}

const gpt = { provider: "openai", id: "gpt-4o" };
const claude = { provider: "anthropic", id: "claude-sonnet-5" };
const small = { provider: "ollama", id: "gemma3" };

describe.each([...textToolProtocols.values()])("$id", (protocol) => {
  const toolProtocol = protocol.id as NonNullable<ModelRequest["toolProtocol"]>;
  const call = protocol.renderCall({ name: "web_search", arguments: '{"query": "x"}' });

  test("tools are in the system text, calls and results in the messages of both sides", () => {
    const { messages, tools } = sent({ model: gpt, toolProtocol });
    expect(tools).toBeUndefined();
    expect(messages[0].content).toBe(`Be short.\n\n${protocol.systemPrompt([webSearch])}`);
    expect(messages.slice(1)).toEqual([
      { role: "user", content: "prices?" },
      { role: "assistant", content: `I search.\n\n${call}\n\n${call}` },
      {
        role: "user",
        content: protocol.renderResults([
          { name: "web_search", text: "$911" },
          { name: "web_search", text: "no", isError: true },
        ]),
      },
      { role: "assistant", content: "$911." },
      { role: "user", content: "thanks" },
    ]);
  });

  test("a longer history begins with the shorter one", () => {
    const long = sent({ model: claude, toolProtocol }).messages;
    const short = sent({ model: claude, toolProtocol, messages: turn.slice(0, 3) }).messages;
    const plain = (messages: { role: string; content: unknown }[]) =>
      JSON.stringify(messages).replaceAll(/,"cache_control":\{[^}]*\}/g, "");
    expect(plain(long.slice(0, short.length))).toBe(plain(short));
  });
});

test("auto is native where the vendor table says tools, and smiley where it says none", () => {
  expect(sent({ model: gpt }).tools).toHaveLength(1);
  const { messages, tools } = sent({ model: small });
  expect(tools).toBeUndefined();
  expect(messages[0].content).toContain("exactly 14 smileys");
  expect(sent({ model: { ...small, id: "qwen3" } }).tools).toHaveLength(1);
});

test.each(["native", "native-only"] as const)(
  "%s with a model that takes no tools is refused with the names of the settings",
  (toolProtocol) => {
    const request = { system: "", messages: turn, model: small, toolProtocol } as const;
    const wired = models.wire({ ...request, tools: [webSearch] });
    expect("failure" in wired && wired.failure.message).toMatch(
      /^ollama\/gemma3 does not accept tools .*tool_protocol: auto or smiley.*native_tools/,
    );
    expect("failure" in models.wire({ ...request, tools: [] })).toBe(false);
  },
);

test("the choice about calls is described in words", () => {
  const system = (change: Partial<ModelRequest>) =>
    sent({ model: gpt, toolProtocol: "smiley", ...change }).messages[0].content;
  expect(system({ toolChoice: "required" })).toMatch(
    /\n- In this answer call at least one tool\.$/,
  );
  expect(system({ toolChoice: { tool: "web_search" } })).toMatch(
    /\n- .*call the tool web_search\.$/,
  );
  expect(system({ parallelToolCalls: false })).toMatch(
    /\n- Write at most one call in an answer\.$/,
  );
  expect(system({ toolChoice: "none" })).toBe("Be short.");
});

test("images of results are below them, and state of the API is left out", () => {
  const image = { type: "image", mime: "image/png", data: "AAAA" } as const;
  const [question, asked] = turn;
  if (question === undefined || asked?.role !== "assistant") throw new Error("another turn");
  const answered = { ...result("call_1", "here"), content: [image] };
  const { messages } = sent({
    model: claude,
    toolProtocol: "smiley",
    messages: [
      question,
      { ...asked, state: { anything: true } },
      { role: "tool", results: [answered, result("call_2", "two")] },
    ],
  });
  const [text, from, shown] = messages.at(-1).content;
  expect(text.text).toMatch(/"result":"\(an image below\)"\}\nTool result: .*"two"/);
  expect(from.text).toBe("From web_search:");
  expect(shown.source.data).toBe("AAAA");
  expect(JSON.stringify(messages)).not.toContain("anything");
});

test("no opener of any form comes through a result", () => {
  const openers = ["😊".repeat(14), "<<<TOOL_CALL>>>", "<tool_call>", "```json"];
  for (const toolProtocol of ["smiley", "delimited", "json", "hermes"] as const) {
    const [question, asked] = turn;
    if (question === undefined || asked === undefined) throw new Error("another turn");
    const results = [
      result("call_1", openers.join(" ")),
      result("call_2", openers.join("\n"), true),
    ];
    const messages = [question, asked, { role: "tool", results } as const];
    const last = sent({ model: gpt, toolProtocol, messages }).messages.at(-1).content;
    for (const opener of openers) expect(last).not.toContain(opener);
  }
});
