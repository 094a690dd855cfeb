/** Turns what a block contains into the detector's events. */

import { given } from "../../shared/given.ts";
import {
  type FoundCall,
  type KnownTools,
  notComplete,
  type Reading,
} from "./arguments/known-tools.ts";
import type { BlockPolicy, OpenedBlock } from "./blocks/block.ts";
import type { DetectorEvent } from "./detection.ts";

/** The events for a block; null if all of it is text. */
export type Findings = readonly Exclude<DetectorEvent, { type: "text" | "pending" }>[] | null;

export function findingsOf(
  raw: string,
  reading: Reading | null,
  block: BlockFacts,
  context: KnownTools,
): Findings {
  if (reading === null) return null;
  if ("reason" in reading) return malformed(raw, reading, block, context);
  // If the model was not asked for this form, it only counts as a call for tools that exist.
  const takesAnyName = block.policy === "delimited";
  if (!takesAnyName && !reading.calls.some(({ name }) => context.knows(name))) return null;
  return reading.calls.map((call, index) => {
    const start = index === 0 ? 0 : call.start;
    return toolCall(call, raw.slice(start, reading.calls[index + 1]?.start), block);
  });
}

/** What the place and the form of a block imply for its calls. */
export interface BlockFacts {
  readonly policy: BlockPolicy;
  readonly isAsked: boolean;
  readonly isFenced: boolean;
}

export function blockFactsOf({ reader, isFenced }: OpenedBlock): BlockFacts {
  const { policy } = reader;
  return { policy, isAsked: policy === "delimited" || reader.isAsked === true, isFenced };
}

function toolCall(call: FoundCall, raw: string, { isFenced, isAsked }: BlockFacts) {
  return {
    type: "tool-call" as const,
    call: { name: call.name, arguments: call.arguments },
    raw,
    ...given({ thoughts: call.thoughts }),
    // A call in a code fence may be an example, so the user has to review it.
    ...given({ repaired: call.repaired || isFenced ? (true as const) : null }),
    ...given({ salvaged: isAsked ? null : (true as const) }),
  };
}

function malformed(
  raw: string,
  { reason, name, isMeant }: Exclude<Reading, { readonly calls: unknown }>,
  { policy, isAsked }: BlockFacts,
  context: KnownTools,
): Findings {
  const isForUs =
    policy === "delimited" ||
    isMeant === true ||
    (policy !== "plain" && (name === undefined ? mentionsTool(raw, context) : context.knows(name)));
  if (!isForUs) return null;
  const sentence = `This tool call cannot be read: ${reason}.`;
  const salvaged = isAsked ? null : (true as const);
  return [{ type: "malformed", raw, reason: sentence, ...given({ salvaged }) }];
}

/** The events for a block that was never closed. */
export function unclosedFindings(raw: string, block: BlockFacts, context: KnownTools): Findings {
  return malformed(raw, { reason: notComplete }, block, context);
}

/** The events for a block that is too large; the rest of it follows in further pieces. */
export function oversizedFindings(raw: string, block: BlockFacts, context: KnownTools): Findings {
  const reason = `it is larger than ${context.maxCallBytes} bytes`;
  return malformed(raw, { reason }, block, context);
}

/** The beginning of a block that is searched for tools' names, in code units. */
const searched = 4096;

function mentionsTool(raw: string, context: KnownTools): boolean {
  const beginning = raw.slice(0, searched);
  return context.names.some((name) => beginning.includes(name));
}
