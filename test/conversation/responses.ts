/** Streamed responses for tests, and the transcript that they produce. */

import type { StreamPart } from "../../src/conversation/ports.ts";
import { createAnswerWriter } from "../../src/conversation/turn/answer-writer.ts";
import fc from "../support/property.ts";

export const text = (delta: string): StreamPart => ({ type: "text-delta", text: delta });
export const thought = (delta: string): StreamPart => ({ type: "reasoning-delta", text: delta });
export const call = (id: string): StreamPart => ({
  type: "tool-call",
  call: { id, name: "web_search", arguments: "{}" },
});

/** What the file has when every part gets a frame of its own. */
export function write(parts: readonly StreamPart[], start = ""): string {
  const writer = createAnswerWriter();
  let file = start;
  const frame = () => {
    const render = writer.frame();
    const prefix = file.slice(file.lastIndexOf("\n") + 1);
    render("asked for another prefix first");
    file += render(prefix);
  };
  for (const part of parts) if (writer.push(part)) frame();
  writer.end();
  frame();
  frame();
  return file;
}

const fragments = [
  "💬:",
  "🤖:",
  "🧠:",
  "[END]",
  "📝:",
  "❓:",
  "🛠️:",
  "🛠:",
  "🔧:",
  "<!-- parley:",
  "\\",
  "\n",
  "\n\n",
  "\r",
  "\r\n",
  " ",
  "\t",
  "\u00a0",
  "\u00a0[END]\n",
  "a",
  "word",
  "`",
  "\ufe0f",
  "\0",
  "[",
];
const anyContent = fc.string({ unit: fc.constantFrom(...fragments), maxLength: 30 });
const anyPart = fc.oneof(
  { weight: 3, arbitrary: anyContent.map(text) },
  { weight: 2, arbitrary: anyContent.map(thought) },
  { weight: 1, arbitrary: fc.constantFrom("a", "b").map(call) },
);
/** Texts, thoughts and calls full of what looks like structure. */
export const anyResponse = fc.array(anyPart, { maxLength: 6 });
