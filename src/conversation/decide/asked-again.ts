/** Why a call waits although its tool was remembered or allowed: for its row and its details. */
import type { ToolCall } from "../../transcript/transcript.ts";

/** The same for a call as the model made it and as it is in the text. */
export function callKey({ id, name, arguments: json }: ToolCall): string {
  return JSON.stringify([id, name, json]);
}

export interface AskedAgain {
  /** Calls that were made again and again in one turn, by `callKey`. */
  readonly repeated: ReadonlySet<string>;
  /** Tools that were remembered until another program changed the chat. */
  readonly forgotten: ReadonlySet<string>;
}

/** In a few words; null: nothing of that kind. */
export function askedAgainText(
  call: ToolCall | null,
  { repeated, forgotten }: AskedAgain,
): string | null {
  if (call === null) return null;
  if (repeated.has(callKey(call))) return "asked, since it was made again and again in this turn";
  if (!forgotten.has(call.name)) return null;
  return "asked once more, since another program changed this chat";
}
