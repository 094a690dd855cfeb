/** The options of a turn of the library, the events while it runs, and its result. */
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

/** An approval, a denial, or a denial with a reason that the model gets to read. */
export type ApprovalAnswer = boolean | { readonly deny: string };

/** A text is a message of the user. */
export type MessageInput = string | Message;

/** Settings that may differ from step to step. */
export interface StepSettings {
  /** `provider/id`, or a model that is already open. */
  readonly model?: string | Model;
  readonly system?: string;
  /** The names of the offered tools, all when absent; a call of another tool is answered as one of an unknown tool. */
  readonly activeTools?: readonly string[];
  /** `required` and a named tool apply to the first request of a turn; later ones use `auto`. */
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
  /** Tools that the vendor itself runs (`web_search`). */
  readonly serverTools?: readonly string[];
  /** The same for all requests of one conversation; sent to vendors that cache prompts by a key. */
  readonly cacheKey?: string;
}

/** One request with the results of its calls. */
export interface Step<All extends Tools = Tools> {
  /** One-based. */
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
  /** A call is being written; `json` is its arguments so far. */
  | { readonly type: "call-input"; readonly name: string; readonly json: string }
  /** A call that could run, before `approve` is called. */
  | { readonly type: "call"; readonly call: CallOf<All> }
  /** Progress that a running tool reports. */
  | { readonly type: "progress"; readonly call: CallOf<All>; readonly text: string }
  | { readonly type: "result"; readonly result: ResultOf<All> }
  /** A request that failed before any response is sent again in `waitMs`. */
  | { readonly type: "retry"; readonly failure: Failure; readonly waitMs: number }
  /** A setting that the model does not take, and that was not sent. */
  | { readonly type: "notice"; readonly message: string }
  /** For one request; `cost` in US dollars, null where the price is not known. */
  | { readonly type: "usage"; readonly usage: Usage; readonly cost: number | null }
  | { readonly type: "step"; readonly step: Step<All> };

export interface TurnOptions<All extends Tools = Tools, Output = unknown> extends StepSettings {
  readonly model: string | Model;
  /** The history, with the question last; none when a turn is continued `from` its waiting state. */
  readonly messages?: readonly MessageInput[];
  readonly tools: All;
  /** A turn that ended as `waiting`, to be continued: its calls are decided by `decisions`, else by `approve`. */
  readonly from?: WaitingTurn;
  /** By the `key` of the waiting call. */
  readonly decisions?: Readonly<Record<string, ApprovalAnswer>>;
  /**
   * Called for each call that could run, one after the other, before any call of a response runs. `wait` ends the turn
   * as `waiting`; without `approve` every call waits.
   */
  approve?(
    call: CallOf<All>,
    context: { readonly tool: TypedTool },
  ): ApprovalAnswer | "wait" | Promise<ApprovalAnswer | "wait">;
  /** Requests the answer as a value of this schema, given through a separate tool; `output` of the result. */
  readonly output?: StandardInput<Output>;
  /** The most requests to the model in this turn; 25 when absent. */
  readonly maxSteps?: number;
  /** Called after each step with calls: true ends the turn there, as `condition`. */
  stopWhen?(step: Step<All>, steps: readonly Step<All>[]): boolean | Promise<boolean>;
  /** Called before each request: returns the settings that differ in it. */
  prepareStep?(context: {
    readonly number: number;
    readonly messages: readonly Message[];
  }): StepSettings | undefined | Promise<StepSettings | undefined>;
  /** Ends the turn as `stopped`, and the calls that are running. */
  readonly signal?: AbortSignal;
  /** Milliseconds that a call may take without reporting progress; 60 seconds when absent. */
  readonly toolTimeoutMs?: number;
  onEvent?(event: TurnEvent<All>): void;
  onStep?(step: Step<All>): void | Promise<void>;
  /** Receives text as it comes. */
  onText?(text: string): void;
  /** Receives the progress that a running tool reports. */
  onProgress?(call: CallOf<All>, text: string): void;
  /** Receives the stacks of tools that throw; the model gets only their message. */
  log?(text: string): void;
}

/** A call of a waiting turn. Plain JSON. */
export interface WaitingCall {
  /** Identifies the call within the turn; decisions refer to it. */
  readonly key: string;
  readonly call: ProposedCall;
  /** The decision made so far; null: the call waits. */
  readonly decision: ApprovalAnswer | null;
  /** For a call that cannot run. */
  readonly result: ToolResultPart | null;
}

/**
 * A turn whose calls wait for a decision, as a plain value: JSON keeps all of it, and another process can continue it.
 * Anyone who can write it can approve calls with it, so keep it where your own data is.
 */
export interface WaitingTurn {
  readonly version: 1;
  /** The last message is the response with the calls. */
  readonly messages: readonly Message[];
  readonly calls: readonly WaitingCall[];
  /** Requests so far. */
  readonly steps: number;
  readonly usage: Usage;
  readonly cost: number | null;
}

export interface TurnResult<All extends Tools = Tools, Output = unknown> {
  /** All messages: those given, then every response with the results of its calls. They can be sent as they are. */
  readonly messages: readonly Message[];
  /**
   * `done`: the model ended, for the reason in `last.finish`. `waiting`: calls wait for decisions, in `waiting`.
   * `pending`: calls of tools without a `run` wait for their results, in `pending`. `max-steps`: the last results were
   * not sent, because of `maxSteps`, or since no call could run and the model did not correct that in three more
   * responses. `condition`: `stopWhen` returned true. `failed`, `stopped`: the last response is not in `messages`.
   */
  readonly end: "done" | "waiting" | "pending" | "max-steps" | "condition" | "failed" | "stopped";
  /** The answer as a value, if `output` requested one; null when the model gave none. */
  readonly output: Output | null;
  /** The last response, complete or not; null when a continued turn ended before one. */
  readonly last: StepResult | null;
  /** The text of the last response. */
  readonly text: string;
  readonly finish: FinishReason | null;
  readonly failure: Failure | null;
  readonly waiting: WaitingTurn | null;
  /** Calls that wait for results, with `pending`. */
  readonly pending: readonly CallOf<All>[];
  /** For this call of `runTurn`, without the steps before a turn was continued. */
  readonly steps: readonly Step<All>[];
  /** For all requests together. */
  readonly usage: Usage;
  /** In US dollars; null where the price of one of the requests is not known. */
  readonly cost: number | null;
}
