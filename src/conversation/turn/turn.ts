/** The loop of a turn: read, decide, one effect, again, until it is the user's turn (format, section 8). */

import { messageOf } from "../../shared/json.ts";
import { withoutEnd } from "../../shared/without-end.ts";
import { decliningKeys } from "../../transcript/decisions.ts";
import { openQuestion } from "../../transcript/edits/answer-edits.ts";
import { declineCalls } from "../../transcript/edits/call-edits.ts";
import type { Exchange, Transcript } from "../../transcript/transcript.ts";
import { type NextStep, nextStep } from "../decide/next-step.ts";
import { anchoredExchange, anchorOf } from "../decide/session.ts";
import { TextGone } from "../editor.ts";
import { askModel } from "./ask-model.ts";
import type { Chat, TurnEnd } from "./chat.ts";
import type { AskMode } from "./make-request.ts";
import { startRuns, writeNextResult } from "./run-tools.ts";
import { saveBefore } from "./save-before.ts";

export interface TurnStart {
  /** The exchange the turn is about, in the transcript as it was read. */
  readonly exchange: Exchange;
  /** How the model is asked first; null when approved calls come first, or when `nextStep` decides. */
  readonly ask: AskMode | null;
  /** The user asked for a response: the first request may be sent. */
  readonly responding: boolean;
}

export const busy: TurnEnd = {
  type: "refused",
  message:
    "An answer to this chat is under way; stop it first (:Parley stop) or wait until it ends.",
};

/** Runs one turn of a chat; refuses while another one is running. Never throws. */
export async function startTurn(
  chat: Chat,
  transcript: Transcript,
  start: TurnStart,
): Promise<TurnEnd> {
  if (chat.active !== null) return busy;
  // Nothing was sent and nothing runs: a stop that came as early as this ends it all the same.
  if (chat.acting?.aborted) return { type: "stopped" };
  const anchor = anchorOf(transcript, start.exchange);
  if (chat.session.respondedTo?.line !== anchor.line) chat.beginAnswer();
  chat.session = {
    ...chat.session,
    turn: { exchange: anchor, modelCalls: 0, callCounts: {}, invalidAnswers: 0 },
    respondedTo: anchor,
  };
  const controller = new AbortController();
  const ended = loop(chat, start, controller.signal)
    .catch(endOfError)
    .then((end) => finishRuns(chat).then(() => end))
    .catch(endOfError)
    .then((end) => conclude(chat, end))
    .then((end) => {
      chat.session = { ...chat.session, turn: null };
      chat.active = null;
      chat.isSettling = false;
      chat.setPhase({ type: "idle" });
      chat.ports.report({ type: "ended", end });
      return end;
    });
  chat.active = { controller, ended };
  return ended;
}

function endOfError(error: unknown): TurnEnd {
  if (error instanceof TextGone) return { type: "gone", closed: true };
  const reason = withoutEnd(messageOf(error), ".");
  const message = `Parley could not continue: ${reason}. The text is as you see it; respond again to retry.`;
  return { type: "failed", failure: { kind: "internal", message } };
}

/** Waits for the calls that run and writes their results, also when the file cannot be written. */
async function finishRuns(chat: Chat): Promise<void> {
  while (chat.runs.size > 0) await writeNextResult(chat, AbortSignal.abort());
}

/** However a turn ended, saves the text to the file. */
async function conclude(chat: Chat, end: TurnEnd): Promise<TurnEnd> {
  if (end.type === "conflict" || end.type === "unsaved") return end;
  try {
    if (end.type === "gone" && (await isEmptied(chat))) return end;
    const unsaved = await saveBefore(chat, { quick: true });
    if (unsaved === null) return end;
    // An end has room for one message, so the other failure is reported separately.
    if (end.type === "failed") chat.notice("error", end.failure.message);
    else if ("message" in end) chat.notice("warn", end.message);
    return unsaved;
  } catch (error) {
    return end.type === "failed" ? end : endOfError(error);
  }
}

/** A user who deletes all of a chat while it is answered may want it back, so its file is left as it is. */
async function isEmptied(chat: Chat): Promise<boolean> {
  const { transcript } = await chat.read();
  return transcript.lines.every((line) => line.trim() === "");
}

