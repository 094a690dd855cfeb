/** Streams of single vendors of chat completions, in the wire format of each. */
import { arguments1, arguments2, type Fixture, sse } from "./stream-fixture.ts";

interface VendorFixture extends Fixture {
  readonly provider: string;
}

type Chunk = Readonly<Record<string, unknown>> | string;

function stream(chunks: readonly Chunk[], end = "data: [DONE]\n\n"): string {
  return chunks.map((chunk) => (typeof chunk === "string" ? chunk : sse(chunk))).join("") + end;
}

function delta(fields: unknown, reason: string | null = null, more: object = {}): Chunk {
  return { choices: [{ index: 0, delta: fields, finish_reason: reason }], ...more };
}

function called(id: string, json: string, more: object = {}) {
  return { id, type: "function", function: { name: "web_search", arguments: json }, ...more };
}

const usage = { prompt_tokens: 90, completion_tokens: 12, total_tokens: 102 };

/**
 * Sends thoughts as text between tags with a mark beside it, calls whole and without an index, thought signatures
 * beside the first, and says `stop`.
 */
const google: VendorFixture = {
  provider: "google",
  name: "marked thoughts, whole calls without index, with thought signatures",
  body: stream([
    delta({
      role: "assistant",
      content: "<thought>I should ",
      extra_content: { google: { thought: true } },
    }),
    delta({ content: "search <thought>.", extra_content: { google: { thought: true } } }),
    delta({ content: "</thought>I search." }),
    delta({
      tool_calls: [
        called("function-call-1", arguments1, {
          extra_content: { google: { thought_signature: "c2ln" } },
        }),
      ],
    }),
    delta({ tool_calls: [called("function-call-2", arguments2)] }, "stop", { usage }),
  ]),
  outline: [
    "text I search.",
    `call function-call-1 ${arguments1}`,
    `call function-call-2 ${arguments2}`,
    "finish tool-calls",
  ],
};

const xai: VendorFixture = {
  provider: "xai",
  name: "thoughts, a whole call, and usage in a chunk of its own",
  body: stream([
    delta({ role: "assistant", reasoning_content: "Hm. " }),
    delta({ content: "I search." }),
    delta({ tool_calls: [{ index: 0, ...called("call_12345678", arguments1) }] }),
    delta({}, "tool_calls"),
    { choices: [], usage: { ...usage, num_sources_used: 0 } },
  ]),
  outline: ["text I search.", `call call_12345678 ${arguments1}`, "finish tool-calls"],
};

const cerebras: VendorFixture = {
  provider: "cerebras",
  name: "thoughts as reasoning, usage and times in the last chunk",
  body: stream([
    delta({ role: "assistant" }),
    delta({ reasoning: "Think " }),
    delta({ reasoning: "more." }),
    delta({ tool_calls: [{ index: 0, ...called("b1c2", arguments2) }] }),
    delta({}, "tool_calls", { usage, time_info: { queue_time: 0.1 } }),
  ]),
  outline: [`call b1c2 ${arguments2}`, "finish tool-calls"],
};

const mistral: readonly VendorFixture[] = [
  {
    provider: "mistral",
    name: "content as a list of thinking and text, usage unasked",
    body: stream([
      delta({ role: "assistant", content: "" }),
      delta({ content: [{ type: "thinking", thinking: [{ type: "text", text: "Hm, ü. " }] }] }),
      delta({ content: [{ type: "thinking", thinking: [], closed: true }] }),
      delta({
        content: [
          { type: "text", text: "Sure, " },
          { type: "reference", reference_ids: [1] },
        ],
      }),
      delta({ content: "📈." }, "stop", { usage }),
    ]),
    outline: ["text Sure, 📈.", "finish stop"],
  },
  {
    provider: "mistral",
    name: "calls of nine letters, all in one chunk",
    body: stream([
      delta({ role: "assistant", content: "" }),
      delta(
        {
          content: "",
          tool_calls: [
            { index: 0, ...called("D681PevKs", arguments1) },
            { index: 1, ...called("aB3dE6gH9", arguments2) },
          ],
        },
        "tool_calls",
        { usage },
      ),
    ]),
    outline: [`call D681PevKs ${arguments1}`, `call aB3dE6gH9 ${arguments2}`, "finish tool-calls"],
  },
  {
    provider: "mistral",
    name: "an answer that is too long for the model",
    body: stream([delta({ content: "Half" }), delta({}, "model_length")]),
    outline: ["text Half", "finish length"],
  },
];

