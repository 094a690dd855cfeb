/** The agent loop for programs without a chat: request, get the calls approved, run them, request again. */
import { invalidAnswersAfter, isBeyondCorrection } from "../conversation/decide/judge-calls.ts";
import type { Failure, Message, StreamPart } from "../conversation/ports.ts";
import { toolChoiceOfRequest } from "../conversation/settings/tool-choice.ts";
import { addRequest, nothingUsed, type UsageTotal, unknownFacts } from "../conversation/usage.ts";
import { given } from "../shared/given.ts";
import { isObject, objectOf } from "../shared/json.ts";
import { defineTool } from "../tools/define-tool.ts";
import { createTypedToolHost } from "../tools/typed-host.ts";
import type { TypedTool } from "../tools/typed-tool.ts";
import type { ToolCall } from "../transcript/transcript.ts";
import { type Answered, answerCalls, answerWaiting, type CallWork } from "./answer-calls.ts";
import { checkMessages, checkTools } from "./check-input.ts";
import { modelFactsOf } from "./model-facts.ts";
import { openModel } from "./open-model.ts";
import { type StepResult, streamText, toAssistantMessage } from "./stream-text.ts";
import type {
  MessageInput,
  Step,
  StepSettings,
  TurnEvent,
  TurnOptions,
  TurnResult,
  WaitingTurn,
} from "./turn-options.ts";
import type { CallOf, Tools } from "./typed-calls.ts";

const defaultMaxSteps = 25;

/** The tool with which the model gives a structured answer. */
const answerToolName = "give_answer";

/** The state of a running turn. */
interface Turn<All extends Tools, Output> {
  readonly options: TurnOptions<All, Output>;
  readonly tools: readonly TypedTool[];
  readonly work: CallWork;
  readonly messages: Message[];
  readonly steps: Step<All>[];
  readonly answer: { value: Output | null };
  emit(event: TurnEvent<All>): void;
  used: UsageTotal;
  /** Notices that were already reported. */
  readonly reported: Set<string>;
  /** Requests so far, including those before the turn was continued. */
  requests: number;
  /** Responses in a row in which no call could run. */
  invalidAnswers: number;
  /** Whether the model was reminded to give its answer as a value. */
  isReminded: boolean;
}

type End<All extends Tools> = Pick<TurnResult<All>, "end"> &
  Partial<Pick<TurnResult<All>, "last" | "failure" | "pending" | "waiting">>;

/**
 * Runs a turn to its end. No tool runs without an approval by `approve` or `decisions`; a call that cannot run (unknown
 * tool, invalid arguments) is answered with an error that the model can learn from, and the others continue. Throws
 * only for tools that share a name, options and messages of another form, an invalid `from`, and errors of the
 * functions in the options.
 */
export async function runTurn<const All extends Tools, Output = never>(
  options: TurnOptions<All, Output>,
): Promise<TurnResult<All, Output>> {
  const turn = beginTurn(options);
  const ended = await loop(turn);
  return {
    last: null,
    failure: null,
    pending: [],
    waiting: null,
    ...ended,
    finish: ended.last?.finish ?? null,
    text: ended.last?.text ?? "",
    messages: turn.messages,
    output: turn.answer.value,
    steps: turn.steps,
    usage: turn.used.usage,
    cost: turn.used.cost,
  };
}

function beginTurn<All extends Tools, Output>(
  options: TurnOptions<All, Output>,
): Turn<All, Output> {
  const { from, messages = [], log = () => {}, toolTimeoutMs } = options;
  checkMessages(messages, { orTexts: true });
  checkTools(options.tools);
  checkWaiting(from, messages);
  checkLimits(options);
  const answer: { value: Output | null } = { value: null };
  const tools: readonly TypedTool[] = [...options.tools, ...answerTool(options, answer)];
  const values = new WeakMap<ToolCall, unknown>();
  const gave = (call: ToolCall, value: unknown) => void values.set(call, value);
  const emit = (event: TurnEvent<All>) => {
    if (event.type === "text") options.onText?.(event.text);
    if (event.type === "progress") options.onProgress?.(event.call, event.text);
    options.onEvent?.(event);
  };
  return {
    options,
    tools,
    messages: [...(from?.messages ?? []), ...messages.map(toMessage)],
    steps: [],
    answer,
    emit,
    used:
      from === undefined
        ? nothingUsed
        : { usage: from.usage, cost: from.cost, requests: from.steps },
    requests: from?.steps ?? 0,
    invalidAnswers: 0,
    isReminded: false,
    reported: new Set(),
    work: {
      tools,
      host: createTypedToolHost(tools, { gave, log, ...given({ timeoutMs: toolTimeoutMs }) }),
      values,
      log,
      signal: options.signal ?? new AbortController().signal,
      // Giving the answer changes nothing, so it needs no approval.
      approve: async (call, tool) => {
        if (tool.name === answerToolName && options.output !== undefined) return true;
        return (await options.approve?.(call as CallOf<All>, { tool })) ?? "wait";
      },
      emit: (event) => emit(event as TurnEvent<All>),
    },
  };
}

