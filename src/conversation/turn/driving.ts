/** Actions on a chat run one after the other, and in one process of this machine at a time. */

import { within } from "../../shared/waiting.ts";
import type { Chat, TurnEnd } from "./chat.ts";

export const refused = (message: string): TurnEnd => ({ type: "refused", message });

/**
 * Acts as the only process on this machine that does; names the other process when there is one. An action that is
 * requested during another one waits for it, and is refused when that one became a turn: it was meant for the text
 * before the answer.
 */
export async function driving<T extends TurnEnd | null>(
  chat: Chat,
  act: () => Promise<T>,
  /** The user stopped the action before it was a turn. */
  stopped: AbortSignal = neverStopped,
): Promise<T | TurnEnd> {
  await settled(chat);
  const end = performance.now() + actingMs;
  while (chat.acting !== null && chat.active === null) {
    if (performance.now() > end) return refused(stillActing);
    await new Promise((resolve) => setTimeout(resolve, settlingPollMs));
  }
  if (chat.active !== null) return act();
  chat.acting = stopped;
  try {
    const lease = await chat.ports.drive();
    if (lease.type === "held") return refused(heldMessage(lease.pid));
    try {
      return stopped.aborted ? refused(stoppedBefore) : await act();
    } finally {
      await lease.release();
    }
  } finally {
    chat.acting = null;
  }
}

/** Milliseconds that a second action waits for the first one, which may wait for the user. */
const actingMs = 1500;

const neverStopped = new AbortController().signal;

const stoppedBefore = "Stopped before anything was done.";

const stillActing =
  "Parley is still working on your last request, or waiting for your answer to it; nothing was done.";

function heldMessage(pid: number): string {
  const where = pid === process.pid ? "in another window" : `by another process (pid ${pid})`;
  return `This chat is being answered ${where}; nothing was done here. Wait until it ends.`;
}

const settlingPollMs = 5;

/** The new `💬:` is on screen a moment before its turn has ended; an action as early as that just waits. */
async function settled(chat: Chat): Promise<void> {
  while (chat.active !== null && chat.isSettling) {
    await within(chat.active.ended, settlingPollMs);
  }
}
