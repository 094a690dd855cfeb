/** Answers the calls of one response in a program: all are judged and approved before any of them runs. */
import { judgeCall } from "../conversation/decide/judge-calls.ts";
import type { ToolHost, ToolOutput, ToolResultPart } from "../conversation/ports.ts";
import type { ProposedCall } from "../conversation/proposed-call.ts";
import { failedOutput, notExecutedText } from "../conversation/results.ts";
import { runCall } from "../conversation/turn/run-call.ts";
import { unlessAborted } from "../shared/abort.ts";
import { objectOf, ownValue, textOf } from "../shared/json.ts";
import { mismatchText } from "../tools/tool-errors.ts";
import { outputResult } from "../tools/tool-output.ts";
import { parseArguments, type TypedTool } from "../tools/typed-tool.ts";
import { declinedText, withReason } from "../transcript/edits/call-edits.ts";
import type { ToolCall } from "../transcript/transcript.ts";
import type { ApprovalAnswer, TurnEvent, WaitingCall } from "./turn-options.ts";
import type { Call, CallOutcome } from "./typed-calls.ts";

/** What is needed to answer calls. */
export interface CallWork {
  readonly tools: readonly TypedTool[];
  readonly host: ToolHost;
  /** What the tool of a call returned. */
  readonly values: WeakMap<ToolCall, unknown>;
  readonly signal: AbortSignal;
  readonly approve: (call: Call, tool: TypedTool) => Promise<ApprovalAnswer | "wait">;
  readonly emit: (event: TurnEvent) => void;
  readonly log: (text: string) => void;
}

export type Answered =
  | { readonly type: "waiting"; readonly calls: readonly WaitingCall[] }
  | {
      readonly type: "answered";
      readonly parts: readonly ToolResultPart[];
      readonly results: readonly CallOutcome[];
      /** Approved calls of tools that the caller runs. */
      readonly pending: readonly Call[];
      /** For each call, whether it could have run. */
      readonly judged: readonly { readonly couldRun: boolean }[];
    };

/** A call with its decision, or with its result if it cannot run. */
type Judged =
  | {
      readonly type: "fits";
      readonly call: Call;
      readonly tool: TypedTool;
      readonly decision: ApprovalAnswer | "wait" | "stopped";
    }
  | { readonly type: "result"; readonly output: ToolOutput };

export async function answerCalls(
  work: CallWork,
  calls: readonly ProposedCall[],
): Promise<Answered> {
  const waiting = withKeys(calls).map(({ key, call }) => ({
    key,
    call,
    decision: null,
    result: null,
  }));
  return answerWaiting(work, waiting, {});
}

/** Gives each call a unique key. Ids come from the model: two calls may share one, and one may equal another's key. */
export function withKeys<Proposed extends { readonly id: string }>(
  calls: readonly Proposed[],
): readonly { readonly key: string; readonly call: Proposed }[] {
  const ids = new Set(calls.map(({ id }) => id));
  const count = new Map<string, number>();
  return calls.map((call) => {
    const { id } = call;
    let number = (count.get(id) ?? 0) + 1;
    while (number > 1 && ids.has(`${id}#${number}`)) number += 1;
    count.set(id, number);
    return { key: number === 1 ? id : `${id}#${number}`, call };
  });
}

