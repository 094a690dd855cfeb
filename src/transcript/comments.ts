/**
 * Parses and renders comments in an answer (`<!-- parley: … -->`): the unfinished mark and the step line (format,
 * section 6).
 */
import { isObject } from "../shared/json.ts";
import { markerText } from "./markers.ts";
import { isPlainFileName } from "./result-block.ts";
import { readJson } from "./strict-json.ts";
import type { StepRecord, UnfinishedReason } from "./transcript.ts";

/** A parsed `<!-- parley:` line (format, section 6). */
export type Comment =
  | {
      readonly kind: "step";
      readonly record: StepRecord;
      /** The JSON object as it is in the line, including unknown keys. */
      readonly json: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: "unfinished"; readonly reason: UnfinishedReason }
  | { readonly kind: "malformed"; readonly why: string };

const reasons: readonly string[] = [
  "open",
  "stopped",
  "length",
  "error",
  "empty",
] satisfies UnfinishedReason[];

function isReason(word: string): word is UnfinishedReason {
  return reasons.includes(word);
}

function malformed(why: string): Comment {
  return { kind: "malformed", why };
}

function isFiles(value: unknown): value is Readonly<Record<string, string>> {
  return (
    isObject(value) &&
    Object.values(value).every((file) => typeof file === "string" && isPlainFileName(file))
  );
}

function readRecord(json: Readonly<Record<string, unknown>>): StepRecord | string {
  const { model, state, files, tail, paused } = json;
  if (model !== undefined && typeof model !== "string") return '"model" is not a text';
  if (state !== undefined && typeof state !== "string") return '"state" is not a text';
  if (files !== undefined && !isFiles(files)) return '"files" does not map texts to plain names';
  if (tail !== undefined && typeof tail !== "boolean") return '"tail" is neither true nor false';
  if (paused !== undefined && typeof paused !== "boolean")
    return '"paused" is neither true nor false';
  return {
    ...(model !== undefined && { model }),
    ...(state !== undefined && { state }),
    ...(files !== undefined && { files }),
    ...(tail !== undefined && { tail }),
    ...(paused !== undefined && { paused }),
  };
}

function parseStep(text: string): Comment {
  const reading = readJson(text);
  if (!reading.ok) return malformed(reading.reason);
  if (!isObject(reading.value)) return malformed("it is not a JSON object");
  const record = readRecord(reading.value);
  return typeof record === "string"
    ? malformed(record)
    : { kind: "step", record, json: reading.value };
}

/** Parses a line that begins with `<!-- parley:`; null for every other line. */
export function parseComment(line: string): Comment | null {
  if (!line.startsWith(markerText.comment)) return null;
  const body = line.slice(markerText.comment.length).trimEnd();
  if (!body.endsWith("-->")) return malformed("it does not end in -->");
  const text = body.slice(0, -3);
  const word = /^[a-z]*/.exec(text)?.[0] ?? "";
  const rest = text.slice(word.length).trim();
  if (word === "step") return parseStep(rest);
  if (word !== "unfinished") return malformed("it is neither a step nor an unfinished mark");
  if (isReason(rest)) return { kind: "unfinished", reason: rest };
  return malformed(`the reason is none of ${reasons.join(", ")}`);
}

/** The mark of an answer that is not complete (format, section 6). */
export function renderUnfinished(reason: UnfinishedReason): string {
  return `${markerText.comment}unfinished ${reason} -->`;
}

/**
 * Renders the line that begins a step. `others` are unknown keys of an existing step line, which are kept. The JSON is
 * escaped so that it cannot end the comment.
 */
export function renderStepLine(
  record: StepRecord,
  others: Readonly<Record<string, unknown>> = {},
): string {
  const { model, state, files, tail, paused, ...unknown } = others;
  const json = JSON.stringify({
    ...(record.model !== undefined && { model: record.model }),
    ...(record.files !== undefined && { files: record.files }),
    ...(record.tail !== undefined && { tail: record.tail }),
    ...(record.paused !== undefined && { paused: record.paused }),
    ...unknown,
    ...(record.state !== undefined && { state: record.state }),
  });
  const safe = json.replaceAll(">", "\\u003e").replaceAll("--", "-\\u002d");
  return `${markerText.comment}step ${safe} -->`;
}

/** The line with the references renewed for which its step has files. A line that is no such step stays as it is. */
export function withSources(line: string, renew: (source: string) => string): string {
  const comment = parseComment(line);
  if (comment?.kind !== "step" || comment.record.files === undefined) return line;
  const { record, json } = comment;
  const entries = Object.entries(comment.record.files);
  const renewed = entries.map(([source, file]) => [renew(source), file] as const);
  if (renewed.every(([source], index) => source === entries[index]?.[0])) return line;
  const lineEnd = line.slice(line.trimEnd().length);
  return renderStepLine({ ...record, files: Object.fromEntries(renewed) }, json) + lineEnd;
}
