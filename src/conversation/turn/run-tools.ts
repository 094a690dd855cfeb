/** Runs approved calls in parallel and writes each result under its call as soon as it arrives. */

import { unlessAborted } from "../../shared/abort.ts";
import { clip, visible } from "../../shared/visible.ts";
import { markCallLine } from "../../transcript/call-line.ts";
import { reopenCalls, writeResults } from "../../transcript/edits/call-edits.ts";
import type { CallBlock, Exchange, ToolCall, Transcript } from "../../transcript/transcript.ts";
import type { OfferedTools } from "../chat-tools.ts";
import { judgeCall } from "../decide/judge-calls.ts";
import { lastCalls, nextStep, type Plans, planBatch } from "../decide/next-step.ts";
import { toolIdentity } from "../decide/remembered.ts";
import {
  anchoredExchange,
  exchangeAtLine,
  type Session,
  type TrackedCall,
  trackedAt,
  trackedBlock,
} from "../decide/session.ts";
import type { CallOrigin, ToolOutput } from "../ports.ts";
import { deniedText, failedOutput } from "../results.ts";
import type { Chat, KeptOutput, Run, TurnEnd } from "./chat.ts";
import { runCall } from "./run-call.ts";

function setState(
  session: Session,
  line: number,
  text: string,
  change: Partial<TrackedCall>,
): Session {
  const calls = session.calls.map((call) =>
    call.line === line && call.text === text ? { ...call, ...change } : call,
  );
  return { ...session, calls };
}

/** Starts the given calls. Each approval is consumed here, so it cannot be used twice (format, section 9). */
export async function startRuns(
  chat: Chat,
  transcript: Transcript,
  signal: AbortSignal,
): Promise<void> {
  const offered = await unlessAborted(chat.ports.tools.current(transcript), signal);
  if (offered === null) return;
  // Listing tools may take a while, and the user may have edited meanwhile: approved calls are checked again.
  if (await askAgain(chat, transcript, offered)) return;
  const { transcript: now } = await chat.read();
  const exchange = anchoredExchange(now, chat.session.turn?.exchange);
  const step = exchange && nextStep(now, exchange, chat.session);
  if (step?.type !== "run-tools") return;
  for (const block of step.calls) {
    if (block.call === null) continue;
    const effect = trackedAt(chat.session, block)?.effect ?? "";
    const id = chat.nextRun++;
    const run = { controller: new AbortController(), progress: "", since: Date.now() };
    chat.runs.set(id, run);
    chat.session = setState(chat.session, block.line, block.lineText, {
      state: "running",
      run: id,
    });
    const how = { origin: originOf(chat, id), effect };
    void runApproved(chat, block.call, offered, run, how).then((output) =>
      receiveOutput(chat, id, output),
    );
  }
  chat.setPhase({ type: "tools" });
}

function originOf(chat: Chat, run: number): CallOrigin {
  return {
    place() {
      const line = trackedRun(chat.session, run)?.line;
      return line === undefined ? "a line that is gone" : `line ${line + 1}`;
    },
    spendModelCall() {
      const { turn } = chat.session;
      if (turn === null || turn.modelCalls >= chat.ports.limits().modelCalls) return false;
      chat.session = { ...chat.session, turn: { ...turn, modelCalls: turn.modelCalls + 1 } };
      return true;
    },
  };
}

/**
 * Checks that the tool that would run, and what it would do, are those that were on screen when the call was approved;
 * otherwise opens the call again and returns true. Checks all approved calls each time: what ran before may have
 * changed what the rest would do.
 */
async function askAgain(
  chat: Chat,
  transcript: Transcript,
  offered: OfferedTools,
): Promise<boolean> {
  const exchange = anchoredExchange(transcript, chat.session.turn?.exchange);
  if (exchange === null) return false;
  const hasOtherTool = ({ call }: CallBlock, { tool }: TrackedCall) =>
    tool !== toolIdentity(offered.tools.get(call?.name ?? ""));
  const isChanged: IsChanged = (block, tracked, plans) =>
    hasOtherTool(block, tracked) || hasOtherEffect(block, tracked, plans);
  const changed = await reopenChanged(chat, exchange.range.start, isChanged, offered);
  if (changed.length === 0) return false;
  chat.notice(
    "warn",
    `${namesOf(changed)} has changed since it was shown, so it was not run and is open again. Look at it and decide.`,
  );
  return true;
}

const denied: ToolOutput = { status: "declined", text: deniedText, media: [] };

/** Validates once more, since the text may have been edited before it was approved, and runs. Never rejects. */
function runApproved(
  chat: Chat,
  call: ToolCall,
  offered: OfferedTools,
  run: Run,
  how: { readonly origin: CallOrigin; readonly effect: string },
): Promise<ToolOutput> {
  const { signal } = run.controller;
  const progress = (text: string) => {
    run.progress = text;
    chat.ports.report({ type: "call-progress" });
  };
  return runCall(async () => {
    const known = offered.tools.get(call.name);
    const misfit = known ? await chat.ports.validate(known, call.arguments) : null;
    const found = judgeCall(call, offered.tools, () => misfit);
    if (found.type === "mistake") return failedOutput(found.text);
    // The call may have been found in the text, or edited since it was proposed, so the rules are checked again.
    if ((await offered.judge(found.tool, call)).answer === "deny") return denied;
    return offered.run(call, { signal, progress, ...how });
  }, signal);
}

