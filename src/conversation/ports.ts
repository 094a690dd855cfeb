/**
 * What the conversation room and the rooms after it share: messages, models, tools; the editor is in editor.ts.
 * Providers, MCP, the Neovim host and the command line implement these ports; nothing here holds state.
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
  /** As in the transcript, where two calls may have the same id; the sender makes it unique and valid for its API. */
  readonly id: string;
  readonly name: string;
  /** JSON text, always of a JSON object here. */
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
  /** Opaque data of the provider that made this step; set only when it may be sent back to the requested model. */
  readonly state?: unknown;
  /** The model that made this step, the only one that `state` is sent back to. Absent: the requested model. */
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
  /** Configuration key of the MCP server (`mock`), or null for a tool that no server provides. */
  readonly server: string | null;
  /** The project's file that configures the server: a server of the same name in another project is a different one. */
  readonly serverFile?: string;
  /** The server's own name for the tool, when that differs from the name on the wire. */
  readonly serverTool?: string;
  /** Its display name, in the server's words. */
  readonly title?: string;
  /** The name under which a selection picks this tool and others; tools of a server go by the server's name instead. */
  readonly group?: string;
  /** Absolute path of the user's file that defines it. */
  readonly file?: string;
  /** Its position among the tools that the model has found (`find_tools`), which come after all others. */
  readonly loadedAs?: number;
  /** Claims of the server (`readOnlyHint`, …): shown, never trusted. */
  readonly annotations?: Readonly<Record<string, unknown>>;
}

/** How to use the tools of a server, in the server's words. */
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

/** The result of a call. */
export interface ToolOutput {
  readonly status: ResultStatus;
  readonly text: string;
  /** Media in the result; whoever writes the result saves them next to the transcript. */
  readonly media: readonly Media[];
  /** Content for the user only: shown and kept, never sent to the model. */
  readonly personal?: { readonly text: string; readonly media: readonly Media[] };
}

export interface ToolListing {
  readonly tools: readonly Tool[];
  /** Sentences about what could not be listed. */
  readonly notices: readonly string[];
  /** Instructions of servers; absent: there are none. */
  readonly instructions?: readonly ServerInstructions[];
  /** Servers that the selection may mean but whose tools are not in `tools`; absent: there are none. */
  readonly unlisted?: readonly UnlistedServer[];
  /** A server is starting, failed or was stopped, so the next list may differ without any report of a change. */
  readonly isPassing?: boolean;
  /** Runs the calls of the tools in this list; absent: the host itself does. */
  readonly calls?: ToolCalls;
}

/** A server whose tools are not known now. */
export interface UnlistedServer {
  readonly server: string;
  /** The prefix of its tools' names. */
  readonly toolsBegin: string;
  /** `off`: not started here yet; `unasked`: the user has to agree to it first; `unusable`: see `why`. */
  readonly state: "off" | "starting" | "unasked" | "unusable";
  /** A sentence for the user. */
  readonly why: string;
}

/** Runs and examines calls, finding tools by name. */
export interface ToolCalls {
  /** Runs one approved call. Never throws: a failure is an output with its status. Timeouts are handled inside. */
  run(call: ToolCall, options: RunOptions): Promise<ToolOutput>;
  /** What a call is about, as its tool understands it; null when that cannot be determined. Never throws. */
  subject?(call: ToolCall): Promise<CallSubject | null>;
  /** What a call would do after the calls already planned in `world`; null: this cannot be known. Never throws. */
  plan?(call: ToolCall, world: PlannedWorld): Promise<CallPlan | null>;
}

export interface ToolSource {
  /**
   * Lists the tools of this chat for the `tools` selection and the model (`provider/id`). Never throws: `notices` has a
   * sentence for each thing that could not be listed.
   */
  list(selection: string | null, model: string, how?: ListOptions): Promise<ToolListing>;
  close(): Promise<void>;
}

/** Runs calls of the tools in its last list. */
export interface ToolHost extends ToolSource, ToolCalls {}

/** One path among the arguments of a call, in each form in which a rule may name it. */
export interface CallPath {
  readonly written: string;
  /** Without `.` and `..`; links in it are not followed. */
  readonly absolute: string;
  /** With all links resolved, even when nothing exists there yet. */
  readonly real: string;
}

/** What rules and memories judge of a call: what the tool will do, however the arguments are spelled. */
export interface CallSubject {
  /** Parsed arguments, with the defaults filled in. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Paths by the name of their argument. */
  readonly paths: Readonly<Record<string, CallPath>>;
  /** Real path of the file that it changes; null: it changes none. */
  readonly changes: string | null;
  /** The command that it runs, as one line; absent: it runs no command. */
  readonly command?: string;
}

/** What a call would do, computed before the decision and again before the run. */
export interface CallPlan {
  /** For the user, without control characters; empty where the arguments already say everything. */
  readonly lines: readonly string[];
  /** Whether the lines show everything that the arguments say. */
  readonly saysAll: boolean;
  /** Equal exactly when the effect would be equal. */
  readonly hash: string;
  /** Why the call would be refused; null: it would not be. */
  readonly refusal: string | null;
  /** Whether it changes texts: then it runs after all calls before it, and before all calls after it. */
  readonly changes: boolean;
}

