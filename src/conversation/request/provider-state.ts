/**
 * Opaque data that a provider wants back inside an open tool loop, as kept in a step line (format, section 7):
 * base64url of JSON with a keyed hash, so that it is sent back only with the step it was made for.
 */

import { createHmac, timingSafeEqual } from "node:crypto";
import { isObject, parseJson } from "../../shared/json.ts";
import type { Step, StepRecord } from "../../transcript/transcript.ts";
import type { ModelName } from "../ports.ts";
import { formatModelName } from "../settings/model-name.ts";

/** What the hash covers: an edit of any of it makes the state invalid. */
export interface StepContent {
  readonly text: string;
  readonly thoughts: string;
  /** The JSON of each call's code span, in order. */
  readonly calls: readonly string[];
}

/** Decisions, remarks in parentheses, results and the position of blank lines are not part of the content. */
export function stepContent(step: Step): StepContent {
  const texts = step.blocks.flatMap((block) => (block.kind === "text" ? [block.text] : []));
  const thoughts = step.blocks.flatMap((block) => (block.kind === "thought" ? [block.text] : []));
  return {
    text: texts.join("\n"),
    thoughts: thoughts.join("\n"),
    calls: step.calls.map(({ json }) => json),
  };
}

/** Returns the `state` of a step line. `data` must be JSON; `secret` is the one of the local state folder. */
export function sealState(
  data: unknown,
  content: StepContent,
  model: ModelName,
  secret: string,
): string {
  const hash = contentHash(data, content, model, secret);
  return Buffer.from(JSON.stringify({ v: 1, data, hash }), "utf8").toString("base64url");
}

/**
 * The data of a step's state; undefined when the step line has none, names another model, was made elsewhere, or the
 * step was edited. The caller must know whether the step is in the current exchange.
 */
export function openState(step: Step, model: ModelName, secret: string): unknown {
  const { record } = step;
  const sealed = record.model === formatModelName(model) ? readState(record) : null;
  if (sealed === null) return undefined;
  const expected = contentHash(sealed.data, stepContent(step), model, secret);
  return isEqual(sealed.hash, expected) ? sealed.data : undefined;
}

function readState({
  state,
}: StepRecord): { readonly data: unknown; readonly hash: string } | null {
  if (state === undefined) return null;
  const value = parseJson(Buffer.from(state, "base64url").toString("utf8"));
  // A damaged state counts as none: what can be read of the step is sent.
  if (!isObject(value) || !("data" in value)) return null;
  const { v, data, hash } = value;
  return v === 1 && typeof hash === "string" ? { data, hash } : null;
}

/** Covers model and data as well, so that a state cannot be changed under its hash. */
function contentHash(
  data: unknown,
  { text, thoughts, calls }: StepContent,
  model: ModelName,
  secret: string,
): string {
  const hashed = JSON.stringify([
    1,
    formatModelName(model),
    data,
    withoutBlankLines(text),
    withoutBlankLines(thoughts),
    calls,
  ]);
  return createHmac("sha256", secret).update(hashed, "utf8").digest("base64url");
}

function withoutBlankLines(text: string): string {
  const lines = text.split("\n").map((line) => line.trimEnd());
  return lines.filter((line) => line !== "").join("\n");
}

function isEqual(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
