/**
 * What happens to each call of a finished response: an error that the model can learn from, an approval by memory or
 * rule, or a question to the user and its reason (format, sections 4 and 8).
 */
import { canonicalJson } from "../../shared/hash.ts";
import { inexactNumber, isObject, parseJson } from "../../shared/json.ts";
import { ellipsize } from "../../shared/visible.ts";
import type { Decision } from "../../transcript/decisions.ts";
import { syntaxMistake } from "../../transcript/strict-json.ts";
import type { ResultStatus, ToolCall, Transcript } from "../../transcript/transcript.ts";
import type { CallJudgement } from "../chat-tools.ts";
import type { Tool, UnlistedServer } from "../ports.ts";
import type { ProposedCall } from "../proposed-call.ts";
import { deniedText, unknownToolText } from "../results.ts";
import { absentServerText } from "../server-waits.ts";
import { findToolsName, type ToolSearch } from "../tool-search.ts";
import { writableCall } from "../unreadable-call.ts";
import { type RememberedRecord, rememberedBy } from "./remembered.ts";
import type { RunningTurn, Session } from "./session.ts";

export interface JudgeContext {
  /** The tools this request offered, by name. */
  readonly tools: ReadonlyMap<string, Tool>;
  /** Servers whose tools were not known then. */
  readonly unlisted: readonly UnlistedServer[];
  readonly transcript: Transcript;
  /** Real path of the transcript; null while it has no file. */
  readonly path: string | null;
  readonly records: readonly RememberedRecord[];
  /** With the counts of the turn before this response. */
  readonly session: Session;
  readonly judgement: (tool: Tool, call: ToolCall) => CallJudgement;
  /** Answers a call of `find_tools`; null: that tool is not offered. */
  readonly find: ToolSearch["find"] | null;
  /** Returns null when the arguments fit the tool's schema, else a sentence for the model. */
  readonly validate: (tool: Tool, argumentsText: string) => string | null;
}

/** A call with everything that is written about it when the step ends. */
export interface JudgedCall {
  /** As the model sent it; an empty id is replaced, and so is a call whose line would be broken. */
  readonly call: ProposedCall;
  /** Null: undecided; without a result the call then waits for a key. */
  readonly decision: Decision | null;
  /** For a call that will not run. */
  readonly result: { readonly status: ResultStatus; readonly text: string } | null;
  /** The same call was made so often in this turn that the user decides, whatever is remembered or allowed. */
  readonly isRepeated?: true;
}

/** Judges `calls`, all calls of a response, and returns them in its order. */
export function judgeCalls(
  calls: readonly ProposedCall[],
  context: JudgeContext,
): readonly JudgedCall[] {
  const counts = new Map(Object.entries(context.session.turn?.callCounts ?? {}));
  return withIds(calls, context.transcript).map((proposed) => {
    const call = writableCall(proposed);
    const key = countingKey(call.name, call.arguments);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    const isRepeated = count >= askedAgainAt;
    return { call, ...judge(call, isRepeated, context), ...(isRepeated && { isRepeated }) };
  });
}

/** When the same call is proposed this many times in a turn, the user has to decide (format, section 8). */
const askedAgainAt = 3;

/** Up to this many answers in a row in which no call could run are followed by another request (format, section 8). */
const mostCorrections = 3;

/**
 * Returns the number of answers in a row in which no call could run, after one more answer with these calls; an answer
 * without calls does not change it.
 */
export function invalidAnswersAfter(
  before: number,
  calls: readonly { readonly couldRun: boolean }[],
): number {
  if (calls.length === 0) return before;
  return calls.some(({ couldRun }) => couldRun) ? 0 : before + 1;
}

/** Whether the model was told often enough what is wrong with its calls, so that no request follows. */
export function isBeyondCorrection(invalidAnswers: number): boolean {
  return invalidAnswers > mostCorrections;
}

/** Equal for calls with the same name and arguments, whatever the spacing and order of the arguments. */
export function countingKey(name: string, argumentsText: string): string {
  const value = readObject(argumentsText);
  return JSON.stringify([name, value === null ? argumentsText : canonicalJson(value)]);
}

/** Returns the turn after a response with these calls. */
export function countCalls(turn: RunningTurn, judged: readonly JudgedCall[]): RunningTurn {
  const calls = judged.map(({ call }) => call);
  const counts = { ...turn.callCounts };
  for (const call of calls) {
    const key = countingKey(call.name, call.arguments);
    counts[key] = (counts[key] ?? 0) + 1;
  }
  const couldRun = ({ result }: JudgedCall) => result === null || result.status === "ok";
  const invalidAnswers = invalidAnswersAfter(
    turn.invalidAnswers,
    judged.map((call) => ({ couldRun: couldRun(call) })),
  );
  return { ...turn, callCounts: counts, invalidAnswers };
}

const undecided = { decision: null, result: null };

