/** Streams of compatible servers as they are found in the field, each with what a user should get of it. */
import { arguments1, arguments2, type Fixture, sse } from "./stream-fixture.ts";

export function chunks(...list: readonly unknown[]): string {
  const data = list.map((chunk) => (typeof chunk === "string" ? chunk : sse(chunk)));
  return `${data.join("")}data: [DONE]\n\n`;
}

export function delta(fields: unknown, reason: string | null = null) {
  return { choices: [{ index: 0, delta: fields, finish_reason: reason }] };
}

function call(fields: {
  index?: number | string;
  id?: string;
  name?: string;
  arguments?: unknown;
}) {
  const { index, id, ...called } = fields;
  return delta({ tool_calls: [{ index, id, type: "function", function: called }] });
}

export function wholeCall(id: string, json: string) {
  return { id, function: { name: "web_search", arguments: json } };
}

const end = delta({}, "tool_calls");
const object1 = JSON.parse(arguments1) as unknown;
const compact1 = JSON.stringify(object1);

export const compatibleFixtures: readonly Fixture[] = [
  {
    name: "another id in every chunk of one call (LiteLLM, vLLM)",
    body: chunks(
      call({ index: 0, id: "chatcmpl-tool-a", name: "web_search", arguments: "" }),
      call({ index: 0, id: "chatcmpl-tool-b", arguments: arguments1.slice(0, 7) }),
      call({ index: 0, id: "chatcmpl-tool-c", arguments: arguments1.slice(7) }),
      end,
    ),
    outline: [`call chatcmpl-tool-a ${arguments1}`, "finish tool-calls"],
  },
  {
    name: "arguments at an index of their own, without id and name (sglang)",
    body: chunks(
      call({ index: 0, id: "a", name: "web_search", arguments: "" }),
      call({ index: 1, arguments: arguments1.slice(0, 9) }),
      call({ index: 1, arguments: arguments1.slice(9) }),
      end,
    ),
    outline: [`call a ${arguments1}`, "finish tool-calls"],
  },
  {
    name: "all of the arguments twice, the second time as one piece (vLLM's xlam)",
    body: chunks(
      call({ index: 0, id: "a", name: "web_search", arguments: arguments1.slice(0, 9) }),
      call({ index: 0, arguments: arguments1.slice(9) }),
      call({ index: 0, arguments: arguments1 }),
      end,
    ),
    outline: [`call a ${arguments1}`, "finish tool-calls"],
  },
  {
    name: "a first brace, and then all of the arguments (vLLM's xlam)",
    body: chunks(
      call({ index: 0, id: "a", name: "web_search", arguments: arguments1.slice(0, 1) }),
      call({ index: 0, arguments: arguments1 }),
      end,
    ),
    outline: [`call a ${arguments1}`, "finish tool-calls"],
  },
  {
    name: "another id and the name in every chunk",
    body: chunks(
      call({ index: 0, id: "x1", name: "web_search", arguments: "" }),
      call({ index: 0, id: "x2", name: "web_search", arguments: arguments1.slice(0, 7) }),
      call({ index: 0, id: "x3", name: "web_search", arguments: arguments1.slice(7) }),
      end,
    ),
    outline: [`call x1 ${arguments1}`, "finish tool-calls"],
  },
  {
    name: "two calls at index 0 without ids",
    body: chunks(
      call({ index: 0, name: "web_search", arguments: arguments1 }),
      call({ index: 0, name: "web_search", arguments: arguments2 }),
      end,
    ),
    outline: [`call call_1 ${arguments1}`, `call call_2 ${arguments2}`, "finish tool-calls"],
  },
  {
    name: "two calls at index 0 without ids, in pieces",
    body: chunks(
      call({ index: 0, name: "web_search", arguments: arguments1.slice(0, 9) }),
      call({ index: 0, arguments: arguments1.slice(9) }),
      call({ index: 0, name: "web_search", arguments: arguments2.slice(0, 3) }),
      call({ index: 0, arguments: arguments2.slice(3) }),
      end,
    ),
    outline: [`call call_1 ${arguments1}`, `call call_2 ${arguments2}`, "finish tool-calls"],
  },
  {
    name: "two calls with ids at index 0",
    body: chunks(
      call({ index: 0, id: "a", name: "web_search", arguments: arguments1 }),
      call({ index: 0, id: "b", name: "web_search", arguments: arguments2 }),
      end,
    ),
    outline: [`call a ${arguments1}`, `call b ${arguments2}`, "finish tool-calls"],
  },
  {
    name: "two calls with one id",
    body: chunks(
      call({ index: 0, id: "a", name: "web_search", arguments: arguments1 }),
      call({ index: 1, id: "a", name: "web_search", arguments: arguments2 }),
      end,
    ),
    outline: [`call a ${arguments1}`, `call a ${arguments2}`, "finish tool-calls"],
  },
  {
    name: "two calls with one id, in pieces",
    body: chunks(
      call({ index: 0, id: "a", name: "web_search", arguments: "" }),
      call({ index: 0, arguments: arguments1 }),
      call({ index: 1, id: "a", name: "web_search", arguments: "" }),
      call({ index: 1, id: "a", arguments: arguments2.slice(0, 6) }),
      call({ index: 1, arguments: arguments2.slice(6) }),
      end,
    ),
    outline: [`call a ${arguments1}`, `call a ${arguments2}`, "finish tool-calls"],
  },
  {
    name: "the name in each chunk, and once more after the end",
    body: chunks(
      call({ index: 0, id: "a", name: "web_search", arguments: "" }),
      call({ index: 0, name: "web_search", arguments: arguments1.slice(0, 5) }),
      call({ index: 0, name: "web_search", arguments: arguments1.slice(5) }),
      call({ index: 0, name: "web_search", arguments: "" }),
      end,
    ),
    outline: [`call a ${arguments1}`, "finish tool-calls"],
  },
  {
    name: "an id that comes later than the name, which comes once more after the end",
    body: chunks(
      call({ index: 0, name: "web_search", arguments: arguments1.slice(0, 5) }),
      call({ index: 0, id: "a", name: "web_search", arguments: arguments1.slice(5) }),
      call({ index: 0, id: "a", name: "web_search", arguments: "" }),
      end,
    ),
    outline: [`call a ${arguments1}`, "finish tool-calls"],
  },
  {
    name: "two calls of one tool in turns, without an index",
    body: chunks(
      call({ id: "a", name: "web_search", arguments: arguments1.slice(0, 5) }),
      call({ id: "b", name: "web_search", arguments: arguments2.slice(0, 5) }),
      call({ id: "a", arguments: arguments1.slice(5) }),
      call({ id: "b", arguments: arguments2.slice(5) }),
      end,
    ),
    outline: [`call a ${arguments1}`, `call b ${arguments2}`, "finish tool-calls"],
  },
  {
    name: "a call that is sent once more whole",
    body: chunks(
      call({ index: 0, id: "a", name: "web_search", arguments: arguments1.slice(0, 5) }),
      call({ index: 0, id: "a", arguments: arguments1.slice(5) }),
      call({ index: 0, id: "a", name: "web_search", arguments: arguments1 }),
      end,
    ),
    outline: [`call a ${arguments1}`, "finish tool-calls"],
  },
  ...[{}, { id: "a" }, { id: "a", name: "web_search" }, { name: "web_search" }].map((again) => ({
    name: `all of the arguments so far in each piece, with ${Object.keys(again).join(" and ") || "nothing else"} (Qianfan)`,
    body: chunks(
      call({ index: 0, id: "a", name: "web_search", arguments: "" }),
      ...[1, 2, 9, 12, arguments1.length].map((length) =>
        call({ index: 0, ...again, arguments: arguments1.slice(0, length) }),
      ),
      call({ index: 0, ...again, arguments: arguments1 }),
      end,
    ),
    outline: [`call a ${arguments1}`, "finish tool-calls"],
  })),
  {
    name: "pieces that begin alike, and are one after the other",
    body: chunks(
      call({ index: 0, id: "a", name: "web_search", arguments: '{"a":' }),
      call({ index: 0, arguments: '{"a":{}}' }),
      call({ index: 0, arguments: "}" }),
      end,
    ),
    outline: ['call a {"a":{"a":{}}}', "finish tool-calls"],
  },
  {
    name: "null as the arguments of a tool that takes none (Groq)",
    body: chunks(call({ index: 0, id: "a", name: "web_search", arguments: "null" }), end),
    outline: ["call a {}", "finish tool-calls"],
  },
  {
    name: "an index as a text",
    body: chunks(
      call({ index: "0", id: "a", name: "web_search", arguments: "" }),
      call({ index: "1", id: "b", name: "web_search", arguments: "" }),
      call({ index: "0", arguments: arguments1 }),
      call({ index: "1", arguments: arguments2 }),
      end,
    ),
    outline: [`call a ${arguments1}`, `call b ${arguments2}`, "finish tool-calls"],
  },
  {
    name: "arguments as an object",
    body: chunks(call({ index: 0, id: "a", name: "web_search", arguments: object1 }), end),
    outline: [`call a ${compact1}`, "finish tool-calls"],
  },
  {
    name: "the call of the time before tools",
    body: chunks(
      delta({ function_call: { name: "web_search", arguments: arguments1.slice(0, 4) } }),
      delta({ function_call: { arguments: arguments1.slice(4) } }),
      delta({}, "function_call"),
    ),
    outline: [`call call_1 ${arguments1}`, "finish tool-calls"],
  },
  {
    name: "all of the answer once more at its end (MiniMax)",
    body: chunks(
      delta({ reasoning_content: "Hm." }),
      delta({ content: "I search." }),
      call({ index: 0, id: "a", name: "web_search", arguments: arguments1 }),
      end,
      {
        object: "chat.completion",
        base_resp: { status_code: 0, status_msg: "" },
        choices: [
          {
            index: 0,
            finish_reason: "tool_calls",
            message: {
              content: "I search.",
              reasoning_content: "Hm.",
              tool_calls: [wholeCall("a", arguments1)],
            },
          },
        ],
      },
    ),
    outline: ["text I search.", `call a ${arguments1}`, "finish tool-calls"],
  },
  {
    name: "calls that come only with the whole answer at its end",
    body: chunks(delta({ role: "assistant" }), delta({ content: "I search." }), {
      choices: [
        {
          finish_reason: "tool_calls",
          message: {
            content: "I search.",
            tool_calls: [wholeCall("a", arguments1)],
          },
        },
      ],
    }),
    outline: ["text I search.", `call a ${arguments1}`, "finish tool-calls"],
  },
  {
    name: "text that is over without a reason",
    body: chunks(delta({ content: "Done." })),
    outline: ["text Done.", "finish stop"],
  },
  {
    name: "a call that is over without a reason (NVIDIA NIM)",
    body: chunks(call({ index: 0, id: "a", name: "web_search", arguments: arguments1 })),
    outline: [`call a ${arguments1}`, "finish tool-calls"],
  },
  {
    name: "half a call that is over without a reason",
    body: chunks(
      call({ index: 0, id: "a", name: "web_search", arguments: arguments1 }),
      call({ index: 1, id: "b", name: "web_search", arguments: arguments2.slice(0, 5) }),
    ),
    outline: ["error bad-stream"],
  },
  {
    name: "a call without arguments that is over without a reason: they may be missing",
    body: chunks(call({ index: 0, id: "a", name: "web_search", arguments: "" })),
    outline: ["error bad-stream"],
  },
  ...[
    "content_filter: PROHIBITED_CONTENT",
    "RECITATION",
    "refusal",
    "sensitive",
    "guardrail_intervened",
  ].map((reason) => ({
    name: `text that ends with ${reason}`,
    body: chunks(delta({ content: "Half" }), delta({}, reason)),
    outline: ["text Half", "finish content-filter"],
  })),
  {
    name: "text that ends with model_context_window_exceeded (Z.ai)",
    body: chunks(delta({ content: "Half" }), delta({}, "model_context_window_exceeded")),
    outline: ["text Half", "finish context"],
  },
  ...["function_call_filter: MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"].map((reason) => ({
    name: `an end with ${reason} (Gemini)`,
    body: chunks(delta({ role: "assistant" }), delta({}, reason)),
    outline: ["error bad-stream"],
  })),
  ...["eos", "eos_token", "STOP", "end_turn", "</s>", "unheard_of"].map((reason) => ({
    name: `text that ends with ${reason}`,
    body: chunks(delta({ content: "Done." }), delta({}, reason)),
    outline: ["text Done.", "finish stop"],
  })),
  {
    name: "text that ends with max_tokens",
    body: chunks(delta({ content: "Half" }), delta({}, "max_tokens")),
    outline: ["text Half", "finish length"],
  },
  {
    name: "a call that ends with an unknown word",
    body: chunks(
      call({ index: 0, id: "a", name: "web_search", arguments: arguments1 }),
      delta({}, "unheard_of"),
    ),
    outline: ["error bad-stream"],
  },
  {
    name: "an end that the vendor calls an error (OpenRouter)",
    body: chunks(delta({ content: "Half" }), delta({}, "error")),
    outline: ["text Half", "error bad-stream"],
  },
  {
    name: "an empty error beside the answer",
    body: chunks({ ...delta({ content: "Hi" }, "stop"), error: {} }),
    outline: ["text Hi", "finish stop"],
  },
  {
    name: "pings, events without data and a byte order mark",
    body: `\ufeffevent: ping\ndata: \n\n${chunks(
      'event: ping\ndata: {"type":"ping"}\n\n',
      delta({ content: "Hi" }),
      "data:\n\n",
      delta({}, "stop"),
    )}`,
    outline: ["text Hi", "finish stop"],
  },
  {
    name: "text and calls in choices of their own (GitHub Copilot)",
    body: JSON.stringify({
      choices: [
        { message: { role: "assistant", content: "I search." }, finish_reason: "tool_calls" },
        {
          message: {
            role: "assistant",
            tool_calls: [wholeCall("a", arguments1)],
          },
          finish_reason: "tool_calls",
        },
      ],
    }),
    outline: ["text I search.", `call a ${arguments1}`, "finish tool-calls"],
  },
  {
    name: "one JSON object in place of a stream",
    body: JSON.stringify({
      object: "chat.completion",
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: "I search.",
            tool_calls: [
              {
                id: "a",
                type: "function",
                function: { name: "web_search", arguments: arguments1 },
              },
            ],
          },
          finish_reason: "tool_calls",
        },
      ],
      usage: { prompt_tokens: 9, completion_tokens: 3 },
    }),
    outline: ["text I search.", `call a ${arguments1}`, "finish tool-calls"],
  },
];
