/** Describes the end of a turn: as data for programs, and as a sentence for the user. */
import { decidableExchanges, nextStep } from "../../conversation/decide/next-step.ts";
import { type OwnKeys, pressFor, withRespondAction } from "../../conversation/keys.ts";
import type { Chat, TurnEnd } from "../../conversation/turn/chat.ts";
import type { Transcript, UnfinishedReason } from "../../transcript/transcript.ts";

/** How a turn ended, as data for programs. */
export function endData(end: TurnEnd): {
  reason: TurnEnd["type"];
  message?: string;
  calls?: number;
} {
  switch (end.type) {
    case "refused":
    case "limit":
      return { reason: end.type, message: end.message };
    case "failed":
      return { reason: end.type, message: end.failure.message };
    case "await-approval":
      return { reason: end.type, calls: end.open.length };
    default:
      return { reason: end.type };
  }
}

type QuietEnd = Extract<TurnEnd, { type: "stopped" | "conflict" | "unsaved" | "gone" }>;

/** What a turn left: the mark of an unfinished answer, a complete answer, or waiting calls. */
export interface TurnOutcome {
  readonly unfinished: UnfinishedReason | null;
  readonly isWhole: boolean;
  readonly isWaiting: boolean;
}

const nothingLeft: TurnOutcome = { unfinished: null, isWhole: false, isWaiting: false };

/**
 * The message when a turn ended without a next question and without waiting calls: level and sentence. The mark of an
 * unfinished answer shows the same sentence, so the user sees it only once. For a complete answer, the message does not
 * offer to ask again: that key would replace the answer.
 */
export function endSentence(
  end: QuietEnd,
  { unfinished, isWhole, isWaiting }: TurnOutcome,
  respond: string,
): ["info" | "warn", string] {
  // An answer whose end could not be written may have calls that are not decided yet.
  const [kept, next] = isWaiting
    ? ["no call runs meanwhile", "decide the calls"]
    : ["nothing was run", `press ${respond}`];
  switch (end.type) {
    case "stopped":
      return [
        "info",
        unfinished === null
          ? `Stopped. Press ${respond} to continue.`
          : unfinishedText(unfinished, end, respond),
      ];
    case "conflict":
      if (isWhole) {
        return [
          "warn",
          "The file was changed outside this Neovim, so it was not written. The whole answer is in the buffer; :w! overwrites the file, :e! loads the file instead.",
        ];
      }
      return [
        "warn",
        `The file was changed outside this Neovim, so it was not written and ${kept}. :w! overwrites the file, :e! loads the file instead; then ${next}.`,
      ];
    case "unsaved":
      if (isWhole) {
        return [
          "warn",
          "The file could not be written. The whole answer is in the buffer; :w tries again.",
        ];
      }
      return [
        "warn",
        `The file could not be written, so ${kept}. Once it can be written, ${next}.`,
      ];
    case "gone":
      return ["warn", end.closed === true ? closedText(respond) : lostText(respond)];
  }
}

/** What remains of an end once file and buffer agree: a conflict or a failed write is over. */
export function withFile(end: TurnEnd | null): TurnEnd | null {
  return end?.type === "conflict" || end?.type === "unsaved" ? null : end;
}

/** The same, for a chat as it is now. */
export async function quietEnd(
  chat: Chat,
  end: QuietEnd,
  keys: OwnKeys,
): Promise<["info" | "warn", string]> {
  // A text that was closed has no mark.
  const read = end.type === "gone" ? null : await chat.read();
  return endSentence(end, turnOutcome(read?.transcript ?? null, chat), pressFor(keys, "respond"));
}

/** What the last turn of a chat left in its text; `transcript` null: the text is gone. */
export function turnOutcome(transcript: Transcript | null, chat: Chat): TurnOutcome {
  const current = transcript && decidableExchanges(transcript, chat.session).at(-1);
  if (!transcript || !current) return nothingLeft;
  const { type } = nextStep(transcript, current, chat.session);
  return {
    unfinished: current.answer?.unfinished?.reason ?? null,
    isWhole: type === "open-question",
    isWaiting: type === "await-approval",
  };
}

const closedText = (respond: string) =>
  `The chat was closed while it was answered, so the answer was stopped. Open it and press ${respond} to ask again.`;

const lostText = (respond: string) =>
  `The answer was stopped because its text or its place was undone, changed or removed. Press ${respond} to ask again.`;

const unfinishedWords: Readonly<Record<UnfinishedReason, string>> = {
  open: "broke off",
  stopped: "was stopped",
  length: "reached its length limit",
  error: "failed",
  empty: "came back empty",
};

/**
 * The sentence at an unfinished answer. `end`: how its turn ended in this Neovim; null when it ran elsewhere. A turn
 * that has ended leaves no `open` mark, so such a mark came back by undo.
 */
export function unfinishedText(
  reason: UnfinishedReason,
  end: TurnEnd | null,
  respond: string,
): string {
  // If the answer itself is still there, its mark says that it was stopped.
  if ((reason === "open" || reason === "stopped") && end?.type === "gone") return lostText(respond);
  if (reason === "open" && end !== null) {
    return `Undone: redo brings back the rest of this answer, or press ${respond} to ask again.`;
  }
  return `This answer ${unfinishedWords[reason]}. Press ${respond} to ask again.`;
}

/** The end with the key to press in its message. */
export function withKey(end: TurnEnd, press: string): TurnEnd {
  if (end.type === "failed") {
    return {
      ...end,
      failure: {
        ...end.failure,
        message: withRespondAction(end.failure.message, `press ${press}`),
      },
    };
  }
  return "message" in end
    ? { ...end, message: withRespondAction(end.message, `press ${press}`) }
    : end;
}