/** Continues with calls that waited; those without a decision are put to `approve`, or wait again. */
export async function answerWaiting(
  work: CallWork,
  waiting: readonly WaitingCall[],
  decisions: Readonly<Record<string, ApprovalAnswer>>,
): Promise<Answered> {
  const judged: Judged[] = [];
  // Asks one question at a time, and all of them before anything runs.
  for (const one of waiting) {
    const own = ownValue(decisions, one.key);
    judged.push(await judge(work, one.call, own ?? one.decision));
  }
  if (judged.some((one) => one.type === "fits" && one.decision === "wait")) {
    return { type: "waiting", calls: waiting.map((one, at) => stillWaiting(one, judged[at])) };
  }
  const isPending = (one: Judged | undefined) =>
    one?.type === "fits" && one.decision === true && one.tool.run === undefined;
  const ended = await Promise.all(
    waiting.map(async ({ call }, at) => {
      const one = judged[at];
      if (one === undefined || isPending(one)) return null;
      const output = one.type === "result" ? one.output : await carryOut(work, call, one);
      const part = outputResult(call, output);
      const { id, name } = call;
      const args = one.type === "fits" ? one.call.arguments : undefined;
      const { status } = output;
      const result: CallOutcome = {
        ...{ id, name, arguments: args, content: part.content },
        ...(status === "ok"
          ? { status, isError: false, value: work.values.get(call) }
          : { status, isError: true, value: undefined }),
      };
      work.emit({ type: "result", result });
      return { part, result };
    }),
  );
  const done = ended.filter((one) => one !== null);
  return {
    type: "answered",
    parts: done.map(({ part }) => part),
    results: done.map(({ result }) => result),
    judged: judged.map(({ type }) => ({ couldRun: type === "fits" })),
    pending: judged.flatMap((one) => (one.type === "fits" && isPending(one) ? [one.call] : [])),
  };
}

function stillWaiting(one: WaitingCall, judged: Judged | undefined): WaitingCall {
  if (judged?.type === "result") {
    return { ...one, result: outputResult(one.call, judged.output) };
  }
  const decision = judged?.decision;
  return { ...one, decision: decision === undefined || isNone(decision) ? null : decision };
}

function isNone(decision: ApprovalAnswer | "wait" | "stopped"): decision is "wait" | "stopped" {
  return decision === "wait" || decision === "stopped";
}

/** Judges a stored call again: it runs with arguments that are valid now, or not at all. */
async function judge(
  work: CallWork,
  proposed: ProposedCall,
  decided: ApprovalAnswer | null,
): Promise<Judged> {
  const known = new Map(work.tools.map((tool) => [tool.name, tool]));
  const read = await readArguments(known.get(proposed.name), proposed, work.log);
  const found = judgeCall(proposed, known, () => read.misfit);
  if (found.type === "mistake") return mistake(found.text);
  const { tool } = found;
  const { args } = read;
  const { id, name, arguments: json, notes = [] } = proposed;
  const call: Call = { id, name, arguments: args, json, notes };
  if (work.signal.aborted) return { type: "fits", call, tool, decision: "stopped" };
  if (decided !== null) return { type: "fits", call, tool, decision: decided };
  work.emit({ type: "call", call: call as never });
  const answered = await unlessAborted(work.approve(call, tool), work.signal);
  return { type: "fits", call, tool, decision: answered ?? "stopped" };
}

async function readArguments(
  tool: TypedTool | undefined,
  { id, name, arguments: json }: ProposedCall,
  log: (text: string) => void,
): Promise<{ readonly args: unknown; readonly misfit: string | null }> {
  if (tool === undefined) return { args: null, misfit: null };
  try {
    return { args: await parseArguments(tool, { id, name, arguments: json }), misfit: null };
  } catch (error) {
    return { args: null, misfit: mismatchText(name, error, log) };
  }
}

function mistake(text: string): Judged {
  return { type: "result", output: failedOutput(text) };
}

async function carryOut(
  { host, signal, emit }: CallWork,
  proposed: ProposedCall,
  { call, decision }: Extract<Judged, { type: "fits" }>,
): Promise<ToolOutput> {
  if (decision === "stopped" || decision === "wait") {
    return { status: "cancelled", text: notExecutedText, media: [] };
  }
  if (decision === true) {
    const progress = (text: string) => emit({ type: "progress", call: call as never, text });
    // A separate signal for each call: Node warns about more than ten listeners on one signal.
    const own = AbortSignal.any([signal]);
    return runCall(() => host.run(proposed, { signal: own, progress }), own);
  }
  // Without a type checker, any value that is not plainly `true` ends up here.
  const text = withReason(declinedText, textOf(objectOf(decision).deny));
  return { status: "declined", text, media: [] };
}
