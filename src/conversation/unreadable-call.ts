/** The call that stands in a chat for what was meant as one and cannot be read, so that the model can correct itself. */
import type { ProposedCall } from "./proposed-call.ts";
import { cutResult } from "./results.ts";

/** Its name in the chat; its arguments are `{"raw": …}`. */
const unreadableName = "invalid_tool_call";
/** In UTF-8. Of a longer text the head and the tail are kept, since every later request holds it again. */
const rawLimit = 65_536;

/** The call that stands for `raw`, which was meant as one. `reason` is the sentence that the model gets as its result. */
export function unreadableCall(id: string, raw: string, reason: string): ProposedCall {
  const kept = Buffer.byteLength(raw) > rawLimit ? cutResult(raw, rawLimit).text : raw;
  return {
    id,
    name: unreadableName,
    arguments: JSON.stringify({ raw: kept }),
    unreadable: `${reason} Nothing was run; write the call again.`,
  };
}
