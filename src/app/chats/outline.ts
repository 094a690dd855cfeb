/** The outline: the questions of one chat, one row each with its state. */
import { nextStep, openCalls } from "../../conversation/decide/next-step.ts";
import { anchoredExchange, type Session } from "../../conversation/decide/session.ts";
import { counted } from "../../shared/counted.ts";
import { visible } from "../../shared/visible.ts";
import type { Exchange, Transcript, UnfinishedReason } from "../../transcript/transcript.ts";

export interface OutlineRow {
  /** Zero-based first line of the exchange. */
  readonly line: number;
  /** Sign, state and the beginning of the question, in columns. */
  readonly text: string;
}

/** The most characters of a question in its row. */
const wordsLength = 80;

/** Each sign and its blank are two cells wide, so that the words line up. */
const running = "▸ running";
const done = "✓ done";
const stateOfEnd: Readonly<Record<UnfinishedReason, string>> = {
  open: "… broke off",
  stopped: "… stopped",
  length: "… too long",
  error: "✗ failed",
  empty: "✗ no answer",
};

/** Characters of the widest state. */
const stateWidth = 12;

/** A row for each question; an empty new question has none. */
export function outlineRows(transcript: Transcript, session: Session): readonly OutlineRow[] {
  const turn = anchoredExchange(transcript, session.turn?.exchange);
  return transcript.exchanges.flatMap((exchange) => {
    const { question, answer, range } = exchange;
    const words = firstWords(question.text);
    if (words === "" && answer === null) return [];
    const isRunning = turn?.index === exchange.index;
    const state = stateOf(transcript, exchange, { session, isRunning });
    const text = `${state.padEnd(stateWidth)} ${visible(words) || "(no question)"}`;
    return [{ line: range.start, text }];
  });
}

function stateOf(
  transcript: Transcript,
  exchange: Exchange,
  { session, isRunning }: { readonly session: Session; readonly isRunning: boolean },
): string {
  const { answer } = exchange;
  // A sign of two cells counts as one character here, but the next column lines up all the same.
  const waiting = openCalls(transcript, exchange, session).length;
  if (waiting > 0) return `❓${counted(waiting, "waits", "wait")}`;
  if (isRunning) return running;
  if (answer === null) return "○ not asked";
  if (answer.unfinished !== null) return stateOfEnd[answer.unfinished.reason];
  const isEnded = nextStep(transcript, exchange, session).type !== "ask-model";
  return isEnded ? done : stateOfEnd.open;
}

function firstWords(text: string): string {
  const line = text.split("\n").find((each) => each.trim() !== "") ?? "";
  const characters = [...line.trim()];
  const isCut = characters.length > wordsLength;
  return isCut ? `${characters.slice(0, wordsLength - 1).join("")}…` : characters.join("");
}
