/**
 * What the conversation room and the rooms after it agree on: messages, models, tools. The editor is in editor.ts.
 * Providers, MCP, the Neovim host and the command line implement the ports; nothing here has a life.
 */

import type { ResultStatus, ToolCall } from "../transcript/transcript.ts";
import type { ProposedCall, ToolProtocol } from "./proposed-call.ts";

/* ---------------------------------------------------------------- messages */

export interface TextPart {
  readonly type: "text";
  readonly text: string;
}

export interface ImagePart {
  readonly type: "image";
  /** For example `image/png`. */
  readonly mime: string;
  /** base64, without a data URL prefix. */
  readonly data: string;
}

export interface ToolCallPart {
  readonly type: "tool-call";
  /** As in the transcript, where two calls may have the same; who sends it makes it unique, and one that the API takes. */
  readonly id: string;
  readonly name: string;
  /** JSON text. Always readable as a JSON object here. */
  readonly arguments: string;
}

export interface ToolResultPart {
  readonly type: "tool-result";
  readonly callId: string;
  readonly name: string;
  readonly isError: boolean;
  /** At least one part; never an empty text. */
  readonly content: readonly (TextPart | ImagePart)[];
}

export interface UserMessage {
  readonly role: "user";
  readonly content: readonly (TextPart | ImagePart)[];
}

export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: readonly (TextPart | ToolCallPart)[];
  /** Opaque data of the provider that made this step; only set when it may be replayed to the model asked. */
  readonly state?: unknown;
  /** The model that made this step: `state` goes back to no other. Absent: to the one that is asked. */
  readonly model?: ModelName;
}

export interface ToolMessage {
  readonly role: "tool";
  /** One per call of the assistant message before it, in call order. */
  readonly results: readonly ToolResultPart[];
}

export type Message = UserMessage | AssistantMessage | ToolMessage;

/* ------------------------------------------------------------------- tools */

export type JsonSchema = { readonly [key: string]: unknown };

/** A tool as offered to a model. */
export interface Tool {
  /** The name on the wire and in the transcript. */
  readonly name: string;
  readonly description: string;
  /** The original JSON Schema of the arguments; providers derive what they need and never change it. */
  readonly inputSchema: JsonSchema;
  /** Configuration key of the MCP server (`mock`), or null for a tool of ours. */
  readonly server: string | null;
  /** The project's file that configures the server: another project's server of the name is another one. */
  readonly serverFile?: string;
  /** The server's own name for it, where that is not the name on the wire. */
  readonly serverTool?: string;
  /** What people call it, in the server's words. */
  readonly title?: string;
  /** What a tool of ours is called together with others in a selection, as tools of a server are by its name. */
  readonly group?: string;
  /** The person's file that defines it, absolute. */
  readonly file?: string;
  /** Its place among the tools that the model has found (`find_tools`): these stand behind all others. */
  readonly loadedAs?: number;
  /** Claims of the server (`readOnlyHint`, …): shown, never trusted. */
  readonly annotations?: Readonly<Record<string, unknown>>;
}

/** How the tools of a server are used, in its own words. */
export interface ServerInstructions {
  readonly server: string;
  /** As `Tool.serverFile`. */
  readonly serverFile?: string;
  readonly text: string;
}

export type ToolChoice = "auto" | "required" | "none" | { readonly tool: string };

export interface Media {
  readonly mime: string;
  /** base64. */
  readonly data: string;
}

/** What came of a call. */
export interface ToolOutput {
  readonly status: ResultStatus;
  readonly text: string;
  /** Media in the result, saved beside the transcript by the one who writes it. */
  readonly media: readonly Media[];
  /** What is for the person alone: shown and kept, never sent. */
  readonly personal?: { readonly text: string; readonly media: readonly Media[] };
}

export interface ToolListing {
  readonly tools: readonly Tool[];
  /** Sentences about what could not be had. */
  readonly notices: readonly string[];
  /** Of servers; absent: there are none. */
  readonly instructions?: readonly ServerInstructions[];
  /** Servers that the selection may mean and whose tools are not among `tools`; absent: there are none. */
  readonly unlisted?: readonly UnlistedServer[];
  /** A server is starting, failed or was stopped, so the next list may be another though nothing says so. */
  readonly isPassing?: boolean;
  /** What carries out calls of the tools of this very list; absent: the host itself. */
  readonly calls?: ToolCalls;
}

