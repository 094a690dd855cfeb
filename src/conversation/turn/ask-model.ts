/** One request to the model: opens the step in the text, streams it there, and ends it (format, section 6). */

import { meanwhile } from "../../shared/waiting.ts";
import {
  beginAnswer,
  beginContinuation,
  isOpenable,
  replaceAnswer,
  restartStep,
  retryLastStep,
} from "../../transcript/edits/answer-edits.ts";
import type {
  Exchange,
  StepRecord,
  Transcript,
  UnfinishedReason,
} from "../../transcript/transcript.ts";
import { isBeyondCorrection } from "../decide/judge-calls.ts";
import { nextStep } from "../decide/next-step.ts";
import { anchoredExchange } from "../decide/session.ts";
import type { StreamTip, UndoGroup } from "../editor.ts";
import type { Failure, StreamPart, Usage } from "../ports.ts";
import { type AnswerWriter, createAnswerWriter } from "./answer-writer.ts";
import { askBudget, exceededBudget } from "./budget.ts";
import type { Chat, PreparedRequest, TurnEnd } from "./chat.ts";
import { endStep, type Finished } from "./end-step.ts";
import { createFrameWriter } from "./frames.ts";
import {
  type AskMode,
  type AskOptions,
  makeRequest,
  saveForRequest,
  unlessTried,
} from "./make-request.ts";
import { endOfSave, willSave } from "./save-before.ts";
import { createSending, type Sending } from "./sending.ts";
import { follow, openPlace, placeOf, type StepPlace, stopAt } from "./step-place.ts";
import { followProgress, reportSilence, sentPhase, watchPlace } from "./watch-answer.ts";

const openings = {
  begin: beginAnswer,
  continue: beginContinuation,
  restart: restartStep,
  replace: replaceAnswer,
  "retry-last": retryLastStep,
} as const;

/** How the model's response ended. */
type Outcome =
  | ({ readonly type: "finished" } & Finished)
  | { readonly type: "failed"; readonly failure: Failure }
  | { readonly type: "gone" };

/** Asks the model once. Returns null when the turn continues. */
export async function askModel(
  chat: Chat,
  mode: AskMode,
  how: AskOptions,
): Promise<TurnEnd | null> {
  chat.isSettling = false;
  const limit = countModelCall(chat);
  if (limit !== null) {
    await stopAt(openPlace(chat), "stopped");
    return limit;
  }
  chat.setPhase({ type: "preparing", text: "preparing the request" });
  for (;;) {
    const end = await askForText(chat, mode, how);
    if (end !== "changed") return end;
    const refused = await refuseChanged(chat, mode);
    if (refused !== null) return refused;
  }
}

/**
 * Asks for the text as it is now. `changed`: what the request was made from is no longer what the answer would be
 * written below, and nothing was sent.
 */
async function askForText(
  chat: Chat,
  mode: AskMode,
  how: AskOptions,
): Promise<TurnEnd | "changed" | null> {
  const { signal } = how;
  const { transcript } = await chat.read();
  const exchange = anchoredExchange(transcript, chat.session.turn?.exchange);
  if (exchange === null) return { type: "gone" };
  const made = await makeRequest(chat, mode, { transcript, exchange, how });
  if ("end" in made) return made.end;
  if ("failed" in made) {
    return failStep(openPlace(chat), made.failed ?? abortedFailure);
  }
  const { prepared } = made;
  chat.warnOnce(...prepared.notices);
  const refused = await askBeyondBudget(chat, prepared, how);
  if (refused !== null) return refused;

  const sending = createSending(chat.ports.stream, prepared.request, signal);
  try {
    return await answer(chat, mode, { transcript, exchange, prepared, sending, how });
  } finally {
    // However it ended, nothing waits for it any longer.
    sending.drop();
  }
}

/** Null when the model may be asked for the text as it is now, after it changed. */
async function refuseChanged(chat: Chat, mode: AskMode): Promise<TurnEnd | null> {
  const { transcript } = await chat.read();
  const exchange = anchoredExchange(transcript, chat.session.turn?.exchange);
  if (exchange === null) return { type: "gone" };
  const isChosen = mode === "replace" || mode === "retry-last";
  const mayAsk = isChosen
    ? exchange.question.text.trim() !== ""
    : nextStep(transcript, exchange, chat.session).type === "ask-model";
  return mayAsk && isOpenable(exchange, mode)
    ? null
    : { type: "refused", message: changedMeanwhile };
}

