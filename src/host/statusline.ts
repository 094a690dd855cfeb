/** What `require("parley").statusline()` gives; made here, so that asking for it costs nothing. */
import type { Chat, TurnEnd } from "../conversation/chat.ts";
import type { ModelName } from "../conversation/types.ts";
import { shortUsageText } from "../conversation/usage.ts";
import { visible } from "../conversation/visible.ts";

export interface StatuslineSource {
  readonly chat: Chat;
  readonly model: ModelName;
  readonly lastEnd: TurnEnd | null;
}

/** `gpt-5.5 · 2 calls wait · 1.2k in, 56 out, $0.0012`: model, state and what this chat used, as far as there is. */
export function statusline(source: StatuslineSource, waitingCalls: number): string {
  const { chat, model } = source;
  const used = chat.usage.chat.requests > 0 ? shortUsageText(chat.usage.chat) : "";
  const words = [model.id, stateOf(source, waitingCalls), used].filter((text) => text !== "");
  // Statuslines evaluate what follows a %, and the name of a model is whatever a file says.
  return visible(words.join(" · ")).replaceAll("%", "%%");
}

function stateOf({ chat, lastEnd }: StatuslineSource, waitingCalls: number): string {
  switch (chat.phase.type) {
    case "preparing":
      return "preparing";
    case "streaming":
      return "answering";
    case "retrying":
      return "retrying";
    case "tools":
      return "running tools";
    case "idle":
      break;
  }
  if (waitingCalls > 0) return waitingCalls === 1 ? "1 call waits" : `${waitingCalls} calls wait`;
  return lastEnd?.type === "failed" ? "failed" : "";
}
