/** Results as texts: the text for a call that did not run, and how large or unclean output is made fit to write. */

import { summariseNames } from "../shared/counted.ts";
import type { ToolOutput } from "./ports.ts";

/** For a call without a result (format, section 10): it was not decided. */
export const notExecutedText = "not executed";
/** The tool gave nothing that can be sent. */
export const noOutputText = "(no output)";
/** A rule of the configuration denied it. */
export const deniedText = "declined by a rule of the user's configuration";

/** The output of a call that failed; `text` is for the model. */
export function failedOutput(text: string): ToolOutput {
  return { status: "error", text, media: [] };
}

const namesShown = 50;

/** For the model: a call named a tool that does not exist; `names` are those that do. */
export function unknownToolText(name: string, names: readonly string[]): string {
  const unknown = `There is no tool ${JSON.stringify(name)}`;
  if (names.length === 0) return `${unknown}: no tools are offered here. Answer without.`;
  return `${unknown}. The tools are: ${summariseNames(names, namesShown)}.`;
}

export interface CutResult {
  readonly text: string;
  /** Whether text was left out; the remaining text says how much. */
  readonly cut: boolean;
}

/**
 * Returns the head and the tail of a tool's output, at most `limitBytes` of UTF-8 together with the line that states
 * the cut (or only that line, when the limit is smaller). Cuts at line ends where that keeps at least half of the part,
 * never inside a character. The text always goes through `harmless` first.
 */
export function cutResult(text: string, limitBytes: number): CutResult {
  const clean = harmless(text);
  const bytes = new TextEncoder().encode(clean);
  if (bytes.length <= limitBytes) return { text: clean, cut: false };
  const room = Math.max(0, limitBytes - statement(bytes.length, bytes.length).length - 2);
  const headRoom = Math.ceil((room * 2) / 3);
  const head = bytes.subarray(0, headEnd(bytes, headRoom));
  const tail = bytes.subarray(tailStart(bytes, bytes.length - (room - headRoom)));
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const parts = [
    decoder.decode(head).replace(/\n$/, ""),
    statement(bytes.length - head.length - tail.length, bytes.length),
    decoder.decode(tail),
  ];
  return { text: parts.filter((part) => part !== "").join("\n"), cut: true };
}

/**
 * Returns text from elsewhere without anything that could act on a screen or break a line: CR LF and CR become LF,
 * control characters other than tabs become visible (`␛`, `\u{9b}`), lone surrogates become U+FFFD.
 */
export function harmless(text: string): string {
  // Most texts are, and this runs for every delta of an answer.
  if (!harmful.test(text)) return text;
  return text
    .replace(/\r\n?/g, "\n")
    .replace(controls, (character) => visibleControl(character.charCodeAt(0)))
    .replace(/\p{Surrogate}/gu, "\ufffd");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is searched for
const controls = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is searched for
const harmful = /[\0-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]/;

function visibleControl(code: number): string {
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "\u2421" : `\\u{${code.toString(16)}}`;
}

function statement(left: number, all: number): string {
  return `[${left} of ${all} bytes of this result are left out here]`;
}

const lineFeed = 0x0a;

/** The end of a head of at most `room` bytes. */
function headEnd(bytes: Uint8Array, room: number): number {
  const line = room === 0 ? -1 : bytes.lastIndexOf(lineFeed, room - 1);
  if (line >= room / 2) return line + 1;
  let end = room;
  while (end > 0 && isInsideCharacter(bytes[end])) end -= 1;
  return end;
}

/** The start of a tail that begins at `from` or later. */
function tailStart(bytes: Uint8Array, from: number): number {
  const line = bytes.indexOf(lineFeed, Math.max(0, from - 1));
  if (line >= 0 && line + 1 - from <= (bytes.length - from) / 2) return line + 1;
  let start = from;
  while (start < bytes.length && isInsideCharacter(bytes[start])) start += 1;
  return start;
}

/** UTF-8 continuation bytes are 10xxxxxx. */
function isInsideCharacter(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
