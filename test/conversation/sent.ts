/** The messages that are sent for a transcript, in a form short enough to compare. */
import { expect } from "vitest";
import type { ImagePart, TextPart, ToolCallPart } from "../../src/conversation/ports.ts";
import {
  buildMessages,
  type MessageOptions,
} from "../../src/conversation/request/build-messages.ts";
import type { LoadedFile } from "../../src/conversation/request/needed-files.ts";
import { parseTranscript } from "../../src/transcript/parse.ts";
import { checkHistory } from "../support/history.ts";

const png = { mime: "image/png", data: "iVBORw0KGgo=" };
const files: ReadonlyMap<string, LoadedFile> = new Map<string, LoadedFile>([
  ["a.txt", { kind: "text", text: "const a = 1;\n" }],
  ["fence.txt", { kind: "text", text: "```\nx\n```" }],
  ["p.png", { kind: "image", ...png }],
]);

/** What is sent for the last exchange, or the one at `index`. */
export function build(text: string, options: Partial<MessageOptions> = {}, index = -1) {
  const transcript = parseTranscript(text);
  const exchange = transcript.exchanges.at(index);
  if (exchange === undefined) throw new Error("The text has no such exchange.");
  const built = buildMessages(transcript, { exchange, files, maxFullExchanges: 42, ...options });
  expect(checkHistory(built.messages)).toEqual([]);
  return built;
}

/** The messages, short: texts and calls by role. */
export function brief(text: string, options: Partial<MessageOptions> = {}, index = -1): string[] {
  return build(text, options, index).messages.map((message) => {
    if (message.role !== "tool") return `${message.role}: ${message.content.map(show).join(" | ")}`;
    const results = message.results.map(
      ({ callId, isError, content }) =>
        `${callId}${isError ? "!" : ""} ${content.map(show).join(" ")}`,
    );
    return `tool: ${results.join(" | ")}`;
  });
}

function show(part: TextPart | ImagePart | ToolCallPart): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "image":
      return `<${part.mime}>`;
    case "tool-call":
      return `${part.id} ${part.name}(${part.arguments})`;
  }
}

/** `args` is the text of the arguments. */
export function call(id: string, mark = "", args = '{"query":"google"}'): string {
  const json = JSON.stringify({
    id,
    type: "function",
    function: { name: "web_search", arguments: args },
  });
  return `❓:${mark} \`${json}\``;
}

export function result(id: string, text: string, status = ""): string {
  return `\n🛠️: [web_search][${id}]${status}\n\n\`${text}\`\n`;
}

export const called = (id: string) => `${id} web_search({"query":"google"})`;