/** Checks a stored turn, which may come from another version or be incomplete. */
function checkWaiting(from: WaitingTurn | undefined, messages: readonly MessageInput[]): void {
  if (from === undefined) return;
  if (!isWaitingTurn(from)) {
    throw new TypeError("from is not a waiting turn, or one of another version.");
  }
  if (messages.length > 0) {
    throw new TypeError(
      "A turn that goes on from its waiting calls takes no messages: they would come before the results.",
    );
  }
}

function isWaitingTurn(stored: unknown): boolean {
  const { version, messages, calls, steps, usage } = objectOf(stored);
  return (
    version === 1 &&
    Array.isArray(messages) &&
    Array.isArray(calls) &&
    calls.every(isWaitingCall) &&
    Number.isInteger(steps) &&
    isObject(usage)
  );
}

function isWaitingCall(stored: unknown): boolean {
  const { key, call } = objectOf(stored);
  const { id, name, arguments: json } = objectOf(call);
  return [key, id, name, json].every((text) => typeof text === "string");
}

/** A value that is not a number, such as an unset variable, would mean no limit, or end every call at once. */
function checkLimits(options: Pick<TurnOptions, "maxSteps" | "toolTimeoutMs">): void {
  const { maxSteps = 1, toolTimeoutMs = 1 } = options;
  if (typeof maxSteps !== "number" || Number.isNaN(maxSteps)) {
    throw new TypeError("maxSteps is not a number.");
  }
  if (typeof toolTimeoutMs !== "number" || !(toolTimeoutMs > 0)) {
    throw new TypeError("toolTimeoutMs is not a number above 0; Infinity is no limit.");
  }
}

export function toMessage(message: MessageInput): Message {
  if (typeof message !== "string") return message;
  return { role: "user", content: [{ type: "text", text: message }] };
}

function answerTool<All extends Tools, Output>(
  { output }: TurnOptions<All, Output>,
  answer: { value: Output | null },
): readonly TypedTool[] {
  if (output === undefined) return [];
  return [
    defineTool({
      name: answerToolName,
      description: "Gives your final answer. Call it once, alone, when you know all of it.",
      input: output,
      run(value) {
        answer.value = value;
        return "This is the answer.";
      },
    }),
  ];
}

async function loop<All extends Tools, Output>(turn: Turn<All, Output>): Promise<End<All>> {
  const { options, messages } = turn;
  const { from } = options;
  if (from !== undefined) {
    const end = await settle(turn, null, () =>
      answerWaiting(turn.work, from.calls, options.decisions ?? {}),
    );
    if (end !== null) return end;
  }
  const maxSteps = Math.max(1, options.maxSteps ?? defaultMaxSteps);
  for (;;) {
    if (turn.work.signal.aborted) return { end: "stopped" };
    if (turn.requests >= maxSteps) return { end: "max-steps", last: lastOf(turn) };
    const { last, failure, cost, offered } = await ask(turn);
    if (failure !== null) {
      return { end: failure.kind === "aborted" ? "stopped" : "failed", failure, last };
    }
    const message = toAssistantMessage(last);
    if (message.content.length > 0 || last.finish === "pause") messages.push(message);
    if (last.calls.length === 0 && last.finish !== "pause") {
      await endStep(turn, { number: turn.requests, response: last, results: [], cost });
      if (remindOfAnswer(turn)) continue;
      return { end: "done", last };
    }
    // A tool that this request did not offer does not exist for it, wherever the model knows it from.
    const work = { ...turn.work, tools: offered };
    const end = await settle(turn, { last, cost }, () => answerCalls(work, last.calls));
    if (end !== null) return end;
    if (isBeyondCorrection(turn.invalidAnswers)) return { end: "max-steps", last };
  }
}

const lastOf = <All extends Tools, Output>({ steps }: Turn<All, Output>) =>
  steps.at(-1)?.response ?? null;

