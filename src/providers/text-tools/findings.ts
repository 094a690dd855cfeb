/** From what a block holds to what is reported of it. */

import { given } from "../../shared/given.ts";
import type { Context, FoundCall, Reading } from "./arguments/known-tools.ts";
import type { Policy } from "./blocks/block.ts";
import type { DetectorEvent } from "./detection.ts";

/** What is reported of a block; null when all of it is text. */
export type Findings = readonly Exclude<DetectorEvent, { type: "text" | "pending" }>[] | null;

export function findingsOf(
  raw: string,
  reading: Reading | null,
  block: { readonly policy: Policy; readonly isFenced: boolean },
  context: Context,
): Findings {
  if (reading === null) return null;
  // Where nobody asked for this form, it means something only for tools that exist.
  const takesAnyName = block.policy === "delimited" && context.mode === "prompted";
  if ("reason" in reading) return malformed(raw, reading, block.policy, context);
  if (!takesAnyName && !reading.calls.some(({ name }) => context.knows(name))) return null;
  return reading.calls.map((call, index) => {
    const start = index === 0 ? 0 : call.start;
    return toolCall(call, raw.slice(start, reading.calls[index + 1]?.start), block.isFenced);
  });
}

function toolCall(call: FoundCall, raw: string, isFenced: boolean) {
  return {
    type: "tool-call" as const,
    call: { name: call.name, arguments: call.arguments },
    raw,
    ...given({ thoughts: call.thoughts }),
    // In a fence it may be an example: a person has to look at it.
    ...given({ repaired: call.repaired || isFenced ? (true as const) : null }),
  };
}

function malformed(
  raw: string,
  { reason, name }: { readonly reason: string; readonly name?: string },
  policy: Policy,
  context: Context,
): Findings {
  const isForUs =
    (policy === "delimited" && context.mode === "prompted") ||
    (policy !== "plain" && (name === undefined ? mentionsTool(raw, context) : context.knows(name)));
  if (!isForUs) return null;
  return [{ type: "malformed", raw, reason: `This tool call cannot be read: ${reason}.` }];
}

/** A block that did not close. */
export function unclosedFindings(raw: string, policy: Policy, context: Context): Findings {
  return malformed(raw, { reason: "it is not complete, its end is missing" }, policy, context);
}

/** A block that is too large; the rest of it follows as more pieces. */
export function oversizedFindings(raw: string, policy: Policy, context: Context): Findings {
  const reason = `it is larger than ${context.maxCallBytes} bytes`;
  return malformed(raw, { reason }, policy, context);
}

/** So much of a block is searched for names. */
const searched = 4096;

function mentionsTool(raw: string, context: Context): boolean {
  const beginning = raw.slice(0, searched);
  return context.names.some((name) => beginning.includes(name));
}
