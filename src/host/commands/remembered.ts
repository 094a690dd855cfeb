/** `:Parley remembered`: lists what is remembered in a chat and since when, and forgets it. */
import { type Memory, memoryName } from "../../conversation/decide/remembered.ts";
import { forgetLostMarks } from "../../conversation/turn/forget-marks.ts";
import { localTime } from "../../shared/local-time.ts";
import type { HostChat } from "../chat/host-chat.ts";

/** Lists what is remembered; forgets the chosen one, or all. */
export async function showRemembered(chat: HostChat): Promise<void> {
  const memories = await forgetLostMarks(chat.chat);
  if (memories.length === 0) {
    chat.host.notify("info", "Nothing is remembered in this chat: you decide each call.");
    return;
  }
  const answer = await chat.host.ask({
    kind: "select",
    prompt: "Remembered in this chat: these calls run without a key. Forget one?",
    items: [
      { label: "Keep all", value: "keep" },
      ...memories.map((memory, index) => ({ label: memoryText(memory), value: index })),
      ...(memories.length > 1 ? [{ label: "Forget all", value: "all" }] : []),
    ],
  });
  const chosen = memories.filter((_, index) => answer === "all" || answer === index);
  if (chosen.length === 0) return;
  await chat.chat.ports.remembered.drop(chosen.flatMap(({ records }) => records));
  const what = chosen.map(memoryName).join(", ");
  chat.host.notify("info", `Forgotten: ${what}. You decide the next such call.`);
  await chat.refresh();
}

/** For `:Parley status`; null: nothing is remembered. */
export async function rememberedLine(chat: HostChat): Promise<string | null> {
  const memories = await forgetLostMarks(chat.chat);
  if (memories.length === 0) return null;
  const names = memories.map(memoryName).join(", ");
  return `remembered, so without a key: ${names}; :Parley remembered forgets`;
}

/** `edit_file for /home/me/a.ts, since 2026-01-31 14:05`. */
function memoryText(memory: Memory): string {
  const { since } = memory;
  return since === null ? memoryName(memory) : `${memoryName(memory)}, since ${localTime(since)}`;
}