/** Answers the calls of the last message; null when the turn continues. */
async function settle<All extends Tools, Output>(
  turn: Turn<All, Output>,
  response: { readonly last: StepResult; readonly cost: number | null } | null,
  answering: () => Promise<Answered>,
): Promise<End<All> | null> {
  const { messages, options } = turn;
  const answered = await answering();
  const last = response?.last ?? null;
  if (answered.type === "waiting") {
    const { usage, cost } = turn.used;
    const waiting: WaitingTurn = {
      version: 1,
      messages: [...messages],
      calls: answered.calls,
      steps: turn.requests,
      usage,
      cost,
    };
    return { end: "waiting", waiting, last };
  }
  const { parts, results, pending } = answered;
  turn.invalidAnswers = invalidAnswersAfter(turn.invalidAnswers, answered.judged);
  if (parts.length > 0) messages.push({ role: "tool", results: parts });
  if (response !== null) {
    const step = { number: turn.requests, response: response.last, results, cost: response.cost };
    await endStep(turn, step as Step<All>);
  }
  if (pending.length > 0) return { end: "pending", pending: pending as CallOf<All>[], last };
  if (turn.work.signal.aborted) return { end: "stopped", last };
  if (turn.answer.value !== null) return { end: "done", last };
  const step = turn.steps.at(-1);
  if (response === null || step === undefined) return null;
  return (await options.stopWhen?.(step, turn.steps)) === true ? { end: "condition", last } : null;
}

async function endStep<All extends Tools, Output>(
  turn: Turn<All, Output>,
  step: Step<All>,
): Promise<void> {
  turn.steps.push(step);
  turn.emit({ type: "step", step });
  await turn.options.onStep?.(step);
}

const reminder = `Give your final answer by calling ${answerToolName}.`;

/** A model that ended with text only is asked once for the answer as a value. */
function remindOfAnswer<All extends Tools, Output>(turn: Turn<All, Output>): boolean {
  const { options, messages } = turn;
  if (options.output === undefined || turn.isReminded) return false;
  turn.isReminded = true;
  messages.push(toMessage(reminder));
  return true;
}

interface Asked {
  readonly offered: readonly TypedTool[];
  readonly last: StepResult;
  readonly failure: Failure | null;
  readonly cost: number | null;
}

async function ask<All extends Tools, Output>(turn: Turn<All, Output>): Promise<Asked> {
  const { options, messages, work } = turn;
  turn.requests += 1;
  const number = turn.requests;
  const own = await options.prepareStep?.({ number, messages: [...messages] });
  const settings: StepSettings = { ...options, ...own };
  const { toolChoice, activeTools, effort } = settings;
  const model = typeof settings.model === "string" ? openModel(settings.model) : settings.model;
  if (model === undefined) throw new TypeError("A turn needs a model.");
  const isOffered = ({ name }: TypedTool) =>
    activeTools === undefined || name === answerToolName || activeTools.includes(name);
  const offered = turn.tools.filter(isOffered);
  const stream = streamText(
    model,
    {
      // A copy, since the history grows while the request is running.
      messages: [...messages],
      tools: offered,
      ...given({
        system: settings.system,
        toolChoice: toolChoice === undefined ? null : toolChoiceOfRequest(toolChoice, number === 1),
        parallelToolCalls: settings.parallelToolCalls,
        toolProtocol: settings.toolProtocol,
        maxOutputTokens: settings.maxOutputTokens,
        reasoningEffort: effort,
        sampling: given({ temperature: settings.temperature, top_p: settings.topP }),
        serverTools: settings.serverTools,
        cacheKey: settings.cacheKey,
      }),
    },
    { signal: work.signal },
  );
  for await (const part of stream) {
    const event = eventOf(part);
    if (event === null || isRepeatedEvent(turn, event)) continue;
    turn.emit(event);
  }
  const last = await stream.result();
  const before = turn.used;
  const facts = last.usage === null ? unknownFacts : await modelFactsOf(model.name);
  if (last.usage !== null) turn.used = addRequest(before, last.usage, facts);
  const cost = last.usage === null ? null : addRequest(nothingUsed, last.usage, facts).cost;
  if (last.usage !== null) turn.emit({ type: "usage", usage: last.usage, cost });
  return { last, failure: last.failure, cost, offered };
}

/** Every request of a turn makes the same notices, so each is reported once. */
function isRepeatedEvent(
  { reported }: { readonly reported: Set<string> },
  event: PlainEvent,
): boolean {
  if (event.type !== "notice") return false;
  const isAgain = reported.has(event.message);
  reported.add(event.message);
  return isAgain;
}

type PlainEvent = Exclude<TurnEvent, { type: "call" | "progress" | "result" | "step" }>;

function eventOf(part: StreamPart): PlainEvent | null {
  switch (part.type) {
    case "text-delta":
      return { type: "text", text: part.text };
    case "reasoning-delta":
      return { type: "thought", text: part.text };
    case "tool-input":
      return { type: "call-input", name: part.name, json: part.arguments };
    case "notice":
      return { type: "notice", message: part.message };
    case "retry":
      return { type: "retry", failure: part.failure, waitMs: part.waitMs };
    case "tool-call":
    case "usage":
    case "finish":
    case "error":
      return null;
  }
}
