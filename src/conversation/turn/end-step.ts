/**
 * Ends a step: writes its calls with the decisions of memories and rules, and seals its provider state. A step that was
 * cut or is empty keeps its text, and its calls are not put to the user.
 */

import { collapseWhitespace, ellipsize, visibleText } from "../../shared/visible.ts";
import { isYes } from "../../transcript/decisions.ts";
import { finishStep, type StepPart } from "../../transcript/edits/finish-step.ts";
import { applyEdits } from "../../transcript/edits/layout.ts";
import { parseLines } from "../../transcript/parse.ts";
import type {
  CallBlock,
  Edit,
  Exchange,
  StepRecord,
  Transcript,
  UnfinishedReason,
} from "../../transcript/transcript.ts";
import type { CallJudgement, OfferedTools } from "../chat-tools.ts";
import { afterEdits, grant } from "../decide/approval.ts";
import { countCalls, type JudgedCall, judgeCalls, waitingKey } from "../decide/judge-calls.ts";
import { noPlans, planBatch } from "../decide/next-step.ts";
import { type Anchor, anchoredExchange } from "../decide/session.ts";
import type { Failure, FailureKind, FinishReason } from "../ports.ts";
import type { ProposedCall } from "../proposed-call.ts";
import { sealState, stepContent } from "../request/provider-state.ts";
import type { ResponsePart } from "./answer-writer.ts";
import { askTopic } from "./ask-topic.ts";
import type { Chat, PreparedRequest, TurnEnd } from "./chat.ts";
import { forgetLostMarks } from "./forget-marks.ts";
import { type StepPlace, stopAt } from "./step-place.ts";
import { isTopicOpen, ownTopicEdits, topicEdits } from "./topic.ts";

/** How a response ended that did not fail. */
export interface Finished {
  readonly reason: FinishReason;
  /** What the provider says about the reason; empty when it says nothing. */
  readonly detail: string;
  /** Opaque data of the provider; undefined when there is none. */
  readonly state: unknown;
}

/** Null when the turn continues, as after every complete response: what comes next is derived from the text. */
export async function endStep(
  chat: Chat,
  place: StepPlace,
  prepared: PreparedRequest,
  parts: readonly ResponsePart[],
  { reason, detail, state }: Finished,
): Promise<TurnEnd | null> {
  const isEmpty = parts.every((part) => part.type === "text" && part.text.trim() === "");
  const cut = cuts[reason];
  if (cut) {
    await stopAt(place, cut.reason);
    return { type: "failed", failure: withDetail(cutFailure(cut, !isEmpty), detail) };
  }
  if (isEmpty) {
    await stopAt(place, "empty");
    return { type: "failed", failure: emptyAnswer };
  }
  prepared.answered?.();
  return completeStep(chat, place, prepared, parts, { state, isPaused: reason === "pause" });
}

/** An end before the answer was complete. */
interface Cut {
  readonly reason: UnfinishedReason;
  readonly kind: FailureKind;
  readonly happened: string;
  /** What the user can do; the end of a sentence. */
  readonly next: string;
}

const cuts: Partial<Record<FinishReason, Cut>> = {
  length: {
    reason: "length",
    kind: "other",
    happened: "The answer was cut off because it reached the model's output limit.",
    next: "respond again to retry, max_tokens in the header raises the limit.",
  },
  context: {
    reason: "length",
    kind: "context-overflow",
    happened: "The answer was cut off because the chat fills the model's context window.",
    next: "lower max_full_exchanges in the header, shorten the transcript, or choose a model with a larger context, and respond again.",
  },
  "content-filter": {
    reason: "error",
    kind: "refused",
    happened: "The vendor stopped this answer because of its content rules.",
    next: "change the question, or respond again.",
  },
};

function cutFailure({ kind, happened, next }: Cut, hasText: boolean): Failure {
  return {
    kind,
    message: `${happened} ${hasText ? "The text so far is kept" : "No text arrived"}; ${next}`,
  };
}

const emptyAnswer: Failure = {
  kind: "bad-stream",
  message: "The model sent neither text nor a tool call. Respond again to retry.",
};

