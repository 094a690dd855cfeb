/** The loop of an agent for programs without a chat: ask, have the calls approved, run them, ask again. */

import { corrections } from "../conversation/decide/judge-calls.ts";
import type { Failure, Message, ToolChoice, ToolResultPart, Usage } from "../conversation/ports.ts";
import type { ProposedCall, ToolProtocol } from "../conversation/proposed-call.ts";
import { declinedText, notExecutedText } from "../conversation/results.ts";
import { choiceOfRequest } from "../conversation/settings/model-name.ts";
import { addUsage } from "../conversation/usage.ts";
import { unlessAborted } from "../shared/abort.ts";
import { given } from "../shared/given.ts";
import { outputResult, toolErrorResult } from "../tools/tool-output.ts";
import { createTypedToolHost } from "../tools/typed-host.ts";
import { parseArguments, type TypedTool } from "../tools/typed-tool.ts";
import type { ToolCall } from "../transcript/transcript.ts";
import type { Model } from "./open-model.ts";
import { type StepResult, streamText, toAssistantMessage } from "./stream-text.ts";

/** A yes, a no, or a no with a reason that the model gets to read. */
export type ApprovalAnswer = boolean | { readonly deny: string };

export interface TurnOptions {
  /** `provider/id`, or a model that was opened before. */
  readonly model: string | Model;
  readonly system?: string;
  /** The history, with the question last. */
  readonly messages: readonly Message[];
  readonly tools: readonly TypedTool[];
  /**
   * Asked for each call that could run, one after the other, before any of a response runs. A call with `notes` was
   * read from text that may not have been meant as it reads.
   */
  approve(
    call: ProposedCall,
    context: { readonly tool: TypedTool; readonly args: unknown },
  ): ApprovalAnswer | Promise<ApprovalAnswer>;
  /** Requests to the model in this turn; 25 when absent. */
  readonly maxSteps?: number;
  /** `required` and a named tool hold for the first request; those after it use `auto`. */
  readonly toolChoice?: ToolChoice;
  readonly parallelToolCalls?: boolean;
  /** How calls are written, by the API or as text; `auto` when absent. */
  readonly toolProtocol?: ToolProtocol;
  readonly maxOutputTokens?: number;
  readonly signal?: AbortSignal;
  /** Milliseconds that a call may take without a word of progress; 60 seconds when absent. */
  readonly toolTimeoutMs?: number;
  /** Text as it comes. */
  onText?(text: string): void;
  /** What a running tool says of itself. */
  onProgress?(call: ToolCall, text: string): void;
  /** Gets the stacks of tools that throw; the model gets their message alone. */
  log?(text: string): void;
}

export interface TurnResult {
  /** All messages: those given, then every response with the results of its calls. Can be sent as they are. */
  readonly messages: readonly Message[];
  /**
   * `done`: the model ended, why is in `last.finish`. `pending`: calls of tools without a `run` wait for the caller; they have no result yet.
   * `max-steps`: the last results were not sent, because of `maxSteps` or as the model wrote calls that cannot be
   * read, and did not mend them in three more responses. `failed`, `stopped`: the last response is not in `messages`.
   */
  readonly end: "done" | "pending" | "max-steps" | "failed" | "stopped";
  /** The last response, whole or not. */
  readonly last: StepResult;
  readonly failure: Failure | null;
  /** Calls that wait, with `pending`. */
  readonly pending: readonly ToolCall[];
  /** Of all requests together. */
  readonly usage: Usage;
}

const defaultMaxSteps = 25;

/**
 * Runs a turn to its end. No tool runs without a yes of `approve`; a call that cannot run (no such tool, arguments
 * that do not fit) is answered with an error the model can learn from, and the others go on. Throws only for tools
 * that share a name, a model's name that is none, and what `approve` throws.
 */