/** A server whose tools are not known now. */
export interface UnlistedServer {
  readonly server: string;
  /** What the names of its tools begin with. */
  readonly toolsBegin: string;
  /** `off`: it was not started here yet; `unasked`: it has to be agreed to first; `unusable`: `why` says it. */
  readonly state: "off" | "starting" | "unasked" | "unusable";
  /** A sentence for a person. */
  readonly why: string;
}

/** What carries out calls, by the names of their tools. */
export interface ToolCalls {
  /** Runs one approved call; never throws, a failure is an output with its status. Time-outs are its own matter. */
  run(call: ToolCall, options: RunOptions): Promise<ToolOutput>;
  /** What a call is about, as its tool reads it; null when that cannot be told. Never throws. */
  subject?(call: ToolCall): Promise<CallSubject | null>;
  /** What a call would do after the calls that were planned in `world` before; null: nobody can know. Never throws. */
  plan?(call: ToolCall, world: PlannedWorld): Promise<CallPlan | null>;
}

export interface ToolSource {
  /**
   * The tools this chat offers, by the `tools` selection and the model (`provider/id`); never throws:
   * what could not be had is named in `notices` as sentences.
   */
  list(selection: string | null, model: string, how?: ListOptions): Promise<ToolListing>;
  close(): Promise<void>;
}

/** Carries out calls of what it listed last. */
export interface ToolHost extends ToolSource, ToolCalls {}

/** One path among the arguments of a call, in each form that a rule may name it by. */
export interface CallPath {
  readonly written: string;
  /** Without `.` and `..`; links in it are not followed. */
  readonly absolute: string;
  /** Behind all links, also when nothing is there yet. */
  readonly real: string;
}

/** What rules and memories judge of a call: what the tool will do, not how it was spelled. */
export interface CallSubject {
  /** Parsed, with the defaults filled in. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** By the name of the argument. */
  readonly paths: Readonly<Record<string, CallPath>>;
  /** The real path of the file that it changes; null: it changes none. */
  readonly changes: string | null;
  /** What it runs, as one line of words; absent: it runs no command. */
  readonly command?: string;
}

/** What a call would do: computed before it is decided, and again before it runs. */
export interface CallPlan {
  /** For the person, without control characters; empty where the arguments say all. */
  readonly lines: readonly string[];
  /** The lines say everything that the arguments say. */
  readonly saysAll: boolean;
  /** The same text exactly when the same would be done. */
  readonly hash: string;
  /** Why it would be refused; null: it would be done. */
  readonly refusal: string | null;
  /** It changes texts: it runs after all calls before it, and before all calls after it. */
  readonly changes: boolean;
}

/** Texts by their real paths, as the calls of a batch that were planned so far would leave them. */
export interface PlannedWorld {
  readonly texts: Map<string, string>;
  /** Those that the model would know by then. */
  readonly seen: Set<string>;
}

export interface ListOptions {
  /** True: nothing is started for it; what does not run is listed as it was last, or not at all. */
  readonly asRemembered: boolean;
}

export interface RunOptions {
  readonly signal: AbortSignal;
  /** The hash of the plan that was approved: the run does exactly that, or nothing. Absent or empty: there was none. */
  readonly effect?: string;
  /** Shows what the tool does now; an empty text takes that away. */
  readonly progress: (text: string) => void;
  /** Absent where the call is in no chat, as on the command line. */
  readonly origin?: CallOrigin;
}

/** What a tool may know of the chat that its call is in. */
export interface CallOrigin {
  /** Where the call stands at this moment, as a person finds it: `line 12 of chat.md`. */
  place(): string;
  /** Counts a request to a model that is made for the tool; false: the turn may make no more. */
  spendModelCall(): boolean;
}

/* ------------------------------------------------------------------ models */

/** `openai` and `gpt-5` of `openai/gpt-5`. */
export interface ModelName {
  readonly provider: string;
  readonly id: string;
}

/** How much a model thinks before it answers; what a vendor has no word for is mapped to the nearest it has. */
export const reasoningEfforts = [
  "none",
  "minimal",
  "low",
  "medium",
  "high",
  "xhigh",
  "max",
] as const;
export type ReasoningEffort = (typeof reasoningEfforts)[number];