const longestDetail = 300;

/** Appends the provider's own words, on one line and made harmless. */
function withDetail(failure: Failure, detail: string): Failure {
  if (detail.trim() === "") return failure;
  const said = visibleText(ellipsize(collapseWhitespace(detail), longestDetail));
  return { ...failure, message: `${failure.message} The vendor says: “${said}”` };
}

/** How a complete response ended. */
interface ResponseEnd extends Pick<Finished, "state"> {
  /** The model continues it when asked again. */
  readonly isPaused: boolean;
}

function noticeRepeated(chat: Chat, judged: readonly JudgedCall[]): void {
  const waiting = judged.filter(
    ({ decision, result, isRepeated }) =>
      isRepeated === true && decision === null && result === null,
  );
  for (const { call } of waiting) chat.repeated.add(waitingKey(call));
  // An answer may hold the same call many times.
  for (const name of new Set(waiting.map(({ call }) => call.name))) {
    chat.notice(
      "warn",
      `${visibleText(name)} was called with the same arguments again and again in this turn, so this time you decide.`,
    );
  }
}

async function completeStep(
  chat: Chat,
  place: StepPlace,
  prepared: PreparedRequest,
  parts: readonly ResponsePart[],
  end: ResponseEnd,
): Promise<TurnEnd | null> {
  const calls = parts.flatMap((part) => (part.type === "call" ? [part.call] : []));
  const { misfits, judgements } = await lookAtCalls(chat, calls, prepared);
  if (calls.length > 0) await forgetLostMarks(chat);
  const path = await chat.ports.remembered.path();
  const records = calls.length > 0 && path !== null ? await chat.ports.remembered.records() : [];
  const secret = end.state === undefined ? "" : await chat.ports.secret();
  const topicModel = (await chat.ports.topicModel?.()) ?? null;
  const topic = topicModel === null ? topicEdits : ownTopicEdits;

  const written = await place.edit((transcript, exchange) => {
    const judged = judgeCalls(calls, {
      tools: prepared.offered.tools,
      unlisted: prepared.offered.unlisted,
      transcript,
      path,
      records,
      session: chat.session,
      judgement: (tool, call) =>
        judgements.get(JSON.stringify([tool.name, call.arguments])) ?? unjudged,
      find: prepared.search?.find ?? null,
      validate: (tool, argumentsText) =>
        misfits.get(JSON.stringify([tool.name, argumentsText])) ?? null,
    });
    const stepped = stepParts(parts, judged);
    const finish = finishEdits(transcript, exchange, stepped, prepared, { ...end, secret });
    // The topic replaces one line by one line, so that all others stay where they are.
    const edits = [...(isOver(parts, end) ? topic(transcript, exchange) : []), ...finish];
    const after = judged.length === 0 ? null : afterEdits(transcript, exchange, edits);
    const grants = after === null ? [] : grantsOf(after.calls, judged);
    return { edits, written: after?.transcript ?? null, judged, grants };
  });
  if (written === null) return place.lose();
  noticeRepeated(chat, written.judged);
  const { transcript } = await chat.read();
  const exchange = anchoredExchange(transcript, chat.session.turn?.exchange);
  if (isOver(parts, end) && topicModel !== null && exchange !== null && isTopicOpen(transcript)) {
    chat.naming = askTopic(chat, topicModel, { transcript, exchange }, place.undo);
  }
  await grantWritten(chat, prepared.offered, transcript, exchange, written);
  return null;
}

/** Grants the calls that a memory or a rule allowed, as the lines that were written. */
async function grantWritten(
  chat: Chat,
  { plans: planOf, tools }: OfferedTools,
  transcript: Transcript,
  exchange: Exchange | null,
  {
    judged,
    grants,
  }: { readonly judged: readonly JudgedCall[]; readonly grants: readonly Anchor[] },
): Promise<void> {
  const { turn } = chat.session;
  const isPlanned = exchange !== null && grants.length > 0;
  const plans = isPlanned ? await planBatch(exchange, planOf) : noPlans;
  const session = { ...chat.session, turn: turn && countCalls(turn, judged) };
  chat.session = grant(session, transcript, grants, tools, plans);
}