/** Null when the request may be sent. */
async function askBeyondBudget(
  chat: Chat,
  prepared: PreparedRequest,
  how: AskOptions,
): Promise<TurnEnd | null> {
  const exceeded = await exceededBudget(chat, prepared);
  if (exceeded.length === 0) return null;
  // The request in question is ready to be sent, and the user may take their time, so the text is saved first.
  const unsaved = await saveForRequest(chat, how);
  if (unsaved !== null) return unsaved;
  const refused = await askBudget(chat, prepared, exceeded, how.signal);
  if (refused !== null) await stopAt(openPlace(chat), "stopped");
  return refused;
}

interface Asked {
  /** What the request was made from. */
  readonly transcript: Transcript;
  readonly exchange: Exchange;
  readonly prepared: PreparedRequest;
  readonly sending: Sending;
  readonly how: AskOptions;
}

/** Opens the step and writes the answer to the request into it. */
async function answer(
  chat: Chat,
  mode: AskMode,
  asked: Asked,
): Promise<TurnEnd | "changed" | null> {
  const { exchange, prepared } = asked;
  const undo = chat.newUndoGroup();
  const tip = await openStep(chat, mode, undo, asked);
  if (tip === "changed" || "type" in tip) return tip;
  const writer = createAnswerWriter();
  if (mode === "begin" || mode === "replace") chat.beginAnswer();
  chat.setPhase(sentPhase(prepared.label));
  const place = placeOf(chat, tip, undo);
  try {
    chat.answered.add(exchange.question.text);
    const outcome = await streamInto(chat, tip, writer, asked);
    chat.isSettling = true;
    switch (outcome.type) {
      case "gone":
        return await place.lose();
      case "failed":
        return await failStep(place, outcome.failure);
      case "finished":
        return await endStep(chat, place, prepared, writer.parts, outcome);
    }
  } finally {
    await tip.close();
  }
}

export const changedMeanwhile =
  "The text changed in the meantime, so nothing was sent. Respond again.";

const abortedFailure: Failure = { kind: "aborted", message: "Stopped." };

function countModelCall(chat: Chat): TurnEnd | null {
  const { turn } = chat.session;
  if (turn === null) return { type: "gone" };
  const { modelCalls } = chat.ports.limits();
  if (turn.modelCalls >= modelCalls) {
    return {
      type: "limit",
      message: `The model was asked ${modelCalls === 1 ? "once" : `${modelCalls} times`} in this turn, which is the limit (max_model_calls). Everything so far is in the text; respond again to continue.`,
    };
  }
  if (isBeyondCorrection(turn.invalidAnswers)) {
    return {
      type: "limit",
      uncorrected: true,
      message: `None of the calls in the last ${turn.invalidAnswers} answers could run; the model was told why each time and did not correct them. All of it is in the text; respond again to retry, or choose another way to write calls with tool_protocol in the header.`,
    };
  }
  chat.session = { ...chat.session, turn: { ...turn, modelCalls: turn.modelCalls + 1 } };
  return null;
}

/**
 * Saves the text and opens the step in it, as one operation; meanwhile the request is turned into bytes, which are sent
 * once the step is open. Returns the place of the answer, or how the turn ends without one. `changed`: nothing was opened,
 * since the user has typed or a program has written into what the request was made from.
 */