function trackedRun(session: Session, run: number): TrackedCall | undefined {
  return session.calls.find((call) => call.run === run && call.state === "running");
}

/** Reports, but does not write, an output whose call was removed from the text (format, section 11). */
function receiveOutput(chat: Chat, run: number, output: ToolOutput): void {
  if (trackedRun(chat.session, run)) chat.outputs.push({ run, output });
  else loseOutput(chat, run, output);
  chat.wakeForOutput();
}

function loseOutput(chat: Chat, run: number, output: ToolOutput): void {
  chat.runs.delete(run);
  const shown = visible(clip(output.text, 200).text);
  chat.notice(
    "warn",
    `The line of a tool call was changed or removed while it ran, so its result is not in the text. The result began:\n${shown}`,
  );
}

/** Whether every other call of the last step has its result, so that writing this one completes the batch. */
function completesBatch(exchange: Exchange, block: CallBlock): boolean {
  const calls = exchange.answer?.steps.at(-1)?.calls ?? [];
  return calls.includes(block) && calls.every((call) => call === block || call.result !== null);
}

/**
 * Waits for one output and writes it; when that completes the batch, the same edit opens the next step. An output that
 * cannot be kept or written, as in a buffer that was locked meanwhile, waits for the next turn.
 */
export async function writeNextResult(chat: Chat, signal: AbortSignal): Promise<TurnEnd | null> {
  if (chat.outputs.length === 0) {
    await new Promise<void>((resolve) => {
      chat.wakeForOutput = resolve;
    });
  }
  const [next] = chat.outputs;
  if (next === undefined) return null;
  const tracked = trackedRun(chat.session, next.run);
  const kept = tracked ? await chat.ports.keepOutput(next.output) : null;
  const written = kept && (await write(chat, next.run, next.output, kept, signal));
  chat.outputs.shift();
  for (const notice of kept?.notices ?? []) chat.notice("info", notice);
  if (written) chat.runs.delete(next.run);
  else loseOutput(chat, next.run, next.output);
  chat.session = {
    ...chat.session,
    calls: chat.session.calls.filter((call) => call.run !== next.run),
  };
  return null;
}

async function write(
  chat: Chat,
  run: number,
  output: ToolOutput,
  kept: KeptOutput,
  signal: AbortSignal,
): Promise<boolean> {
  const plan = await chat.edit(chat.newUndoGroup(), (transcript) => {
    const tracked = trackedRun(chat.session, run);
    const found = tracked && trackedBlock(transcript, tracked);
    if (!found?.block.call) return null;
    const { exchange, block } = found;
    const result = {
      name: found.block.call.name,
      callId: found.block.call.id,
      status: output.status,
      attachments: kept.attachments,
      fullText: kept.fullText,
      text: kept.text,
    };
    // An output that its own turn could not write is written by the next, which may be about another exchange.
    const inTurn = anchoredExchange(transcript, chat.session.turn?.exchange) === exchange;
    const goesOn = inTurn && !signal.aborted && completesBatch(exchange, block);
    const continuation = goesOn ? { record: null } : null;
    return writeResults(transcript, exchange, [{ call: block, result }], continuation);
  });
  return plan !== null;
}

/** Whether an approved call is no longer what was approved. */
export type IsChanged = (block: CallBlock, tracked: TrackedCall, plans: Plans) => boolean;

/** Whether the call would do something other than what was shown. */
export const hasOtherEffect: IsChanged = ({ line }, { effect }, plans) =>
  effect !== (plans.get(line)?.hash ?? "");

/**
 * Takes back the decisions of those approved calls of the exchange at the line that changed, and returns these calls.
 * They then wait for a key, and are shown as changed.
 */
export async function reopenChanged(
  chat: Chat,
  line: number,
  isChanged: IsChanged,
  { plans: plan }: Pick<OfferedTools, "plans">,
): Promise<readonly CallBlock[]> {
  const done = await chat.edit(chat.newUndoGroup(), async (transcript) => {
    const exchange = exchangeAtLine(transcript, line);
    if (exchange === null) return null;
    const approved = lastCalls(exchange).flatMap((block) => {
      const tracked = trackedAt(chat.session, block);
      return tracked?.state === "approved" ? [{ block, tracked }] : [];
    });
    if (approved.length === 0) return null;
    const plans = await planBatch(exchange, plan);
    const changed = approved
      .filter(({ block, tracked }) => isChanged(block, tracked, plans))
      .map(({ block }) => block);
    return { edits: reopenCalls(transcript, changed), changed };
  });
  const changed = done?.changed ?? [];
  if (changed.length === 0) return [];
  const { transcript } = await chat.read();
  const reopened = changed.flatMap((block): TrackedCall[] => {
    const text = markCallLine(block.lineText, null);
    if (transcript.lines[block.line] !== text) return [];
    return [{ line: block.line, text, state: "reopened", tool: "", effect: "", isAlone: false }];
  });
  const isNew = ({ line: at }: TrackedCall) => !reopened.some((one) => one.line === at);
  chat.session = { ...chat.session, calls: [...chat.session.calls.filter(isNew), ...reopened] };
  return changed;
}

/** The calls by their names and lines, for a sentence. */
export function namesOf(blocks: readonly CallBlock[]): string {
  return blocks
    .map(({ call, line }) => `${visible(call?.name ?? "the call")} in line ${line + 1}`)
    .join(", ");
}
