/**
 * What happens next with an exchange, derived from the text and from the few keys pressed since. Nothing else decides
 * this, so a restart, an undo and a hand edit need no code of their own (format, section 8).
 */
import { isYes } from "../../transcript/decisions.ts";
import type {
  Answer,
  CallBlock,
  Exchange,
  Step,
  ToolCall,
  Transcript,
} from "../../transcript/transcript.ts";
import type { CallPlan } from "../ports.ts";
import {
  anchoredExchange,
  type ExchangeAnchor,
  isUnstarted,
  type Session,
  trackedAt,
} from "./session.ts";

/** Why a call waits for a key. */
export type OpenReason = "undecided" | "broken" | "interrupted" | "changed";

export interface OpenCall {
  readonly call: CallBlock;
  readonly reason: OpenReason;
}

/**
 * Whether a call can be decided only on its own line, because its text was repaired or salvaged, or cannot be read
 * (format, section 4).
 */
export function needsOwnLine({ broken, notes }: CallBlock): boolean {
  return broken !== null || notes.length > 0;
}

/** What to do next with an exchange; the rows of the table in section 8 of the format. */
export type NextStep =
  | { readonly type: "await-question" }
  /**
   * `when: "now"` inside a running turn, else when the user presses respond. `retry`: the unfinished step to ask for
   * again.
   */
  | { readonly type: "ask-model"; readonly when: "now" | "respond"; readonly retry: Step | null }
  | { readonly type: "write-declined"; readonly calls: readonly CallBlock[] }
  | { readonly type: "await-approval"; readonly open: readonly OpenCall[] }
  | { readonly type: "run-tools"; readonly calls: readonly CallBlock[] }
  | { readonly type: "await-tools"; readonly calls: readonly CallBlock[] }
  | { readonly type: "open-question" };

/** Decides what happens next; pure, and the only place that decides it (format, section 8). */
export function nextStep(transcript: Transcript, exchange: Exchange, session: Session): NextStep {
  const { answer } = exchange;
  if (exchange.question.text.trim() === "") {
    // The question may be removed and put back while a tool runs: a running call is still awaited.
    const running = answer && runningStep(lastStep(answer)?.calls ?? [], session);
    return running ?? { type: "await-question" };
  }
  if (answer === null || isEmpty(answer))
    return { type: "ask-model", when: "respond", retry: null };

  const decidable = isDecidable(transcript, exchange, session);
  const inTurn = session.turn !== null && isAnchored(session.turn.exchange, transcript, exchange);
  if (answer.unfinished !== null && decidable) {
    const now = inTurn && waitsAfterResults(answer);
    return { type: "ask-model", when: now ? "now" : "respond", retry: answer.steps.at(-1) ?? null };
  }
  const calls = lastStep(answer)?.calls ?? [];
  return (
    (decidable ? stepOfCalls(calls, session) : null) ??
    runningStep(calls, session) ??
    ((calls.length > 0 && calls.every(isSettled)) || isPaused(answer)
      ? { type: "ask-model", when: inTurn ? "now" : "respond", retry: null }
      : { type: "open-question" })
  );
}

/**
 * Whether the calls of this exchange may be decided and run at all: it is the last one with an answer block,
 * or the one that this session responded to last (format, section 8).
 */
export function isDecidable(transcript: Transcript, exchange: Exchange, session: Session): boolean {
  const last = transcript.exchanges.findLast(({ answer }) => answer !== null);
  if (last?.index === exchange.index) return true;
  return session.respondedTo !== null && isAnchored(session.respondedTo, transcript, exchange);
}

/** All decidable exchanges, found without checking each exchange. */
export function decidableExchanges(transcript: Transcript, session: Session): readonly Exchange[] {
  const last = transcript.exchanges.findLast(({ answer }) => answer !== null);
  const own = anchoredExchange(transcript, session.respondedTo ?? undefined);
  const both = [last, own].filter((exchange) => exchange != null);
  return [...new Set(both)];
}

/** The calls of the last step that wait for a key, in order; none while the answer is unfinished. */
export function openCalls(
  transcript: Transcript,
  exchange: Exchange,
  session: Session,
): readonly OpenCall[] {
  const { answer } = exchange;
  if (answer === null || answer.unfinished !== null) return [];
  if (!isDecidable(transcript, exchange, session)) return [];
  return findOpen(lastStep(answer)?.calls ?? [], session);
}

/**
 * Whether a call needs nothing more: it has a result, or is an old `🔧:`, which counts as interrupted (format, section
 * 1).
 */
export function isSettled(call: CallBlock): boolean {
  return call.result !== null || call.source === "legacy";
}

function stepOfCalls(calls: readonly CallBlock[], session: Session): NextStep | null {
  const declined = calls.filter((call) => !isSettled(call) && call.broken === null && isNo(call));
  if (declined.length > 0) return { type: "write-declined", calls: declined };
  const open = findOpen(calls, session);
  // Running calls are awaited first, so that a call that is open again leaves no result unwritten.
  if (open.length > 0) return runningStep(calls, session) ? null : { type: "await-approval", open };
  const next = startable(calls, session);
  return next.length > 0 ? { type: "run-tools", calls: next } : null;
}