async function openStep(
  chat: Chat,
  mode: AskMode,
  undo: UndoGroup,
  asked: Asked,
): Promise<StreamTip | TurnEnd | "changed"> {
  const { sending, how } = asked;
  const { label, model, files } = asked.prepared;
  const record: StepRecord | null = files && { model, files };
  let saves = how.saves !== "done";
  for (;;) {
    if (saves) await willSave(chat);
    const { transcript, tick } = await chat.read();
    const exchange = anchoredExchange(transcript, chat.session.turn?.exchange);
    if (exchange === null) return { type: "gone" };
    if (!isAsAsked(asked, transcript, exchange)) return "changed";
    const opening = openings[mode](transcript, exchange, { label, record });
    const from = { lines: transcript.lines, tick };
    const open = chat.ports.editor.openTip(from, opening, undo, saves);
    const tip = await meanwhile(open, sending.begin);
    if (tip === "gone") return { type: "gone" };
    if (tip === "stale") continue;
    if ("unsaved" in tip) {
      const end = unlessTried(endOfSave(chat, tip.unsaved), how);
      if (end !== null) return end;
      saves = false;
      continue;
    }
    // The answer has a place; the request does not wait for the lines below.
    sending.leave();
    const { transcript: now } = await chat.read();
    const opened = anchoredExchange(now, chat.session.turn?.exchange);
    if (opened !== null) follow(chat, now, opened);
    return tip;
  }
}

/** Whether the exchange and everything above it are as they were when the request was made. */
function isAsAsked(asked: Asked, now: Transcript, exchange: Exchange): boolean {
  if (asked.transcript === now) return true;
  const { end } = exchange.range;
  if (asked.exchange.range.end !== end) return false;
  for (let line = 0; line < end; line += 1) {
    if (asked.transcript.lines[line] !== now.lines[line]) return false;
  }
  return true;
}

async function streamInto(
  chat: Chat,
  tip: StreamTip,
  writer: AnswerWriter,
  { prepared, sending, how: { signal } }: Asked,
): Promise<Outcome> {
  let gone = false;
  const lose = () => {
    gone = true;
    sending.drop();
  };
  const frames = createFrameWriter(async () => {
    if (!gone && (await tip.write(writer.frame())) === "gone") lose();
  });
  const unwatch = watchPlace(chat, tip, lose);
  const silence = reportSilence((seconds) => {
    if (chat.phase.type !== "streaming") return;
    const words = seconds === null ? "" : `: nothing received for ${seconds} s`;
    chat.setPhase({ ...chat.phase, text: `${prepared.label}${words}`, doing: "" });
  });
  let usage: Usage | null = null;
  try {
    let last: StreamPart | null = null;
    for await (const part of sending.parts()) {
      last = part;
      silence.heard();
      // Each report of usage includes the earlier ones.
      if (part.type === "usage") usage = part.usage;
      if (part.type === "notice" && part.isFailure) chat.notice("warn", part.message);
      else if (part.type === "notice") chat.warnOnce(part.message);
      followRetries(chat, part, prepared.label);
      followProgress(chat, part);
      if (writer.push(part)) frames.wake();
    }
    writer.end();
    await frames.finish();
    if (gone) return { type: "gone" };
    return outcomeOf(last, signal);
  } finally {
    if (usage !== null) chat.countUsage(usage, prepared);
    silence.end();
    unwatch();
  }
}

/** Reports that a request waits to be sent again, and withdraws that when its answer comes. */
function followRetries(chat: Chat, part: StreamPart, label: string): void {
  if (part.type === "retry") {
    const { failure, attempt, attempts, waitMs } = part;
    const text = failure.retryReason ?? failure.message;
    const until = Date.now() + waitMs;
    chat.setPhase({ type: "retrying", text, until, attempt: attempt + 1, attempts });
  } else if (chat.phase.type === "retrying") {
    chat.setPhase(sentPhase(label));
  }
}

function outcomeOf(last: StreamPart | null, signal: AbortSignal): Outcome {
  if (signal.aborted) return { type: "failed", failure: abortedFailure };
  if (last?.type === "error") return { type: "failed", failure: last.failure };
  if (last?.type === "finish") {
    const { reason, detail = "", state } = last;
    return { type: "finished", reason, detail, state };
  }
  return {
    type: "failed",
    failure: {
      kind: "bad-stream",
      message:
        "The answer broke off without saying why. The text so far is kept; respond again to retry.",
    },
  };
}

/** Keeps the text so far, with the reason in its mark; no call of the step is put to the user. */
async function failStep(place: StepPlace, failure: Failure): Promise<TurnEnd> {
  const reason: UnfinishedReason = failure.kind === "aborted" ? "stopped" : "error";
  await stopAt(place, reason);
  return failure.kind === "aborted" ? { type: "stopped" } : { type: "failed", failure };
}