/** What the call is about could not be determined, so the user is asked. */
const unjudged: CallJudgement = { answer: "insist", changes: null };

/** Checks arguments and paths before the text is read, since schemas are loaded and links followed for it. */
async function lookAtCalls(
  chat: Chat,
  calls: readonly ProposedCall[],
  prepared: PreparedRequest,
): Promise<{
  readonly misfits: ReadonlyMap<string, string>;
  readonly judgements: ReadonlyMap<string, CallJudgement>;
}> {
  const misfits = new Map<string, string>();
  const judgements = new Map<string, CallJudgement>();
  for (const call of calls) {
    const tool = call.unreadable === undefined ? prepared.offered.tools.get(call.name) : undefined;
    if (tool === undefined) continue;
    const key = JSON.stringify([call.name, call.arguments]);
    const misfit = await chat.ports.validate(tool, call.arguments);
    if (misfit !== null) misfits.set(key, misfit);
    else judgements.set(key, await prepared.offered.judge(tool, call));
  }
  return { misfits, judgements };
}

function stepParts(
  parts: readonly ResponsePart[],
  judged: readonly JudgedCall[],
): readonly StepPart[] {
  const remaining = judged[Symbol.iterator]();
  return parts.flatMap((part): StepPart[] => {
    if (part.type === "text") return [part];
    const next = remaining.next();
    if (next.done) return [];
    const { call, decision, result } = next.value;
    const block = result && {
      ...result,
      name: call.name,
      callId: call.id,
      attachments: [],
      fullText: null,
    };
    return [{ type: "call", call, decision, notes: call.notes ?? [], result: block }];
  });
}

/** Whether the answer ends with this step. */
function isOver(
  parts: readonly { readonly type: "text" | "call" }[],
  { isPaused }: Pick<ResponseEnd, "isPaused">,
): boolean {
  return !isPaused && parts.every(({ type }) => type === "text");
}

function finishEdits(
  transcript: Transcript,
  exchange: Exchange,
  parts: readonly StepPart[],
  { model, label, request }: PreparedRequest,
  { state, isPaused, secret }: ResponseEnd & { readonly secret: string },
): readonly Edit[] {
  const own = exchange.answer?.steps.at(-1);
  const previous = exchange.answer?.steps.at(-2);
  const isDone = isOver(parts, { isPaused });
  const finish = (record: StepRecord) =>
    finishStep(transcript, exchange, {
      parts,
      record: { ...own?.record, ...record },
      previousModel: previousModel(exchange, previous?.record, { model, label }),
      openQuestion: isDone,
    });
  const begun: StepRecord = isPaused ? { model, paused: true } : { model };
  const plain = finish(begun);
  if (state === undefined || isDone) return plain;
  // The hash covers the step as it reads in the text, so the step is written once in order to be parsed.
  const step = parseLines(applyEdits(transcript.lines, plain), transcript).exchanges[
    exchange.index
  ]?.answer?.steps.at(-1);
  if (step === undefined) return plain;
  return finish({ ...begun, state: sealState(state, stepContent(step), request.model, secret) });
}

/** The model of the step before; without a step line, the model that the answer's label names. */
function previousModel(
  exchange: Exchange,
  previous: StepRecord | undefined,
  { model, label }: { readonly model: string; readonly label: string },
): string | null {
  if (previous === undefined) return null;
  if (previous.model !== undefined) return previous.model;
  const named = exchange.answer?.label ?? null;
  return named === null || named === label ? model : named;
}

/** The lines, after the edits, of the calls that a memory or a rule allowed. */
function grantsOf(after: readonly CallBlock[], judged: readonly JudgedCall[]): readonly Anchor[] {
  if (after.length !== judged.length) return [];
  return judged.flatMap(({ decision, result }, index) => {
    const block = after[index];
    if (!block || decision === null || result !== null || !isYes(decision)) return [];
    return block.decision === decision ? [{ line: block.line, text: block.lineText }] : [];
  });
}
