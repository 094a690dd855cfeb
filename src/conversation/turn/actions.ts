/** What the user can do with a chat: respond, retry, decide, stop one call. */

import { messageOf } from "../../shared/json.ts";
import { withoutEnd } from "../../shared/without-end.ts";
import { isDeclining, isRemembering } from "../../transcript/decisions.ts";
import { decideCalls } from "../../transcript/edits/call-edits.ts";
import { isBehindBlanks } from "../../transcript/markers.ts";
import type { CallBlock, Exchange, Transcript } from "../../transcript/transcript.ts";
import type { CallJudgement, OfferedTools } from "../chat-tools.ts";
import { afterEdits, applyKey, grant, grantsOf, type KeyPress } from "../decide/approval.ts";
import { isDecidable, needsOwnLine, nextStep, openCalls, planBatch } from "../decide/next-step.ts";
import { recordsFor } from "../decide/remembered.ts";
import {
  type Anchor,
  anchorOf,
  exchangeAtLine,
  type TrackedCall,
  withUnsaved,
} from "../decide/session.ts";
import type { Tool } from "../ports.ts";
import { changedMeanwhile } from "./ask-model.ts";
import type { Chat, TurnEnd } from "./chat.ts";
import { driving, refused } from "./driving.ts";
import type { AskMode } from "./make-request.ts";
import { hasOtherEffect, namesOf, reopenChanged } from "./run-tools.ts";
import { saveBefore } from "./save-before.ts";
import { busy, startTurn } from "./turn.ts";

/** Begins a turn for the exchange at the line, or says why not. It approves no call in the text. */
export async function respond(
  chat: Chat,
  line: number,
  {
    isAgreed = false,
    stopped,
  }: {
    /** The user has already agreed to replace answers. */
    readonly isAgreed?: boolean;
    readonly stopped?: AbortSignal;
  } = {},
): Promise<TurnEnd> {
  return driving(chat, () => respondNow(chat, line, isAgreed), stopped);
}

async function respondNow(chat: Chat, line: number, isAgreed: boolean): Promise<TurnEnd> {
  const asked = await askedAtOnce(chat, line);
  if (asked !== null) return startTurn(chat, asked.transcript, { ...asked, responding: true });
  const { refusal, transcript } = await textForTurn(chat);
  if (refusal !== null) return refusal;
  const { exchange, isOwn, step } = respondedStep(chat, transcript, line);
  if (exchange === null) {
    return refused(
      "There is no question here yet: start a line with 💬: and write your question there.",
    );
  }
  if (step.type === "await-question") {
    return refused("The question is empty: write it after 💬: and respond again.");
  }
  if (!isOwn || step.type === "open-question") {
    // Whoever wrote a question there does not want the answer above it replaced.
    if (!isAgreed && isBehindBlanks(transcript.lines, line)) return refused(behindBlanks);
    return replace(chat, transcript, exchange, isAgreed);
  }
  if (step.type === "await-approval") {
    return { type: "await-approval", open: step.open, already: true };
  }
  // Calls that run at once must find their decision on the disk.
  const unsaved = step.type === "run-tools" ? await saveBefore(chat) : null;
  if (unsaved !== null) return unsaved;
  return startTurn(chat, transcript, { exchange, ask: null, responding: true });
}

const behindBlanks =
  "The 💬: here has blanks in front of it, so it is part of the answer; nothing was done. Put it at the beginning of its line to ask it, or respond elsewhere in the answer to replace that.";

/** What a respond at the line means. */
function respondedStep(chat: Chat, transcript: Transcript, line: number) {
  const exchange = respondedExchange(transcript, line);
  if (exchange === null) return { exchange, isOwn: false, step: null } as const;
  const here = { ...chat.session, respondedTo: anchorOf(transcript, exchange) };
  const isOwn = exchange.answer === null || isDecidable(transcript, exchange, chat.session);
  const step = nextStep(transcript, exchange, isOwn ? here : chat.session);
  return { exchange, isOwn, step } as const;
}

/** A question that only has to be sent: its turn saves the text while it builds the request. Null: it takes more. */
async function askedAtOnce(chat: Chat, line: number) {
  if (chat.active !== null) return null;
  const { transcript } = await chat.read();
  const { exchange, isOwn, step } = respondedStep(chat, transcript, line);
  if (
    exchange === null ||
    !isOwn ||
    step.type !== "ask-model" ||
    conflictRefusal(transcript) !== null
  )
    return null;
  return { transcript, exchange, ask: null };
}

