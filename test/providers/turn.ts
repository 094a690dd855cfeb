import type { Message } from "../../src/conversation/ports.ts";
import { user } from "./parts.ts";

function call(id: string, json = '{"query": "x"}') {
  return { type: "tool-call" as const, id, name: "web_search", arguments: json };
}

export function result(callId: string, text: string, isError = false) {
  const content = [{ type: "text" as const, text }];
  return { type: "tool-result" as const, callId, name: "web_search", isError, content };
}

/** text → two calls → two results → text, as in section 12 of the format, then the next question. */
export const turn: readonly Message[] = [
  user("prices?"),
  {
    role: "assistant",
    content: [{ type: "text", text: "I search." }, call("call_1"), call("call_2")],
  },
  { role: "tool", results: [result("call_1", "$911"), result("call_2", "no", true)] },
  { role: "assistant", content: [{ type: "text", text: "$911." }] },
  user("thanks"),
];
