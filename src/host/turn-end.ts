/** What is told of a turn's end: data for programs, and a sentence for the person. */
import type { TurnEnd } from "../conversation/turn/chat.ts";
import type { UnfinishedReason } from "../transcript/transcript.ts";

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

/** What a person is told when a turn ended without the next question and without calls that wait: level and sentence. */
export function endSentence(end: QuietEnd, respond: string): ["info" | "warn", string] {
  switch (end.type) {
    case "stopped":
      return ["info", `Stopped. Press ${respond} to go on.`];
    case "conflict":
      return [
        "warn",
        `The file was changed outside this Neovim, so it was not written and nothing was run. The answer so far is in the buffer; choose a text, then press ${respond}.`,
      ];
    case "unsaved":
      return [
        "warn",
        `The file could not be written, so nothing was run. Press ${respond} to try again.`,
      ];
    case "gone":
      return [
        "warn",
        end.closed === true
          ? `The chat was closed while it was answered, so the answer was stopped. Open it and press ${respond} to ask again.`
          : `The answer was stopped, because its place in the text was changed or removed. Press ${respond} to ask again.`,
      ];
  }
}

const unfinishedWords: Readonly<Record<UnfinishedReason, string>> = {
  open: "broke off",
  stopped: "was stopped",
  length: "was cut by its length",
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
  const again = `press ${respond} to ask again`;
  if (reason === "open" && end?.type === "gone") {
    return `this answer was stopped when its place was changed; ${again}`;
  }
  if (reason === "open" && end !== null) {
    return `undone: the rest of this answer comes back with redo; or ${again}`;
  }
  return `this answer ${unfinishedWords[reason]}; ${again}`;
}

/** The rules below the host know no keys and say "respond again"; a person is told what to press. */
export function withKey(end: TurnEnd, press: string): TurnEnd {
  const named = (message: string) =>
    message.replace(/\b([Rr])espond again\b/g, (_, first) =>
      first === "R" ? `Press ${press}` : `press ${press}`,
    );
  if (end.type === "failed") {
    return { ...end, failure: { ...end.failure, message: named(end.failure.message) } };
  }
  return "message" in end ? { ...end, message: named(end.message) } : end;
}