type TextForTurn =
  | { readonly refusal: TurnEnd; readonly transcript: null }
  | { readonly refusal: null; readonly transcript: Transcript };

/** The text that a turn begins with, or why no turn may begin now. */
async function textForTurn(chat: Chat): Promise<TextForTurn> {
  if (chat.active !== null) return { refusal: busy, transcript: null };
  const changed = await changedOutside(chat);
  if (changed !== null) return { refusal: changed, transcript: null };
  const { transcript } = await chat.read();
  const refusal = conflictRefusal(transcript);
  return refusal === null ? { refusal, transcript } : { refusal, transcript: null };
}

/** A chat in which git left two versions is neither sent nor run. */
function conflictRefusal({ problems }: Transcript): TurnEnd | null {
  const conflict = problems.find(({ code }) => code === "git-conflict");
  return conflict === undefined ? null : refused(`Line ${conflict.line + 1}: ${conflict.message}`);
}

/** The exchange at the line; above all exchanges, where a file opens, the one of the last question. */
function respondedExchange(transcript: Transcript, line: number): Exchange | null {
  const { exchanges } = transcript;
  const first = exchanges[0];
  if (first === undefined || line >= first.range.start) return exchangeAtLine(transcript, line);
  return exchanges.findLast(({ question }) => question.text !== "") ?? first;
}

/**
 * The user acts on what the file contains: a text that another program wrote meanwhile must be seen first. Null when
 * there is none. A file that cannot be written does not prevent a question; nothing runs in that state. A question need
 * not wait for the disk, since it runs nothing.
 */
async function changedOutside(chat: Chat): Promise<TurnEnd | null> {
  const end = await saveBefore(chat, { quick: true });
  return end?.type === "unsaved" ? null : end;
}

/**
 * Answers an exchange again and replaces its answer: at once when its question was edited since, else after the user
 * agrees. The old answer is kept for a while.
 */
async function replace(
  chat: Chat,
  transcript: Transcript,
  exchange: Exchange,
  isAgreed = false,
): Promise<TurnEnd> {
  const results = (exchange.answer?.steps ?? []).flatMap(({ calls }) =>
    calls.filter((call) => call.result !== null),
  ).length;
  const held =
    results === 0
      ? ""
      : ` It contains ${results === 1 ? "a tool result" : `${results} tool results`}.`;
  const question = `This question is unchanged and already answered. Replace its answer?${held} One undo brings it back.`;
  const isEdited = isAgreed || !chat.answered.has(exchange.question.text);
  if (!isEdited && !(await chat.ports.confirm(question)))
    return refused("Nothing was changed. A new question begins with 💬: on a line of its own.");
  const { answer } = exchange;
  if (answer !== null) {
    const old = transcript.lines.slice(exchange.range.start, answer.range.end).join("\n");
    if (!(await keepOld(chat, `${old}\n`))) return refused("Nothing was changed.");
  }
  return begin(chat, transcript, exchange, "replace");
}

/** False: the old answer cannot be kept anywhere, and the user prefers it to a new one. */
async function keepOld(chat: Chat, old: string): Promise<boolean> {
  try {
    const path = await chat.ports.keepReplaced(old);
    chat.notice(
      "info",
      `The previous answer is kept for 30 days in ${path}; one undo brings it back, too.`,
    );
    return true;
  } catch (error) {
    const reason = withoutEnd(messageOf(error), ".");
    return chat.ports.confirm(
      `The old answer cannot be kept in a file (${reason}), so only undo would bring it back. Replace it?`,
    );
  }
}

async function begin(
  chat: Chat,
  before: Transcript,
  exchange: Exchange,
  mode: AskMode,
): Promise<TurnEnd> {
  if (chat.active !== null) return busy;
  const { transcript } = await chat.read();
  if (transcript !== before && transcript.lines.join("\n") !== before.lines.join("\n")) {
    return refused(changedMeanwhile);
  }
  return startTurn(chat, transcript, { exchange, ask: mode, responding: true });
}