export interface ModelRequest {
  readonly model: ModelName;
  /** Empty when there is none. */
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  readonly toolChoice?: ToolChoice;
  readonly parallelToolCalls?: boolean;
  /** `auto` when left out. */
  readonly toolProtocol?: ToolProtocol;
  readonly maxOutputTokens?: number;
  readonly reasoningEffort?: ReasoningEffort;
  /** How the model chooses its words: numbers by the vendors' names (`temperature`), those of the table of options. */
  readonly sampling?: Readonly<Record<string, number>>;
  /** Tools that the vendor runs itself, by the names of the vendor table (`web_search`). */
  readonly serverTools?: readonly string[];
  /** The same for all requests of one chat: vendors that cache prompts by a key get it. */
  readonly cacheKey?: string;
}

/** In tokens. `input` includes what was read from and written to a cache. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly reasoning?: number;
  /** What the vendor says that it costs, in US dollars. */
  readonly cost?: number;
}

/** `length`: cut by the output limit; `context`: by the model's window; `pause`: goes on when asked again as it is. */
export type FinishReason =
  | "stop"
  | "length"
  | "context"
  | "tool-calls"
  | "content-filter"
  | "pause";

export type FailureKind =
  | "missing-key"
  | "auth"
  | "rate-limit"
  | "overloaded"
  | "context-overflow"
  | "invalid-request"
  | "not-found"
  | "refused"
  | "network"
  | "idle"
  | "aborted"
  | "bad-stream"
  | "unknown-model"
  /** A mistake of ours, or of the system below us; not the provider's. */
  | "internal"
  | "other";

/** Why a request came to nothing. */
export interface Failure {
  readonly kind: FailureKind;
  /** A sentence or two for a person: what happened, and the next action. Never holds a secret. */
  readonly message: string;
  /**
   * What happened alone, for programs, which have no keys and no header: the beginning of a sentence, without its end.
   * Absent: the kind and `said` tell it.
   */
  readonly happened?: string;
  /** What the vendor said, whole but for keys: for the log, and to learn from. */
  readonly said?: string;
  /** The field of the request that the vendor names. */
  readonly parameter?: string;
  /** Of HTTP; absent where the failure came in the stream, or nothing came. */
  readonly status?: number;
  /** By which the vendor finds the request. */
  readonly requestId?: string;
  /** How long the vendor asks to wait. */
  readonly retryAfterMs?: number;
  /**
   * Set when no answer can have been begun, nor paid for, so that the same request may go out again by itself:
   * what happened, without the next action.
   */
  readonly retryReason?: string;
  /** How often the request went out, when more than once. */
  readonly attempts?: number;
}

/**
 * What a model's stream yields. The last part is always `finish` or `error`; a stream never throws.
 * `tool-call` comes only when the call is complete, in the response's order relative to text.
 */
export type StreamPart =
  | { readonly type: "text-delta"; readonly text: string }
  | { readonly type: "reasoning-delta"; readonly text: string }
  /** A call is being written: what is there of its arguments, and their length in UTF-8. */
  | {
      readonly type: "tool-input";
      readonly name: string;
      readonly bytes: number;
      readonly arguments: string;
    }
  | { readonly type: "tool-call"; readonly call: ProposedCall }
  | { readonly type: "usage"; readonly usage: Usage }
  /** Something to tell the person once, such as a setting that the model does not take; a failure each time. */
  | { readonly type: "notice"; readonly message: string; readonly isFailure?: true }
  /** Attempt number `attempt` of at most `attempts` failed with nothing sent back; the next begins in `waitMs`. */
  | {
      readonly type: "retry";
      readonly failure: Failure;
      readonly attempt: number;
      readonly attempts: number;
      readonly waitMs: number;
    }
  | {
      readonly type: "finish";
      readonly reason: FinishReason;
      readonly rawReason: string;
      /** What the provider says of the reason, such as why it refused. */
      readonly detail?: string;
      /** Must come back verbatim inside the open tool loop; kept in the step line. */
      readonly state?: unknown;
    }
  | { readonly type: "error"; readonly failure: Failure };

/** Exactly what goes over the wire: `parley preview` prints it. */
export interface WireRequest {
  readonly provider: string;
  readonly api: string;
  readonly model: string;
  readonly body: unknown;
  /** What is not sent, or not as it was asked for. */
  readonly notices?: readonly string[];
}

/** All the models there are, behind one port. */
export interface Models {
  /** No network. Throws nothing; `failure` when the model is unknown. */
  wire(request: ModelRequest): WireRequest | { readonly failure: Failure };
  stream(request: ModelRequest, options: StreamOptions): AsyncIterable<StreamPart>;
}

export interface StreamOptions {
  readonly signal: AbortSignal;
  /** The request leaves when this is fulfilled, and not when it is rejected; at once when left out. */
  readonly ready?: Promise<unknown>;
}