export async function runTurn(options: TurnOptions): Promise<TurnResult> {
  const { log, toolTimeoutMs } = options;
  const host = createTypedToolHost(options.tools, {
    ...given({ log, timeoutMs: toolTimeoutMs }),
  });
  const messages: Message[] = [...options.messages];
  const maxSteps = Math.max(1, options.maxSteps ?? defaultMaxSteps);
  let usage: Usage = { input: 0, output: 0 };
  let unreadable = 0;
  for (let step = 1; ; step += 1) {
    const last = await ask(options, messages, step === 1);
    if (last.usage !== null) usage = addUsage(usage, last.usage);
    const ended = (
      end: TurnResult["end"],
      rest: Partial<Pick<TurnResult, "failure" | "pending">> = {},
    ): TurnResult => ({ messages, end, last, failure: null, pending: [], usage, ...rest });

    const { failure } = last;
    if (failure !== null) {
      return ended(failure.kind === "aborted" ? "stopped" : "failed", { failure });
    }
    const message = toAssistantMessage(last);
    if (message.content.length > 0 || last.finish === "pause") messages.push(message);
    if (last.calls.length === 0 && last.finish !== "pause") return ended("done");
    const { results, pending } = await answerCalls(options, host, last.calls);
    if (results.length > 0) messages.push({ role: "tool", results });
    if (pending.length > 0) return ended("pending", { pending });
    if (options.signal?.aborted === true) return ended("stopped");
    if (last.calls.some((call) => call.unreadable !== undefined)) unreadable += 1;
    if (step >= maxSteps || unreadable > corrections) return ended("max-steps");
  }
}

async function ask(
  options: TurnOptions,
  messages: readonly Message[],
  isFirst: boolean,
): Promise<StepResult> {
  const { system, toolChoice, parallelToolCalls, toolProtocol, maxOutputTokens, signal, onText } =
    options;
  const choice = toolChoice === undefined ? undefined : choiceOfRequest(toolChoice, isFirst);
  const stream = streamText(
    options.model,
    {
      // The history grows while the request is under way.
      messages: [...messages],
      tools: options.tools,
      ...given({ system, toolChoice: choice, parallelToolCalls, toolProtocol, maxOutputTokens }),
    },
    signal === undefined ? {} : { signal },
  );
  for await (const part of stream) {
    if (part.type === "text-delta") onText?.(part.text);
  }
  return stream.result();
}

/** A call that may run, one that has its answer, or one that the caller runs. */
type Judged = "run" | "pending" | ToolResultPart;

async function answerCalls(
  options: TurnOptions,
  host: ReturnType<typeof createTypedToolHost>,
  calls: readonly ProposedCall[],
): Promise<{ readonly results: readonly ToolResultPart[]; readonly pending: readonly ToolCall[] }> {
  const signal = options.signal ?? new AbortController().signal;
  const judged: Judged[] = [];
  // One question at a time, and all of them before anything runs.
  for (const call of calls) judged.push(await judge(options, call, signal));
  const answered = await Promise.all(
    calls.map(async (call, index): Promise<ToolResultPart | null> => {
      const verdict = judged[index];
      if (verdict === undefined || verdict === "pending") return null;
      if (verdict !== "run") return verdict;
      const progress = (text: string) => options.onProgress?.(call, text);
      return outputResult(call, await host.run(call, { signal, progress }));
    }),
  );
  return {
    results: answered.filter((result) => result !== null),
    pending: calls.filter((_, index) => judged[index] === "pending"),
  };
}

async function judge(
  options: TurnOptions,
  call: ProposedCall,
  signal: AbortSignal,
): Promise<Judged> {
  if (call.unreadable !== undefined) return toolErrorResult(call, call.unreadable);
  const tool = options.tools.find(({ name }) => name === call.name);
  if (tool === undefined) {
    const names = options.tools.map(({ name }) => name).join(", ");
    const known = names === "" ? "No tools are offered." : `The tools are: ${names}.`;
    return toolErrorResult(call, `There is no tool ${JSON.stringify(call.name)}. ${known}`);
  }
  let args: unknown;
  try {
    args = await parseArguments(tool, call);
  } catch (error) {
    return toolErrorResult(call, error);
  }
  if (signal.aborted) return toolErrorResult(call, notExecutedText);
  const asking = Promise.resolve(options.approve(call, { tool, args }));
  const answer = await unlessAborted(asking, signal);
  if (answer === null) return toolErrorResult(call, notExecutedText);
  if (answer === true) return tool.run === undefined ? "pending" : "run";
  const reason = typeof answer === "object" ? `: ${answer.deny}` : "";
  return toolErrorResult(call, `${declinedText}${reason}`);
}