async function loop(chat: Chat, start: TurnStart, signal: AbortSignal): Promise<TurnEnd> {
  let { ask, responding } = start;
  for (;;) {
    const { transcript } = await chat.read();
    const exchange = anchoredExchange(transcript, chat.session.turn?.exchange);
    if (exchange === null) return { type: "gone" };
    const end =
      ask === null
        ? await obey(chat, transcript, exchange, responding, signal)
        : await askModel(chat, ask, { saves: "done", signal });
    ask = null;
    responding = false;
    if (end !== null) return end;
    const next = await nextOf(chat);
    // `askModel` saves the text while it builds the request.
    if (next === "ask-model") continue;
    // A running call must find its decision on the disk, or it would run again after a power failure. Everything else
    // is in the file and on its way to the disk; the editor would freeze if it waited for that.
    const quick = next !== "run-tools";
    // A step that only started something, such as calls, left nothing to write, and nothing waits for the file.
    if (quick && (await chat.read()).transcript === transcript) continue;
    // Whatever a step left in the text is saved before anything else happens.
    const unsaved = await saveBefore(chat, { quick });
    if (unsaved === null) continue;
    const still = await saveResults(chat, unsaved);
    if (still !== null) return still;
  }
}

/**
 * After a save that failed while calls run: writes their results and saves again. Null: the turn continues. A file that
 * another program changed may have been loaded meanwhile, and the user has to see that text before anything is sent.
 */
async function saveResults(chat: Chat, unsaved: TurnEnd): Promise<TurnEnd | null> {
  if (chat.runs.size === 0 || unsaved.type === "refused") return unsaved;
  await finishRuns(chat);
  const still = await saveBefore(chat, { quick: true });
  return still === null && unsaved.type === "conflict" ? { type: "stopped" } : still;
}

/** What comes next in the turn; null when its exchange is gone. */
async function nextOf(chat: Chat): Promise<NextStep["type"] | null> {
  const { transcript } = await chat.read();
  const exchange = anchoredExchange(transcript, chat.session.turn?.exchange);
  return exchange && nextStep(transcript, exchange, chat.session).type;
}

/** Carries out one row of the table; null when the loop continues. */
async function obey(
  chat: Chat,
  transcript: Transcript,
  exchange: Exchange,
  responding: boolean,
  signal: AbortSignal,
): Promise<TurnEnd | null> {
  const step = nextStep(transcript, exchange, chat.session);
  switch (step.type) {
    case "await-question":
      return { type: "await-question" };
    case "ask-model":
      if (signal.aborted) return { type: "stopped" };
      if (step.when === "respond" && !responding) return { type: "stopped" };
      return askModel(chat, askMode(exchange, step.retry !== null), {
        // A file that cannot be written does not prevent a question; nothing runs in that state.
        saves: responding ? "try" : "must",
        signal,
      });
    case "write-declined":
      await writeDeclined(chat);
      return null;
    case "await-approval":
      return { type: "await-approval", open: step.open };
    case "run-tools":
      if (signal.aborted) return { type: "stopped" };
      chat.isSettling = false;
      await startRuns(chat, transcript, signal);
      return null;
    case "await-tools":
      return writeNextResult(chat, signal);
    case "open-question":
      await chat.edit(chat.newUndoGroup(), (current) => {
        const now = anchoredExchange(current, chat.session.turn?.exchange);
        return now && { edits: openQuestion(current, now) };
      });
      return { type: "done" };
  }
}

function askMode(exchange: Exchange, isRetry: boolean): AskMode {
  if (isRetry) return "restart";
  const isEmpty = exchange.answer?.steps.every(({ blocks }) => blocks.length === 0) ?? true;
  return isEmpty ? "begin" : "continue";
}

/** Keys write a denial together with its result; a denial without one, written by hand, is completed here. */
async function writeDeclined(chat: Chat): Promise<void> {
  await chat.edit(chat.newUndoGroup(), (transcript) => {
    const exchange = anchoredExchange(transcript, chat.session.turn?.exchange);
    const step = exchange && nextStep(transcript, exchange, chat.session);
    if (step?.type !== "write-declined") return null;
    const edits = decliningKeys.flatMap((decision) =>
      declineCalls(
        transcript,
        step.calls.filter((call) => call.decision === decision),
        decision,
        null,
      ),
    );
    return { edits };
  });
}
