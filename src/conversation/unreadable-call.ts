/**
 * The call that a chat records for a text that was meant as one but cannot be read, so that the model can correct
 * itself.
 */
import { parseCallLine, renderCallLine } from "../transcript/call-line.ts";
import type { ProposedCall } from "./proposed-call.ts";
import { cutResult } from "./results.ts";

/** Its name in the chat; its arguments are `{"raw": …}`. */
const unreadableName = "invalid_tool_call";
/** In bytes of UTF-8. A longer text keeps only its head and tail, since every later request contains it again. */
const rawLimit = 65_536;

/**
 * Returns the call to record for `raw`, a text meant as a call. `reason` is the sentence that the model gets as its
 * result.
 */
export function unreadableCall(id: string, raw: string, reason: string): ProposedCall {
  const kept = Buffer.byteLength(raw) > rawLimit ? cutResult(raw, rawLimit).text : raw;
  return {
    id,
    name: unreadableName,
    arguments: JSON.stringify({ raw: kept }),
    unreadable: `${reason} Nothing was run; write the call again.`,
  };
}

/** The call as it is written in a chat: a broken line is never sent, so a call with such a line becomes unreadable. */
export function writableCall(call: ProposedCall): ProposedCall {
  const broken = parseCallLine(renderCallLine(call, null, []))?.broken ?? null;
  if (broken === null) return call;
  const raw = JSON.stringify({ name: call.name, arguments: call.arguments });
  return unreadableCall(call.id, raw, `This call ${broken}.`);
}
