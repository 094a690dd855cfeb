/** Helpers to build chats in tests. */

import {
  emptySession,
  type Session,
  type TrackedCall,
} from "../../src/conversation/decide/session.ts";
import type { Tool } from "../../src/conversation/ports.ts";
import { parseTranscript } from "../../src/transcript/parse.ts";
import type { Exchange, ToolCall, Transcript } from "../../src/transcript/transcript.ts";

export const question = "💬: what does google cost?\n";

/** The JSON of a call line. */
function callJson(id: string, query = "google", name = "web_search"): string {
  const call = { name, arguments: JSON.stringify({ query }) };
  return JSON.stringify({ id, type: "function", function: call });
}

export function toolCall(id: string, query = "google", name = "web_search"): ToolCall {
  return { id, name, arguments: JSON.stringify({ query }) };
}

/** A call line; `mark` is a decision, empty for none. */
export function callLine(id: string, mark = "", query = "google"): string {
  return `❓:${mark === "" ? "" : `[${mark}]`} \`${callJson(id, query)}\``;
}

export function resultLines(id: string, text = "$911", status = ""): string {
  return `\n🛠️: [web_search][${id}]${status === "" ? "" : ` (${status})`}\n\n\`${text}\`\n`;
}

export interface Scene {
  readonly transcript: Transcript;
  readonly exchange: Exchange;
}

/** The transcript, and the exchange at `index` (the last one unless told otherwise). */
export function scene(text: string, index = -1): Scene {
  const transcript = parseTranscript(text);
  const exchange = transcript.exchanges.at(index);
  if (exchange === undefined) throw new Error("The text has no such exchange.");
  return { transcript, exchange };
}

export function lineOf(transcript: Transcript, part: string): number {
  const line = transcript.lines.findIndex((text) => text.includes(part));
  if (line < 0) throw new Error(`No line holds ${part}.`);
  return line;
}

/** A session that knows the given lines, found by a part of their text. */
export function knowing(
  transcript: Transcript,
  states: Readonly<Record<string, TrackedCall["state"]>>,
): Session {
  const calls = Object.entries(states).map(([part, state]) => {
    const line = lineOf(transcript, part);
    return {
      line,
      text: transcript.lines[line] ?? "",
      state,
      tool: "",
      effect: "",
      isAlone: false,
    };
  });
  return { ...emptySession, calls };
}

/** The session with a turn running for this exchange. */
export function inTurn(
  session: Session,
  { transcript, exchange }: Scene,
  callCounts: Readonly<Record<string, number>> = {},
): Session {
  const line = exchange.range.start;
  const anchor = { line, text: transcript.lines[line] ?? "" };
  const turn = { exchange: anchor, modelCalls: 1, callCounts, invalidAnswers: 0 };
  return { ...session, turn, respondedTo: anchor };
}

export const search: Tool = {
  name: "web_search",
  description: "Searches the web.",
  inputSchema: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
  server: "mock",
};

export const tools: ReadonlyMap<string, Tool> = new Map([[search.name, search]]);
