/** Parses and renders call lines (`❓:`), and marks them with a decision (format, section 4). */
import { isObject } from "../shared/json.ts";
import { readSpan, renderSpan } from "./code.ts";
import { type Decision, isDecision } from "./decisions.ts";
import { markerAt, markerText } from "./markers.ts";
import { readJson } from "./strict-json.ts";
import type { ToolCall } from "./transcript.ts";

/** A parsed `❓:` line (format, section 4). */
export interface CallLine {
  /** Null when the call is broken. */
  readonly call: ToolCall | null;
  /** The id in the JSON; known for some broken calls too, so that their results can be matched to them. */
  readonly id: string | null;
  /** The exact characters of the JSON in the code span; empty when there is none. */
  readonly json: string;
  readonly decision: Decision | null;
  /** The word in the brackets when it is not a known decision; else null. */
  readonly unknownDecision: string | null;
  readonly notes: readonly string[];
  /** Why this is a broken call, as the end of a sentence that begins with "This call"; null when it is not. */
  readonly broken: string | null;
}

/** Text in parentheses stays plain words: nothing in it may end the parentheses or begin a code span. */
function noteText(note: string): string {
  return note.replace(/[^\p{L}\p{N} _-]/gu, "").trim();
}

/** Renders the line of one proposed call; `arguments` is written verbatim (format, section 4). */
export function renderCallLine(
  call: ToolCall,
  decision: Decision | null,
  notes: readonly string[],
): string {
  const json = JSON.stringify({
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: call.arguments },
  });
  const words = notes.map(noteText).filter((note) => note !== "");
  const mark = decision === null ? "" : `[${decision}]`;
  return [`${markerText.call}${mark}`, renderSpan(json), ...words.map((word) => `(${word})`)].join(
    " ",
  );
}

type CallReading = Pick<CallLine, "call" | "id" | "broken">;

function brokenCall(broken: string, id: string | null = null): CallReading {
  return { call: null, id, broken };
}

function readCall(json: string): CallReading {
  const reading = readJson(json);
  if (!reading.ok) return brokenCall(`cannot be read: ${reading.reason}`);
  const outer = reading.value;
  if (!isObject(outer)) return brokenCall("is not a JSON object");
  const id = typeof outer.id === "string" ? outer.id : null;
  if (id === null) return brokenCall('has no "id" text');
  if (outer.type !== undefined && outer.type !== "function") {
    return brokenCall('has a "type" other than "function"', id);
  }
  if (!isObject(outer.function)) return brokenCall('has no "function" object', id);
  const { name, arguments: args } = outer.function;
  if (typeof name !== "string" || name === "") return brokenCall("has no tool name", id);
  if (typeof args !== "string") return brokenCall('has no "arguments" text', id);
  const repeated = repeatedKeyIn(args);
  if (repeated !== null) return brokenCall(`has arguments that cannot be trusted: ${repeated}`, id);
  return { call: { id, name, arguments: args }, id, broken: null };
}

/** Arguments that are not JSON at all are a matter of validation, not of the format. */
function repeatedKeyIn(args: string): string | null {
  const reading = readJson(args);
  return !reading.ok && reading.repeatsKey ? reading.reason : null;
}

interface Head {
  readonly decision: Decision | null;
  readonly unknownDecision: string | null;
  /** Column where the code span should begin. */
  readonly end: number;
}

function readHead(line: string, markerLength: number): Head {
  const match = /^[ \t]*(?:\[([^\]`]*)\])?[ \t]*/.exec(line.slice(markerLength));
  const end = markerLength + (match?.[0].length ?? 0);
  const word = match?.[1]?.trim();
  if (word === undefined || word === "") return { decision: null, unknownDecision: null, end };
  if (isDecision(word)) return { decision: word, unknownDecision: null, end };
  return { decision: null, unknownDecision: word, end };
}

/** The notes, or null when there is anything else. */
function readNotes(rest: string): string[] | null {
  if (rest === "") return [];
  if (!/^(?:[ \t]*\([^()`]*\))*[ \t]*$/.test(rest)) return null;
  return [...rest.matchAll(/\(([^()`]*)\)/g)].map((match) => (match[1] ?? "").trim());
}

/**
 * Parses a line as a proposed call. Null when it is not one: no `❓:` at column 0, or no backtick after it. A call line
 * that breaks the format is returned with `broken` set.
 */
export function parseCallLine(line: string): CallLine | null {
  const marker = markerAt(line);
  if (marker?.name !== "call" || !line.includes("`")) return null;
  const head = readHead(line, marker.text.length);
  const { decision, unknownDecision } = head;
  const span = readSpan(line, head.end);
  if (span === null) {
    const broken =
      line.charAt(head.end) === "`"
        ? "has a code span that is not closed"
        : "has something before its code span";
    return { ...brokenCall(broken), json: "", decision, unknownDecision, notes: [] };
  }
  const reading = readCall(span.text);
  const notes = readNotes(line.slice(span.end));
  const base = { json: span.text, decision, unknownDecision };
  if (notes !== null) return { ...reading, ...base, notes };
  const broken = reading.broken ?? "has something after its code span";
  return { call: null, id: reading.id, broken, ...base, notes: [] };
}

/** The same line with another decision; everything but the brackets is unchanged. */
export function markCallLine(line: string, decision: Decision | null): string {
  const marker = markerAt(line);
  if (marker?.name !== "call") return line;
  const { end } = readHead(line, marker.text.length);
  return `${marker.text}${decision === null ? "" : `[${decision}]`} ${line.slice(end)}`;
}
