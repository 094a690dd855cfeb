/** What is told of a turn's end: data for programs, and a sentence for the person. */
import { decidableExchanges, nextStep } from "../../conversation/decide/next-step.ts";
import { type OwnKeys, pressFor } from "../../conversation/keys.ts";
import type { Chat, TurnEnd } from "../../conversation/turn/chat.ts";
import type { Transcript, UnfinishedReason } from "../../transcript/transcript.ts";

/** How a turn ended, for programs. */
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

/** What a turn left: the mark of an answer without an end, an answer of which nothing is missing, or calls that wait. */
export interface Left {
  readonly unfinished: UnfinishedReason | null;
  readonly isWhole: boolean;
  readonly isWaiting: boolean;
}

const nothingLeft: Left = { unfinished: null, isWhole: false, isWaiting: false };

/**
 * What a person is told when a turn ended without the next question and without calls that wait: level and sentence.
 * What stands at the mark of an unfinished answer is the same sentence, so it is seen once. Of a whole answer nothing
 * is to be asked again: the key that does so would replace it.
 */
export function endSentence(
  end: QuietEnd,
  { unfinished, isWhole, isWaiting }: Left,
  respond: string,
): ["info" | "warn", string] {
  // An answer that could not be written as it ended has calls on which nothing was decided yet.
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

/** What is left to say of an end when file and buffer are one again: not that they were not. */
export function withFile(end: TurnEnd | null): TurnEnd | null {
  return end?.type === "conflict" || end?.type === "unsaved" ? null : end;
}

/** The same of a chat as it is now. */
export async function quietEnd(
  chat: Chat,
  end: QuietEnd,
  keys: OwnKeys,
): Promise<["info" | "warn", string]> {
  // A text that was closed has no mark to speak of.
  const read = end.type === "gone" ? null : await chat.read();
  return endSentence(end, leftOf(read?.transcript ?? null, chat), pressFor(keys, "respond"));
}

/** What the last turn of a chat left in its text; null: the text is gone. */
export function leftOf(transcript: Transcript | null, chat: Chat): Left {
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
 * What is said of an answer with a mark for its missing end. `end`: how its turn ended in this Neovim, null when it ran
 * elsewhere. A turn that has ended leaves no `open` mark: there it came back by undo.
 */
export function unfinishedText(
  reason: UnfinishedReason,
  end: TurnEnd | null,
  respond: string,
): string {
  // Where the answer itself is left, its mark says that it was stopped.
  if ((reason === "open" || reason === "stopped") && end?.type === "gone") return lostText(respond);
  if (reason === "open" && end !== null) {
    return `Undone: redo brings back the rest of this answer, or press ${respond} to ask again.`;
  }
  return `This answer ${unfinishedWords[reason]}. Press ${respond} to ask again.`;
}

/** The rules below the host know no keys and say "respond again"; a person is told what to press. */
export function pressing(message: string, press: string): string {
  return message.replace(/\b([Rr])espond again\b/g, (_, first) =>
    first === "R" ? `Press ${press}` : `press ${press}`,
  );
}

/** The same of what a turn ended with. */
export function withKey(end: TurnEnd, press: string): TurnEnd {
  if (end.type === "failed") {
    return { ...end, failure: { ...end.failure, message: pressing(end.failure.message, press) } };
  }
  return "message" in end ? { ...end, message: pressing(end.message, press) } : end;
}