/** Asks again for the last step of the answer at the line, and replaces it. */
export async function retry(chat: Chat, line: number, stopped?: AbortSignal): Promise<TurnEnd> {
  return driving(chat, () => retryNow(chat, line), stopped);
}

async function retryNow(chat: Chat, line: number): Promise<TurnEnd> {
  const { refusal, transcript } = await textForTurn(chat);
  if (refusal !== null) return refusal;
  const exchange = retriedExchange(transcript, line);
  if (exchange?.answer == null) {
    return refused(
      "There is no answer here yet, so there is nothing to ask for again. Respond again to ask.",
    );
  }
  if (!isDecidable(transcript, exchange, chat.session)) return replace(chat, transcript, exchange);
  const lost = exchange.answer.steps.at(-1)?.calls.some((call) => call.result !== null);
  const question =
    "Ask for the last step again? Its tool results are replaced; one undo brings them back.";
  if (lost && !(await chat.ports.confirm(question))) return refused("Nothing was changed.");
  const mode = exchange.answer.unfinished === null ? "retry-last" : "restart";
  return begin(chat, transcript, exchange, mode);
}

/** The exchange at the line; on an empty new question the one above it, which the user has just read. */
function retriedExchange(transcript: Transcript, line: number): Exchange | null {
  const exchange = exchangeAtLine(transcript, line);
  if (exchange === null || exchange.answer !== null || exchange.question.text !== "")
    return exchange;
  return transcript.exchanges[exchange.index - 1] ?? null;
}

/** Handles a key on an open call. When it settles the last open one, the turn continues. */
export async function pressCallKey(
  chat: Chat,
  keyPress: KeyPress,
  {
    isListed = false,
    stopped,
  }: {
    /** The tools were already listed for this key press. */
    readonly isListed?: boolean;
    readonly stopped?: AbortSignal;
  } = {},
): Promise<TurnEnd | null> {
  return driving(chat, () => pressNow(chat, keyPress, isListed), stopped);
}

async function pressNow(
  chat: Chat,
  keyPress: KeyPress,
  isListed: boolean,
): Promise<TurnEnd | null> {
  if (chat.active !== null) {
    return refused(`An answer is under way, so ${keyPress.key} did nothing.`);
  }
  const { refusal, transcript: before } = await textForTurn(chat);
  if (refusal !== null) return refusal;
  const offered = await chat.ports.tools[isListed ? "current" : "look"](before);
  const { tools } = offered;
  const planned = await chat.edit(chat.newUndoGroup(), async (transcript) => {
    const exchange = exchangeAtLine(transcript, keyPress.cursorLine);
    if (exchange === null) return null;
    const plans = await planBatch(exchange, offered.plans);
    const outcome = applyKey(transcript, exchange, chat.session, keyPress, { ...offered, plans });
    const { edits, written } = outcome.type === "decided" ? outcome : { edits: [], written: null };
    return { edits, written, outcome, plans };
  });
  if (planned === null) return { type: "gone" };
  if (planned.outcome.type === "refused") return refused(planned.outcome.message);
  const { grants, notices, decided } = planned.outcome;
  const { transcript } = await chat.read();
  chat.session = grant(chat.session, transcript, grants, tools, planned.plans);
  for (const notice of notices) chat.notice("info", notice);
  await reopenAfter(chat, keyPress, grants, offered);
  if (!isDeclining(keyPress.key)) await chat.ports.tools.approved(toolsOf(decided, tools));
  if (isRemembering(keyPress.key)) await remember(chat, decided, offered, keyPress);
  const unsaved = await saveDecisions(chat, grants);
  if (unsaved !== null) return unsaved;
  return goOn(chat, keyPress.cursorLine);
}

/** Saves what was just decided. Returns how the turn ends when the file could not be written; null: it was. */
async function saveDecisions(chat: Chat, grants: readonly Anchor[]): Promise<TurnEnd | null> {
  const end = await saveBefore(chat);
  if (end?.type === "unsaved") chat.session = withUnsaved(chat.session, grants);
  return end;
}