function judge(
  call: ProposedCall,
  isRepeated: boolean,
  context: JudgeContext,
): Omit<JudgedCall, "call"> {
  if (call.name === findToolsName && context.find !== null && call.unreadable === undefined) {
    return { decision: "find", result: context.find(call.arguments) };
  }
  const found = judgeCall(call, context.tools, (tool) => context.validate(tool, call.arguments));
  if (found.type === "mistake") {
    const isUnknown = call.unreadable === undefined && !context.tools.has(call.name);
    const text = isUnknown ? unknownText(call.name, context) : null;
    return failed(text ?? found.text);
  }
  const { tool } = found;
  const { answer, changes } = context.judgement(tool, call);
  if (answer === "deny")
    return { decision: null, result: { status: "declined", text: deniedText } };
  // The text may not be what the model meant: neither a memory nor a rule decides it (format, section 4).
  const isNoted = (call.notes ?? []).length > 0;
  if (isRepeated || isNoted || answer === "insist") return undecided;
  const mark = rememberedBy({ tool, changes }, context.transcript, context.records, context.path);
  if (mark !== null) return { decision: mark, result: null };
  return answer === "allow" ? { decision: "auto", result: null } : undecided;
}

/** What the chat knows of a tool that it does not offer, as a sentence for the model; null: nothing. */
function unknownText(name: string, { unlisted, find }: JudgeContext): string | null {
  const absent = absentServerText(name, unlisted);
  if (absent !== null || find === null) return absent;
  return `There is no tool ${JSON.stringify(name)}. Call ${findToolsName} to look for one.`;
}

/**
 * Returns why a call cannot run, as a sentence for the model, or the tool that it calls. The one rule for chats and
 * programs. `misfit` returns what is wrong with arguments that are a JSON object; null: they fit.
 */
export function judgeCall<Known extends Tool>(
  call: ProposedCall,
  tools: ReadonlyMap<string, Known>,
  misfit: (tool: Known) => string | null,
):
  | { readonly type: "mistake"; readonly text: string }
  | { readonly type: "fits"; readonly tool: Known } {
  if (call.unreadable !== undefined) return { type: "mistake", text: call.unreadable };
  const tool = tools.get(call.name);
  if (tool === undefined) {
    return { type: "mistake", text: unknownToolText(call.name, [...tools.keys()]) };
  }
  if (readObject(call.arguments) === null) {
    const why =
      parseJson(call.arguments) === undefined ? ` (${syntaxMistake(call.arguments)})` : "";
    const text = `The arguments of ${tool.name} are not a JSON object${why}, so the tool was not run. Send them again as one complete JSON object.`;
    return { type: "mistake", text };
  }
  const number = inexactNumber(call.arguments);
  if (number !== null) {
    const text = `The number ${ellipsize(number, 60)} in the arguments of ${tool.name} cannot be kept with all of its digits, so the tool was not run. Send it as a text in quotes where the tool takes one.`;
    return { type: "mistake", text };
  }
  const text = misfit(tool);
  return text === null ? { type: "fits", tool } : { type: "mistake", text };
}

function failed(text: string): Omit<JudgedCall, "call"> {
  return { decision: null, result: { status: "error", text } };
}

/** Null when the text is not one complete JSON object. */
function readObject(text: string): object | null {
  const value = parseJson(text);
  return isObject(value) ? value : null;
}

/**
 * Keeps ids as they were sent, even equal ones; only an empty id is replaced, since a result names its call by its id.
 */
function withIds(calls: readonly ProposedCall[], transcript: Transcript): readonly ProposedCall[] {
  if (calls.every(({ id }) => id !== "")) return calls;
  const taken = new Set(calls.map(({ id }) => id));
  for (const block of transcript.exchanges.flatMap(({ answer }) => answer?.steps ?? [])) {
    for (const { call } of block.calls) if (call !== null) taken.add(call.id);
  }
  let number = 0;
  return calls.map((call) => {
    if (call.id !== "") return call;
    do number += 1;
    while (taken.has(`call_${number}`));
    return { ...call, id: `call_${number}` };
  });
}

/** The same key for a call as the model made it and for the call in the text. */
export function waitingKey({ id, name, arguments: json }: ToolCall): string {
  return JSON.stringify([id, name, json]);
}

interface AskedAgain {
  /** Calls that were repeated too often in one turn, by `waitingKey`. */
  readonly repeated: ReadonlySet<string>;
  /** Tools that were remembered until another program changed the chat. */
  readonly forgotten: ReadonlySet<string>;
}

/** Why a call is asked about again, in a few words; null: for neither of these reasons. */
export function askedAgainText(
  call: ToolCall | null,
  { repeated, forgotten }: AskedAgain,
): string | null {
  if (call === null) return null;
  if (repeated.has(waitingKey(call)))
    return "asked, because it was repeated again and again in this turn";
  if (!forgotten.has(call.name)) return null;
  return "asked again, because another program changed this chat";
}