/** Texts by real path, as the calls of a batch that were planned so far would leave them. */
export interface PlannedWorld {
  readonly texts: Map<string, string>;
  /** The paths of texts that the model would know by then. */
  readonly seen: Set<string>;
}

export interface ListOptions {
  /** True: nothing is started; what is not running is listed as it was last, or not at all. */
  readonly asRemembered: boolean;
}

export interface RunOptions {
  readonly signal: AbortSignal;
  /** The hash of the approved plan: the run does exactly that, or nothing. Absent or empty: there was no plan. */
  readonly effect?: string;
  /** Shows what the tool is doing; an empty text removes it. */
  readonly progress: (text: string) => void;
  /** Absent when the call belongs to no chat, as on the command line. */
  readonly origin?: CallOrigin;
}

/** What a tool may know about the chat of its call. */
export interface CallOrigin {
  /** Where the call is at this moment, in the user's terms: `line 12 of chat.md`. */
  place(): string;
  /** Counts a request to a model made for the tool; false: the turn may make no more. */
  spendModelCall(): boolean;
}

/* ------------------------------------------------------------------ models */

/** `openai` and `gpt-5` of `openai/gpt-5`. */
export interface ModelName {
  readonly provider: string;
  readonly id: string;
}

/** How much a model thinks before it answers; a level that a vendor lacks is mapped to the nearest one it has. */
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
  /** Sampling parameters by the vendors' names (`temperature`); the table of options lists them. */
  readonly sampling?: Readonly<Record<string, number>>;
  /** Tools that the vendor itself runs, by the names of the vendor table (`web_search`). */
  readonly serverTools?: readonly string[];
  /** The same for all requests of one chat; sent to vendors that cache prompts by a key. */
  readonly cacheKey?: string;
}

/** In tokens. `input` includes tokens read from and written to a cache. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly reasoning?: number;
  /** The cost that the vendor reports, in US dollars. */
  readonly cost?: number;
}

/**
 * `length`: cut by the output limit; `context`: by the model's window; `pause`: continues when sent again unchanged.
 */
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
  /** An error in Parley, or in the system below it; not the provider's. */
  | "internal"
  | "other";

/** Why a request failed. */
export interface Failure {
  readonly kind: FailureKind;
  /** A sentence or two for the user: what happened, and what to do next. Never holds a secret. */
  readonly message: string;
  /**
   * Only what happened, for programs, which have no keys and no header: the beginning of a sentence, without its end.
   * Absent: the kind and `said` tell it.
   */
  readonly happened?: string;
  /** The vendor's message, complete except for API keys: for the log, and for learning what the vendor refuses. */
  readonly said?: string;
  /** The field of the request that the vendor names. */
  readonly parameter?: string;
  /** HTTP status; absent when the failure came in the stream, or nothing came. */
  readonly status?: number;
  /** The id under which the vendor finds the request. */
  readonly requestId?: string;
  /** How long the vendor asks to wait. */
  readonly retryAfterMs?: number;
  /**
   * Set when no answer can have begun or been charged, so that the same request may be sent again automatically: what
   * happened, without the next action.
   */
  readonly retryReason?: string;
  /** How often the request was sent, when more than once. */
  readonly attempts?: number;
}

/**
 * The parts that a model's stream yields. The last part is always `finish` or `error`; a stream never throws.
 * `tool-call` comes only when the call is complete, in the response's order relative to text.
 */
export type StreamPart =
  | { readonly type: "text-delta"; readonly text: string }
  | { readonly type: "reasoning-delta"; readonly text: string }
  /** A call is being written: its arguments so far, and their length in UTF-8 bytes. */
  | {
      readonly type: "tool-input";
      readonly name: string;
      readonly bytes: number;
      readonly arguments: string;
    }
  /** The name is empty if the model gave none. */
  | { readonly type: "tool-call"; readonly call: ProposedCall }
  | { readonly type: "usage"; readonly usage: Usage }
  /** A message for the user, such as a setting that the model does not take; shown once, or each time if a failure. */
  | { readonly type: "notice"; readonly message: string; readonly isFailure?: true }
  /** Attempt `attempt` of at most `attempts` failed before anything was sent back; the next begins in `waitMs`. */
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
      /** What the provider says about the reason, such as why it refused. */
      readonly detail?: string;
      /** Must be sent back verbatim inside the open tool loop; kept in the step line. */
      readonly state?: unknown;
    }
  | { readonly type: "error"; readonly failure: Failure };

/** Exactly what is sent over the wire; `parley preview` prints it. */
export interface WireRequest {
  readonly provider: string;
  readonly api: string;
  readonly model: string;
  readonly body: unknown;
  /** What is not sent, or is sent in another form than requested. */
  readonly notices?: readonly string[];
}

/** All models behind one port. */
export interface Models {
  /** Uses no network and never throws; returns `failure` when the model is unknown. */
  wire(request: ModelRequest): WireRequest | { readonly failure: Failure };
  stream(request: ModelRequest, options: StreamOptions): AsyncIterable<StreamPart>;
}

export interface StreamOptions {
  readonly signal: AbortSignal;
  /** The request is sent when this resolves, and never when it rejects; at once when absent. */
  readonly ready?: Promise<unknown>;
}
