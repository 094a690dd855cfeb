/** What a response under way is doing, as the line that shows its progress says it; told when that changes. */
import type { StreamPart } from "../ports.ts";
import type { Chat } from "./chat.ts";

/** A call that is being written is told again after so long: its size grows with every part. */
const sizeMs = 500;

/** Null for parts that say nothing of it. */
function doingOf(part: StreamPart): string | null {
  switch (part.type) {
    case "reasoning-delta":
      return "thinking";
    case "text-delta":
      return "";
    case "tool-input":
      return `writing ${part.name}`;
    case "tool-call":
      return `writing ${part.call.name}`;
    default:
      return null;
  }
}

function sizeText(bytes: number): string {
  return bytes < 1000 ? `${bytes} bytes` : `${(bytes / 1000).toFixed(1)} kB`;
}

/** The phase of a request that went out and that nothing came back for yet. */
export function sentPhase(label: string): Extract<Chat["phase"], { readonly type: "streaming" }> {
  return { type: "streaming", text: label, doing: "waiting", since: Date.now() };
}

/** Tells what this part of a response shows to be going on. No work for parts that go on with the same. */
export function followProgress(chat: Chat, part: StreamPart): void {
  const { phase } = chat;
  const doing = doingOf(part);
  if (phase.type !== "streaming" || doing === null) return;
  const isSame = phase.doing === doing || phase.doing.startsWith(`${doing} (`);
  const isLonger = part.type === "tool-input" && Date.now() - phase.since >= sizeMs;
  if (isSame && !isLonger) return;
  const size = part.type === "tool-input" ? ` (${sizeText(part.bytes)})` : "";
  chat.setPhase({ ...phase, doing: `${doing}${size}`, since: Date.now() });
}