/** A denial, or an approval of an earlier call, may change what calls that are already decided would do. */
async function reopenAfter(
  chat: Chat,
  { key, cursorLine }: KeyPress,
  grants: readonly Anchor[],
  offered: OfferedTools,
): Promise<void> {
  const isNew = ({ line, text }: TrackedCall) =>
    grants.some((one) => one.line === line && one.text === text);
  // The calls just granted were planned for this key press.
  if (chat.session.calls.every((call) => call.state !== "approved" || isNew(call))) return;
  const changed = await reopenChanged(chat, cursorLine, hasOtherEffect, offered);
  if (changed.length === 0) return;
  chat.notice(
    "warn",
    `After this ${key}, ${namesOf(changed)} would no longer do what was shown, so it is open again.`,
  );
}

function toolsOf(calls: readonly CallBlock[], tools: ReadonlyMap<string, Tool>): readonly Tool[] {
  const found = calls.flatMap(({ call }) => (call && tools.get(call.name)) ?? []);
  return [...new Set(found)];
}

async function remember(
  chat: Chat,
  decided: Parameters<typeof recordsFor>[1],
  { tools, judge }: OfferedTools,
  { key }: KeyPress,
): Promise<void> {
  const path = await chat.ports.remembered.path();
  if (path === null) {
    chat.notice(
      "info",
      "This chat has no file yet, so the tool is approved once and not remembered.",
    );
    return;
  }
  const changes = new Map<number, string>();
  for (const { line, call } of decided) {
    const tool = call && tools.get(call.name);
    const file = tool ? (await judge(tool, call)).changes : null;
    if (file !== null) changes.set(line, file);
  }
  const records = recordsFor(path, decided, tools, key, changes);
  const since = Date.now();
  await chat.ports.remembered.add(records.map((record) => ({ ...record, since })));
}

/** Begins the turn that follows a decision; null while calls are still open. */
async function goOn(chat: Chat, line: number): Promise<TurnEnd | null> {
  const { transcript } = await chat.read();
  const exchange = exchangeAtLine(transcript, line);
  if (exchange === null) return { type: "gone" };
  const step = nextStep(transcript, exchange, chat.session);
  if (step.type === "await-approval") return null;
  return startTurn(chat, transcript, { exchange, ask: null, responding: true });
}

/** Whether a call may run; `answer` is what the rules say about it, null when its tool is not offered. */
type Wanted = (
  call: CallBlock,
  tool: Tool | null,
  answer: CallJudgement["answer"] | null,
) => boolean;

/**
 * Approves open calls on behalf of whoever typed the command, recorded as `[auto]`, and continues the turn. Null while
 * calls are still open.
 */
export async function approve(chat: Chat, wanted: Wanted): Promise<TurnEnd | null> {
  return driving(chat, () => approveNow(chat, wanted));
}

async function approveNow(chat: Chat, wanted: Wanted): Promise<TurnEnd | null> {
  const offered = await chat.ports.tools.look((await chat.read()).transcript);
  const { tools, plans: plan } = offered;
  let line = 0;
  const approved = await chat.edit(chat.newUndoGroup(), async (transcript) => {
    const exchange = transcript.exchanges.findLast(({ answer }) => answer !== null);
    const open = exchange ? openCalls(transcript, exchange, chat.session) : [];
    const calls: CallBlock[] = [];
    for (const { call: block } of open) {
      if (block.call === null || needsOwnLine(block)) continue;
      const tool = tools.get(block.call.name) ?? null;
      const answer = tool && (await offered.judge(tool, block.call)).answer;
      if (wanted(block, tool, answer)) calls.push(block);
    }
    if (!exchange || calls.length === 0) return null;
    line = exchange.range.start;
    const edits = decideCalls(transcript, calls, "auto");
    const plans = await planBatch(exchange, plan);
    const written = afterEdits(transcript, exchange, edits);
    const grants = grantsOf(exchange, written.calls, calls);
    return { edits, written: written.transcript, plans, grants };
  });
  if (approved === null) return null;
  const { transcript } = await chat.read();
  const grants = approved.grants ?? [];
  chat.session = grant(chat.session, transcript, grants, tools, approved.plans);
  const unsaved = await saveDecisions(chat, grants);
  if (unsaved !== null) return unsaved;
  return goOn(chat, line);
}

/** Stops the running call at the line; false when none runs there. */
export function stopCall(chat: Chat, line: number): boolean {
  const tracked = chat.session.calls.find((call) => call.line === line && call.state === "running");
  const run = tracked?.run === undefined ? undefined : chat.runs.get(tracked.run);
  run?.controller.abort();
  return run !== undefined;
}
