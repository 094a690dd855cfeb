/** What is done for the next request while the user types its question: its connection, and the text above it. */
import { makeHistoryAhead } from "../../app/open-chat/history-ahead.ts";
import type { ModelName } from "../../conversation/ports.ts";
import type { Chat } from "../../conversation/turn/chat.ts";
import type { Transcript } from "../../transcript/transcript.ts";
import type { OpenHost } from "../context.ts";
import { logged } from "../log.ts";

/** Milliseconds without a change after which a question counts as given up. */
const writingMs = 60_000;

export interface WorkAhead {
  /** The text changed, by the user or by an answer. */
  changed(): void;
  /** A turn began: what was done ahead is used up. */
  used(): void;
  /**
   * Does the work if something changed since the last time; costs nothing otherwise. After an answer, whose calls may
   * wait, it only opens a connection.
   */
  consider(transcript: Transcript, model: ModelName): void;
  /** Whether the user seems to be writing a question: what was done for it is needed. */
  isWriting(): boolean;
}

export function createWorkAhead(
  { app, isUsed }: Pick<OpenHost, "app" | "isUsed">,
  chat: Chat,
): WorkAhead {
  const isBusy = () => chat.active !== null || chat.acting !== null;
  let isChanged = false;
  let isTyped = false;
  /** By the clock of the process; null: nothing was typed since the last turn. */
  let typedAt: number | null = null;
  let isMaking = false;
  const makeHistory = async (transcript: Transcript, model: ModelName) => {
    if (isMaking) return;
    isMaking = true;
    try {
      await makeHistoryAhead(app.now, transcript, model, isBusy);
    } finally {
      isMaking = false;
    }
  };
  return {
    changed() {
      isChanged = true;
      if (isBusy()) return;
      isTyped = true;
      typedAt = performance.now();
    },
    used() {
      typedAt = null;
    },
    consider(transcript, model) {
      if (!isChanged || isBusy()) return;
      isChanged = false;
      const { configuration, models } = app.now;
      const which = configuration.connect_ahead;
      if (which) models.openAhead(model, which === "always" ? "any" : "asked");
      if (!isTyped) return;
      isTyped = false;
      isUsed();
      makeHistory(transcript, model).catch(logged("history ahead"));
    },
    isWriting: () => typedAt !== null && performance.now() - typedAt < writingMs,
  };
}
