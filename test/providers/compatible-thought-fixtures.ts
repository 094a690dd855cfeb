/** Thoughts, and usage, as compatible servers tell them in places of their own. */
import { chunks, delta } from "./compatible-stream-fixtures.ts";

/** Of thoughts in places of their own: what comes as thoughts, and as text. */
export const thoughtFixtures: readonly {
  readonly name: string;
  readonly body: string;
  readonly thoughts: string;
  readonly text: string;
}[] = [
  {
    name: "<think> in the content",
    body: chunks(
      delta({ content: "\n<thi" }),
      delta({ content: "nk>\nI wonder < 3 </thin" }),
      delta({ content: "g.</think>\n\nTwo <think> tags." }),
      delta({}, "stop"),
    ),
    thoughts: "I wonder < 3 </thing.",
    text: "Two <think> tags.",
  },
  {
    name: "<think> that does not end",
    body: chunks(delta({ content: "<think>I wonder </thi" }), delta({}, "stop")),
    thoughts: "I wonder </thi",
    text: "",
  },
  {
    name: "what only begins like a tag",
    body: chunks(delta({ content: " <th" }), delta({ content: "e> end <t" }), delta({}, "stop")),
    thoughts: "",
    text: " <the> end <t",
  },
  {
    name: "all of the answer once more at its end (MiniMax)",
    body: chunks(delta({ reasoning_content: "Hm." }), delta({ content: "Yes." }), {
      choices: [{ finish_reason: "stop", message: { content: "Yes.", reasoning_content: "Hm." } }],
    }),
    thoughts: "Hm.",
    text: "Yes.",
  },
  {
    name: "reasoning_text",
    body: chunks(
      delta({ reasoning_text: "Hm " }),
      delta({ reasoning_text: "hm." }),
      delta({ content: "Yes." }),
      delta({}, "stop"),
    ),
    thoughts: "Hm hm.",
    text: "Yes.",
  },
  {
    name: "thoughts and text as objects (Envoy AI Gateway)",
    body: chunks(
      delta({ reasoning_content: { text: "Hm " } }),
      delta({ reasoning_content: { text: "hm." } }),
      delta({ reasoning_content: { signature: "eA==" } }),
      delta({ content: { type: "text", text: "Yes." } }),
      delta({}, "stop"),
    ),
    thoughts: "Hm hm.",
    text: "Yes.",
  },
  {
    name: "thoughts and text as lists of texts and objects",
    body: chunks(
      delta({ reasoning_content: ["Hm ", { text: "hm." }, null, 7] }),
      delta({ content: ["Ye", { type: "text", text: "s" }, [], "."] }),
      delta({}, "stop"),
    ),
    thoughts: "Hm hm.",
    text: "Yes.",
  },
  {
    name: "thoughts as a part of the content (Databricks)",
    body: chunks(
      delta({
        content: [
          { type: "reasoning", summary: [{ type: "summary_text", text: "Hm hm." }] },
          { type: "text", text: "Yes." },
        ],
      }),
      delta({}, "stop"),
    ),
    thoughts: "Hm hm.",
    text: "Yes.",
  },
  {
    name: "reasoning_details alone",
    body: chunks(
      delta({ reasoning_details: [{ type: "reasoning.text", text: "Hm ", index: 0 }] }),
      delta({ reasoning_details: [{ type: "reasoning.summary", summary: "hm.", index: 1 }] }),
      delta({ reasoning_details: [{ type: "reasoning.encrypted", data: "eA==", index: 2 }] }),
      delta({ content: "Yes." }),
      delta({}, "stop"),
    ),
    thoughts: "Hm hm.",
    text: "Yes.",
  },
  {
    name: "reasoning and its details",
    body: chunks(
      delta({ reasoning: "Hm.", reasoning_details: [{ type: "reasoning.text", text: "Hm." }] }),
      delta({ content: "Yes." }),
      delta({}, "stop"),
    ),
    thoughts: "Hm.",
    text: "Yes.",
  },
];

/** Usage in a place of its own (Moonshot). */
export const choiceUsage = chunks(delta({ content: "Hi" }), {
  choices: [
    {
      index: 0,
      delta: {},
      finish_reason: "stop",
      usage: { prompt_tokens: 7, completion_tokens: 2, cost: 0.25 },
    },
  ],
});
