import { expect, test } from "vitest";
import type {
  DetectorEvent,
  DetectorFinish,
  DetectorOptions,
  KnownTool,
} from "../../../src/providers/text-tools/detection.ts";
import { createDetector } from "../../../src/providers/text-tools/detector.ts";

export const tools: readonly KnownTool[] = [
  {
    name: "web_search",
    inputSchema: {
      type: "object",
      properties: { query: { type: "string" }, count: { type: "integer" } },
    },
  },
  { name: "mock.search" },
  { name: "builtin.read_file" },
];

export interface Asked extends Partial<DetectorOptions> {
  readonly finish?: DetectorFinish;
  /** Units of each chunk; without it the text comes whole. */
  readonly chunks?: readonly number[];
}

export function detect(protocol: string, text: string, asked: Asked = {}): DetectorEvent[] {
  const { finish = "stop", chunks = [text.length], ...options } = asked;
  const detector = createDetector({
    protocols: protocol.split(","),
    tools,
    asked: protocol.split(","),
    ...options,
  });
  const events: DetectorEvent[] = [];
  let at = 0;
  for (let index = 0; at < text.length; index += 1) {
    const size = Math.max(1, chunks[index % chunks.length] ?? 1);
    for (const event of detector.push(text.slice(at, at + size))) events.push(event);
    at += size;
  }
  return events.concat(detector.end(finish));
}

/** The same, whatever the size of the pieces. */
export function merged(events: readonly DetectorEvent[]): DetectorEvent[] {
  const all: DetectorEvent[] = [];
  for (const event of events) {
    const last = all.at(-1);
    if (event.type === "pending") continue;
    if (event.type === "text" && last?.type === "text") {
      all[all.length - 1] = { type: "text", text: last.text + event.text };
    } else {
      all.push(event);
    }
  }
  return all;
}

/** Text as itself, calls as `name{…}`, with `!` when repaired, and `malformed`. */
export function outline(events: readonly DetectorEvent[]): string[] {
  return merged(events).map((event) => {
    if (event.type === "text") return event.text;
    if (event.type !== "tool-call") return event.type;
    return `${event.call.name}${event.call.arguments}${event.repaired ? "!" : ""}`;
  });
}

export function callsOf(events: readonly DetectorEvent[]) {
  return events.flatMap((event) => (event.type === "tool-call" ? [event.call] : []));
}

export function sourceOf(events: readonly DetectorEvent[]): string {
  return events
    .map((event) => {
      if (event.type === "text") return event.text;
      return event.type === "pending" ? "" : event.raw;
    })
    .join("");
}

export const S = "😊".repeat(14);

export type Row = readonly [
  name: string,
  id: string,
  text: string,
  found: readonly string[],
  Asked?,
];

/** A test of each row: what is found of its text, whatever way it is cut. */
export function run(rows: readonly Row[]) {
  for (const [name, id, text, found, asked] of rows) {
    test(name, () => {
      expect(outline(detect(id, text, asked))).toEqual(found);
      const cut = detect(id, text, { ...asked, chunks: [1, 3, 2] });
      expect(merged(cut)).toEqual(merged(detect(id, text, asked)));
      expect(sourceOf(cut)).toBe(text);
    });
  }
}