function runningStep(calls: readonly CallBlock[], session: Session): NextStep | null {
  const running = calls.filter(
    (call) => !isSettled(call) && trackedAt(session, call)?.state === "running",
  );
  return running.length > 0 ? { type: "await-tools", calls: running } : null;
}

function findOpen(calls: readonly CallBlock[], session: Session): readonly OpenCall[] {
  // No call of a batch starts, here or elsewhere, while one of them is undecided.
  const isKept = calls.some((call) => call.decision === null && !isSettled(call));
  return calls.flatMap((call) => {
    const reason = openReason(call, isKept, session);
    return reason === null ? [] : [{ call, reason }];
  });
}

function openReason(call: CallBlock, isKept: boolean, session: Session): OpenReason | null {
  if (isSettled(call)) return null;
  // A recorded decision cannot be carried out on a line that cannot be read, not even a denial.
  if (call.broken !== null) return "broken";
  if (call.decision === null) {
    return trackedAt(session, call)?.state === "reopened" ? "changed" : "undecided";
  }
  if (!isYes(call.decision)) return null;
  const state = trackedAt(session, call)?.state;
  if (state === "approved" || state === "running") return null;
  const hasNotRun = isKept || session.unsaved.includes(call.lineText);
  return hasNotRun && state === undefined && isUnstarted(call.lineText, session)
    ? "undecided"
    : "interrupted";
}

function isNo(call: CallBlock): boolean {
  return call.decision !== null && !isYes(call.decision);
}

function isEmpty(answer: Answer): boolean {
  return answer.unfinished === null && answer.steps.every(({ blocks }) => blocks.length === 0);
}

/** The last step that has content: a step that was opened but never written has no calls. */
function lastStep(answer: Answer): Step | null {
  return answer.steps.findLast(({ blocks }) => blocks.length > 0) ?? null;
}

/**
 * Whether the unfinished step is the continuation that was opened together with the last result, and is still empty.
 */
function waitsAfterResults(answer: Answer): boolean {
  if (answer.unfinished?.reason !== "open") return false;
  const before = answer.steps.at(-2);
  const isBegun = (answer.steps.at(-1)?.blocks.length ?? 0) > 0;
  return (
    !isBegun && before !== undefined && before.calls.length > 0 && before.calls.every(isSettled)
  );
}

/** Whether the model said that it will continue its last response when asked again. */
function isPaused(answer: Answer): boolean {
  const last = lastStep(answer);
  return last?.record.paused === true && last.calls.length === 0;
}

function isAnchored(anchor: ExchangeAnchor, transcript: Transcript, exchange: Exchange): boolean {
  return anchoredExchange(transcript, anchor)?.range.start === exchange.range.start;
}

/** What the calls of a batch would do, by their lines; calls whose effect cannot be known are missing. */
export type Plans = ReadonlyMap<number, CallPlan>;

export const noPlans: Plans = new Map();

/** What each of these calls would do after those before it; null: this cannot be known. */
type PlanCalls = (calls: readonly ToolCall[]) => Promise<readonly (CallPlan | null)[]>;

/** Plans what remains of the last step that has calls: its calls without a result that were not declined. */
export async function planBatch(exchange: Exchange, plan: PlanCalls): Promise<Plans> {
  const waiting = lastCalls(exchange).flatMap((block) => {
    const isOver = isSettled(block) || block.broken !== null || isNo(block);
    return isOver || block.call === null ? [] : [{ line: block.line, call: block.call }];
  });
  if (waiting.length === 0) return noPlans;
  const plans = await plan(waiting.map(({ call }) => call));
  const found = waiting.map(({ line }, index): [number, CallPlan | null] => [
    line,
    plans[index] ?? null,
  ]);
  return new Map(found.filter((entry): entry is [number, CallPlan] => entry[1] !== null));
}

export function lastCalls({ answer }: Exchange): readonly CallBlock[] {
  return answer?.steps.findLast(({ calls }) => calls.length > 0)?.calls ?? [];
}

/**
 * Returns the approved calls that may start now. A call that changes something runs alone: after all calls above it
 * have ended, and before any below it starts, so calls run in the order in which they were planned. All others run
 * together.
 */
function startable(calls: readonly CallBlock[], session: Session): readonly CallBlock[] {
  const found: CallBlock[] = [];
  let isAnyBefore = false;
  for (const block of calls) {
    if (isSettled(block)) continue;
    const tracked = trackedAt(session, block);
    const isAlone = tracked?.isAlone ?? false;
    if (isAlone && isAnyBefore) break;
    if (tracked?.state === "approved") found.push(block);
    if (isAlone) break;
    isAnyBefore = true;
  }
  return found;
}
