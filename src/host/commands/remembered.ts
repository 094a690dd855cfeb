/** `:Parley remembered`: what is remembered in a chat, since when, and forgetting it. */
import type { Memory } from "../../conversation/decide/remembered.ts";
import { forgetLostMarks } from "../../conversation/turn/forget-marks.ts";
import { clip, visible } from "../../shared/visible.ts";
import type { HostChat } from "../host-chat.ts";

/** Lists it; one chosen, or all of it, is forgotten. */
export async function showRemembered(chat: HostChat): Promise<void> {
  const memories = await forgetLostMarks(chat.chat);
  if (memories.length === 0) {
    chat.host.notify("info", "Nothing is remembered in this chat: each call asks.");
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
  const what = chosen.map(nameOf).join(", ");
  chat.host.notify("info", `Forgotten: ${what}. The next such call asks.`);
  await chat.refresh();
}

/** For `:Parley status`; null: nothing is remembered. */
export async function rememberedLine(chat: HostChat): Promise<string | null> {
  const memories = await forgetLostMarks(chat.chat);
  if (memories.length === 0) return null;
  const names = memories.map(nameOf).join(", ");
  return `remembered, so without a key: ${names}; :Parley remembered forgets`;
}

/** `edit_file for /home/me/a.ts, since 2026-01-31 14:05`. */
export function memoryText(memory: Memory): string {
  const { since } = memory;
  return since === null ? nameOf(memory) : `${nameOf(memory)}, since ${localTime(since)}`;
}

/** What it holds for is the real path of a file, or a command with its folder in the next line. */
function nameOf({ tool, file }: Memory): string {
  if (file === null) return visible(tool);
  const [what = "", folder = ""] = file.split("\n");
  const { text, cut } = clip(visible(what), scopeLength);
  const place = folder === "" ? "" : ` in ${visible(folder)}`;
  return `${visible(tool)} for ${text}${cut ? "…" : ""}${place}`;
}

/** In characters. */
const scopeLength = 120;

function localTime(time: number): string {
  const date = new Date(time);
  const two = (number: number) => String(number).padStart(2, "0");
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
