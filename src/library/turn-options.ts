/** What a turn of the library is given, tells while it runs, and gives back. */
import type {
  Failure,
  FinishReason,
  Message,
  ReasoningEffort,
  ToolChoice,
  ToolResultPart,
  Usage,
} from "../conversation/ports.ts";
import type { ProposedCall, ToolProtocol } from "../conversation/proposed-call.ts";
import type { StandardInput } from "../tools/standard-schema.ts";
import type { TypedTool } from "../tools/typed-tool.ts";
import type { Model } from "./open-model.ts";
import type { StepResult } from "./stream-text.ts";
import type { CallOf, ResultOf, Tools } from "./typed-calls.ts";

/** A yes, a no, or a no with a reason that the model gets to read. */
export type ApprovalAnswer = boolean | { readonly deny: string };

/** A text is a message of the user. */
export type MessageInput = string | Message;

/** What may be another in each step. */
export interface StepSettings {
  /** `provider/id`, or a model that was opened before. */
  readonly model?: string | Model;
  readonly system?: string;
  /** The names of the tools that are offered, all when absent; a call of another one is answered as one of no tool. */
  readonly activeTools?: readonly string[];
  /** `required` and a named tool hold for the first request of a turn; those after it use `auto`. */
  readonly toolChoice?: ToolChoice;
  readonly parallelToolCalls?: boolean;
  /** How calls are written, by the API or as text; `auto` when absent. */
  readonly toolProtocol?: ToolProtocol;
  /** In tokens, of each response. */
  readonly maxOutputTokens?: number;
  /** How much the model thinks before it answers. */
  readonly effort?: ReasoningEffort;
  readonly temperature?: number;
  readonly topP?: number;
  /** Tools that the vendor runs itself (`web_search`). */
  readonly serverTools?: readonly string[];
  /** The same for all requests of one conversation: vendors that cache prompts by a key get it. */
  readonly cacheKey?: string;
}

/** One request with what became of its calls. */
export interface Step<All extends Tools = Tools> {
  /** From 1. */
  readonly number: number;
  readonly response: StepResult;
  /** In the order of the calls; none while calls wait. */
  readonly results: readonly ResultOf<All>[];
  /** In US dollars; null where the price is not known. */
  readonly cost: number | null;
}

export type TurnEvent<All extends Tools = Tools> =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thought"; readonly text: string }
  /** A call is being written; `json` is what is there of its arguments. */
  | { readonly type: "call-input"; readonly name: string; readonly json: string }
  /** A call that could run, before `approve` is asked. */
  | { readonly type: "call"; readonly call: CallOf<All> }
  /** What a running tool says of itself. */
  | { readonly type: "progress"; readonly call: CallOf<All>; readonly text: string }
  | { readonly type: "result"; readonly result: ResultOf<All> }
  /** A request that failed with nothing sent back goes out again in `waitMs`. */
  | { readonly type: "retry"; readonly failure: Failure; readonly waitMs: number }
  /** What a model does not take, and was not sent. */
  | { readonly type: "notice"; readonly message: string }
  /** Of one request; `cost` in US dollars, null where the price is not known. */
  | { readonly type: "usage"; readonly usage: Usage; readonly cost: number | null }
  | { readonly type: "step"; readonly step: Step<All> };

export interface TurnOptions<All extends Tools = Tools, Output = unknown> extends StepSettings {
  readonly model: string | Model;
  /** The history, with the question last; none where a turn goes on `from` its waiting state. */
  readonly messages?: readonly MessageInput[];
  readonly tools: All;
  /** A turn that ended as `waiting`, to go on with: its calls are decided by `decisions`, else by `approve`. */
  readonly from?: WaitingTurn;
  /** By the `key` of the waiting call. */
  readonly decisions?: Readonly<Record<string, ApprovalAnswer>>;
  /**
   * Asked for each call that could run, one after the other, before any of a response runs. `wait` ends the turn as
   * `waiting`; without `approve` every call waits.
   */
  approve?(
    call: CallOf<All>,
    context: { readonly tool: TypedTool },
  ): ApprovalAnswer | "wait" | Promise<ApprovalAnswer | "wait">;
  /** The answer as a value of this schema, given by a tool of its own; `output` of the result. */
  readonly output?: StandardInput<Output>;
  /** Requests to the model in this turn; 25 when absent. */
  readonly maxSteps?: number;
  /** After each step with calls: true ends the turn there, as `condition`. */
  stopWhen?(step: Step<All>, steps: readonly Step<All>[]): boolean | Promise<boolean>;
  /** Before each request: what is another in it. */
  prepareStep?(context: {
    readonly number: number;
    readonly messages: readonly Message[];
  }): StepSettings | undefined | Promise<StepSettings | undefined>;
  /** Ends the turn as `stopped`, and the calls that run. */
  readonly signal?: AbortSignal;
  /** Milliseconds that a call may take without a word of progress; 60 seconds when absent. */
  readonly toolTimeoutMs?: number;
  onEvent?(event: TurnEvent<All>): void;
  onStep?(step: Step<All>): void | Promise<void>;
  /** Text as it comes. */
  onText?(text: string): void;
  /** What a running tool says of itself. */
  onProgress?(call: CallOf<All>, text: string): void;
  /** Gets the stacks of tools that throw; the model gets their message alone. */
  log?(text: string): void;
}

/** A call of a waiting turn. Plain JSON. */
export interface WaitingCall {
  /** Tells the calls of the turn apart; decisions name it. */
  readonly key: string;
  readonly call: ProposedCall;
  /** What was decided already; null: it waits. */
  readonly decision: ApprovalAnswer | null;
  /** Of a call that cannot run. */
  readonly result: ToolResultPart | null;
}

/**
 * A turn whose calls wait for a person, as a plain value: JSON keeps all of it, and another process goes on with it.
 * Whoever may write it may approve by it, so keep it where your own data is.
 */
export interface WaitingTurn {
  readonly version: 1;
  /** The last is the response with the calls. */
  readonly messages: readonly Message[];
  readonly calls: readonly WaitingCall[];
  /** Requests so far. */
  readonly steps: number;
  readonly usage: Usage;
  readonly cost: number | null;
}

export interface TurnResult<All extends Tools = Tools, Output = unknown> {
  /** All messages: those given, then every response with the results of its calls. Can be sent as they are. */
  readonly messages: readonly Message[];
  /**
   * `done`: the model ended, why is in `last.finish`. `waiting`: calls wait for decisions, in `waiting`. `pending`:
   * calls of tools without a `run` wait for their results, in `pending`. `max-steps`: the last results were not sent,
   * because of `maxSteps`, or since none of the calls could run, and the model did not correct them in three more responses.
   * `condition`: `stopWhen` said so. `failed`, `stopped`: the last response is not in `messages`.
   */
  readonly end: "done" | "waiting" | "pending" | "max-steps" | "condition" | "failed" | "stopped";
  /** The answer as a value, where `output` asked for one; null when the model gave none. */
  readonly output: Output | null;
  /** The last response, whole or not; null when a turn went on and ended before one. */
  readonly last: StepResult | null;
  /** Of the last response. */
  readonly text: string;
  readonly finish: FinishReason | null;
  readonly failure: Failure | null;
  readonly waiting: WaitingTurn | null;
  /** Calls that wait for results, with `pending`. */
  readonly pending: readonly CallOf<All>[];
  /** Of this call of `runTurn`, without those before a turn went on. */
  readonly steps: readonly Step<All>[];
  /** Of all requests together. */
  readonly usage: Usage;
  /** In US dollars; null where the price of one of the requests is not known. */
  readonly cost: number | null;
}
