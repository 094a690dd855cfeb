/** Notices at once when the place of a streaming answer is taken away, also while the model is silent (format, section 11). */
import { markerAt } from "../../transcript/markers.ts";
import { anchoredExchange } from "../decide/session.ts";
import type { Splice, StreamTip } from "../editor.ts";
import type { Chat } from "./chat.ts";

/** Calls `onLost` when the answer's first line, its tip or its mark is gone; gives back what ends the watch. */
export function watchPlace(chat: Chat, tip: StreamTip, onLost: () => void): () => void {
  let isOver = false;
  const forget = chat.ports.editor.onSplice((splice) => {
    if (!mayTakeAway(splice)) return;
    hasPlace(chat, tip).then(
      (stands) => {
        if (!stands && !isOver) onLost();
      },
      // A buffer that is gone cannot be asked; the next write says so.
      () => {},
    );
  });
  return () => {
    isOver = true;
    forget();
  };
}

/** Writing an answer takes no lines away and begins no turn, so its own changes cost nothing here. */
function mayTakeAway({ start, end, lines }: Splice): boolean {
  if (lines.length < end - start) return true;
  return lines.some((line) => {
    const name = markerAt(line)?.name;
    return name === "question" || name === "answer";
  });
}

async function hasPlace(chat: Chat, tip: StreamTip): Promise<boolean> {
  if ((await tip.line()) === null) return false;
  const { transcript } = await chat.read();
  const exchange = anchoredExchange(transcript, chat.session.turn?.exchange);
  // A question whose line is being typed anew is not found for a moment; its answer goes on meanwhile.
  return exchange === null || exchange.answer?.unfinished != null;
}