const deepseek: readonly VendorFixture[] = [
  {
    provider: "deepseek",
    name: "thoughts, keep-alive comments, and arguments in pieces",
    body: stream([
      ": keep-alive\n\n",
      delta({ role: "assistant", content: null, reasoning_content: "" }),
      delta({ content: null, reasoning_content: "Let me see." }),
      ": keep-alive\n\n",
      delta({ tool_calls: [{ index: 0, ...called("call_00_x", "") }] }),
      delta({ tool_calls: [{ index: 0, function: { arguments: arguments1 } }] }),
      delta({ content: "", reasoning_content: null }, "tool_calls", {
        usage: { ...usage, prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 26 },
      }),
    ]),
    outline: [`call call_00_x ${arguments1}`, "finish tool-calls"],
  },
  {
    provider: "deepseek",
    name: "an end for want of resources is an error",
    body: stream([delta({ content: "Half" }), delta({}, "insufficient_system_resource")]),
    outline: ["text Half", "error bad-stream"],
  },
];

const openrouter: readonly VendorFixture[] = [
  {
    provider: "openrouter",
    name: "comments while it waits, thoughts twice, its own reason beside",
    body: stream([
      ": OPENROUTER PROCESSING\n\n",
      ": OPENROUTER PROCESSING\n\n",
      delta({
        role: "assistant",
        content: "",
        reasoning: "Hm.",
        reasoning_details: [{ type: "reasoning.text", text: "Hm.", index: 0 }],
      }),
      delta({ content: "", tool_calls: [{ index: 0, ...called("toolu_1", arguments1) }] }),
      {
        choices: [
          {
            index: 0,
            delta: { content: "" },
            finish_reason: "tool_calls",
            native_finish_reason: "tool_use",
          },
        ],
      },
      { choices: [{ index: 0, delta: { content: "" } }], usage: { ...usage, cost: 0.0021 } },
    ]),
    outline: [`call toolu_1 ${arguments1}`, "finish tool-calls"],
  },
  {
    provider: "openrouter",
    name: "a failure of the vendor behind it",
    body: stream([
      delta({ content: "Half" }),
      {
        error: { code: 502, message: "Upstream idle timeout" },
        choices: [{ index: 0, delta: { content: "" }, finish_reason: "error" }],
      },
    ]),
    outline: ["text Half", "error overloaded"],
  },
  {
    provider: "openrouter",
    name: "a failure of the vendor behind it, in the choice",
    body: stream([
      delta({ content: "Half" }),
      {
        choices: [
          {
            index: 0,
            delta: { content: "" },
            finish_reason: "error",
            error: { code: 429, message: "Rate limited upstream" },
          },
        ],
      },
    ]),
    outline: ["text Half", "error rate-limit"],
  },
];

const ollama: VendorFixture = {
  provider: "ollama",
  name: "thoughts as reasoning, a whole call with stop, its own fields",
  body: stream([
    delta({ role: "assistant", content: "", reasoning: "Ok." }, null, { model: "qwen3:8b" }),
    delta({
      role: "assistant",
      content: "",
      tool_calls: [{ index: 0, ...called("call_x", arguments2) }],
    }),
    delta({ role: "assistant", content: "" }, "stop"),
    { choices: [], usage },
  ]),
  outline: [`call call_x ${arguments2}`, "finish tool-calls"],
};

export const vendorFixtures: readonly VendorFixture[] = [
  google,
  xai,
  cerebras,
  ...mistral,
  ...deepseek,
  ...openrouter,
  ollama,
];

/** What each of them thinks, by vendor; the others think nothing. */
export const vendorThoughts: Readonly<Record<string, string>> = {
  google: "I should search <thought>.",
  xai: "Hm. ",
  cerebras: "Think more.",
  mistral: "Hm, ü. ",
  deepseek: "Let me see.",
  openrouter: "Hm.",
  ollama: "Ok.",
};
