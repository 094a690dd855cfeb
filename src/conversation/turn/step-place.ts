/** The place of the step that a model is writing, found by the editor's marks, which follow all edits of the user. */
import { parseComment } from "../../transcript/comments.ts";
import { stopStep } from "../../transcript/edits/answer-edits.ts";
import type { Edit, Exchange, Transcript, UnfinishedReason } from "../../transcript/transcript.ts";
import { anchoredExchange, anchorOf } from "../decide/session.ts";
import type { StreamTip, UndoGroup } from "../editor.ts";
import type { Chat, TurnEnd } from "./chat.ts";

export interface StepPlace {
  /** The undo group of everything that is written of the step. */
  readonly undo: UndoGroup;
  /** As `Chat.edit`, for the exchange with the step; null when its place is gone. */
  edit<P extends { readonly edits: readonly Edit[] }>(
    plan: (transcript: Transcript, exchange: Exchange) => P | null,
  ): Promise<P | null>;
  /** The step has lost its place: repairs what is left of it. */
  lose(): Promise<TurnEnd>;
}

/** Ends the step without putting its calls to the user: its text stays, its mark says why. */
export async function stopAt({ edit }: StepPlace, reason: UnfinishedReason): Promise<void> {
  await edit((transcript, exchange) => ({ edits: stopStep(transcript, exchange, reason) }));
}

/** The place of the step that grows at the tip. */
export function placeOf(chat: Chat, tip: StreamTip, undo: UndoGroup): StepPlace {
  let mark: number | null = null;
  // The text is read first: read any later, it could be newer than the line that the mark reports.
  const findBy = (ask: () => Promise<number | null>) => async () => {
    await chat.read();
    mark = await ask();
  };
  return {
    undo,
    edit: (plan) =>
      chat.edit(
        undo,
        (transcript) => {
          const exchange = exchangeOf(transcript, mark);
          if (exchange === null) return null;
          follow(chat, transcript, exchange);
          return plan(transcript, exchange);
        },
        findBy(tip.mark),
      ),
    async lose() {
      // The user removed the mark, but not the answer: without a mark, half an answer would read as a complete one.
      await chat.edit(
        undo,
        (transcript) => {
          if (mark === null) return null;
          const exchange = exchangeOf(transcript, mark);
          if (exchange !== null) return { edits: stopStep(transcript, exchange, "stopped") };
          const isMark = parseComment(transcript.lines[mark] ?? "")?.kind === "unfinished";
          return isMark ? { edits: [{ start: mark, end: mark + 1, lines: [] }] } : null;
        },
        findBy(tip.restoreMark),
      );
      return { type: "gone" };
    },
  };
}

/** The place of a step that was opened together with the last result, and that nothing is being written to yet. */
export function openPlace(chat: Chat): StepPlace {
  const undo = chat.newUndoGroup();
  return {
    undo,
    edit: (plan) =>
      chat.edit(undo, (transcript) => {
        const exchange = anchoredExchange(transcript, chat.session.turn?.exchange);
        return exchange && plan(transcript, exchange);
      }),
    lose: async () => ({ type: "gone" }),
  };
}

function exchangeOf({ exchanges }: Transcript, mark: number | null): Exchange | null {
  return exchanges.find(({ answer }) => answer?.unfinished?.line === mark) ?? null;
}

/** Makes the turn about the exchange that the answer is in now. */
export function follow(chat: Chat, transcript: Transcript, exchange: Exchange): void {
  const { turn } = chat.session;
  const anchor = anchorOf(transcript, exchange);
  chat.session = {
    ...chat.session,
    turn: turn && { ...turn, exchange: anchor },
    respondedTo: anchor,
  };
}
