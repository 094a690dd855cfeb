/** The part of Anthropic's API that is needed for a plugin that supports no other. */

const events = (...values) =>
  values.map((value) => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`).join("");

const start = (block) =>
  events(
    {
      type: "message_start",
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "claude-sonnet-5",
        content: [],
        stop_reason: null,
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    },
    { type: "content_block_start", index: 0, content_block: block },
  );
const piece = (delta) => events({ type: "content_block_delta", index: 0, delta });
const end = (reason) =>
  events(
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: reason }, usage: { output_tokens: 1 } },
    { type: "message_stop" },
  );

export const anthropicWire = {
  opening: start({ type: "text", text: "" }),
  piece: (text) => piece({ type: "text_delta", text }),
  ending: end("end_turn"),
  /** Answers requests other than for an answer: token counts and chat titles. */
  aside(path, body) {
    if (path.endsWith("/count_tokens")) return JSON.stringify({ input_tokens: 1 });
    const choice = JSON.parse(body).tool_choice;
    if (choice?.type !== "tool") return undefined;
    const call = { type: "tool_use", id: "toolu_1", name: choice.name, input: {} };
    const input = { type: "input_json_delta", partial_json: JSON.stringify({ title: "bench" }) };
    return `${start(call)}${piece(input)}${end("tool_use")}`;
  },
};
