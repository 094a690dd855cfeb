/** Ids of tool calls on the wire. The transcript keeps the original ids; each request maps them. Pure. */

import { createHash } from "node:crypto";
import type { CallIdRule } from "../vendors/compat.ts";

/** Kimi K2's ids: the model was trained to read and to count them. */
const counted = /^(functions\.[\w.-]{1,128}:)(\d{1,9})$/;

/** LiteLLM's ids, in which the gateway stores Gemini's thought signature. */
const signed = /^[\w-]{1,128}__thought__[\w+/=-]+$/;

/**
 * Whether an id means something to the model or gateway that made it, so that calls fail if it is replaced: Kimi
 * writes no readable call after `functions_read_0` (MoonshotAI/Kimi-K2 tool_call_guidance.md, ml-explore/mlx-lm#821),
 * and Gemini refuses a call without its signature (BerriAI/litellm#16895).
 */
function hasMeaning(id: string): boolean {
  return counted.test(id) || signed.test(id);
}

/** A new id in the form of one that is already used: `call_1_2`, `functions.read:1`. */
function anotherId(id: string, number: number, longest: number): string {
  const [, stem, count] = counted.exec(id) ?? [];
  if (stem !== undefined) return `${stem}${Number(count) + number - 1}`;
  const suffix = `_${number}`;
  return id.slice(0, longest - suffix.length) + suffix;
}

/**
 * Gives each call of one request, in order, a unique id: the call's own if the rule allows it. It depends only on the
 * calls before, so a request that continues an earlier one has the same ids (format, section 10).
 */
export function createCallIds(rule: CallIdRule): (id: string) => string {
  const used = new Set<string>();
  /** The last number for each id, so that thousands of calls with one id do not each search from the start. */
  const lastNumbers = new Map<string, number>();
  return (id) => {
    const plain = wireId(id, rule);
    let unique = plain;
    let number = lastNumbers.get(plain) ?? 1;
    while (used.has(unique)) {
      number += 1;
      unique = rule.isExact
        ? digest(`${id} ${number}`, rule.length)
        : anotherId(plain, number, rule.length);
    }
    lastNumbers.set(plain, number);
    used.add(unique);
    return unique;
  };
}

function wireId(id: string, { length, isExact, keepsMeaning }: CallIdRule): string {
  if (keepsMeaning && hasMeaning(id)) return id;
  if (isExact) {
    const fits = id.length === length && /^[a-zA-Z0-9]*$/.test(id);
    return fits ? id : digest(id, length);
  }
  return id.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, length) || "call";
}

/** Letters and digits; equal ids get equal digests. */
function digest(text: string, length: number): string {
  const hash = createHash("sha256").update(text, "utf8").digest("base64");
  return hash.replace(/[^a-zA-Z0-9]/g, "").slice(0, length);
}
