/**
 * One text being worked on: its editor, what this session knows about it, and what is running. The decisions are in
 * next-step.ts and approval.ts, the loop in turn.ts; this holds what they share.
 */
import { parseLines } from "../../transcript/parse.ts";
import type { Edit, Exchange, Transcript } from "../../transcript/transcript.ts";
import type { ChatTools, OfferedTools } from "../chat-tools.ts";
import type { OpenCall } from "../decide/next-step.ts";
import type { RememberedRecord } from "../decide/remembered.ts";
import { emptySession, moveSession, type Session } from "../decide/session.ts";
import type { Editor, UndoGroup } from "../editor.ts";
import type { Failure, ModelRequest, Models, Tool, ToolOutput, Usage } from "../ports.ts";
import type { RequestSize } from "../request/request-size.ts";
import type { ToolSearch } from "../tool-search.ts";
import {
  addRequest,
  type ChatUsage,
  costOf,
  type LastRequest,
  type ModelFacts,
  noChatUsage,
  nothingUsed,
} from "../usage.ts";
import { type Allowed, type BudgetName, type BudgetPort, limitsOfAnswer } from "./budget-limits.ts";
import type { TopicModel } from "./topic.ts";

/** How a turn, or an attempt to begin one, ended. */
export type TurnEnd =
  | { readonly type: "await-question" }
  /** `already`: the calls were waiting before, so nothing was sent. */
  | {
      readonly type: "await-approval";
      readonly open: readonly OpenCall[];
      readonly already?: true;
    }
  | { readonly type: "done" }
  | { readonly type: "stopped" }
  | { readonly type: "failed"; readonly failure: Failure }
  /**
   * `budget`: the options whose question the user declined; nothing was sent. `uncorrected`: the model went on to make
   * calls that cannot run.
   */
  | {
      readonly type: "limit";
      readonly message: string;
      readonly budget?: readonly BudgetName[];
      readonly uncorrected?: true;
    }
  | { readonly type: "refused"; readonly message: string }
  | { readonly type: "conflict" }
  /** The file could not be written, and the editor reported why: nothing that was approved runs. */
  | { readonly type: "unsaved" }
  /** The place of the answer was removed from the text; `closed`: the text itself is no longer open. */
  | { readonly type: "gone"; readonly closed?: true };

export type ChatEvent =
  | { readonly type: "phase"; readonly phase: Phase }
  | { readonly type: "notice"; readonly level: "info" | "warn" | "error"; readonly message: string }
  | { readonly type: "usage"; readonly usage: ChatUsage }
  | { readonly type: "call-progress" }
  /** The header received the topic that a model was asked for outside the turn. */
  | { readonly type: "topic" }
  | { readonly type: "ended"; readonly end: TurnEnd };

export type Phase =
  | { readonly type: "idle" }
  | { readonly type: "preparing"; readonly text: string }
  | {
      readonly type: "streaming";
      /** The label of the model. */
      readonly text: string;
      /** `waiting`, `thinking`, `writing edit_file (2.1 kB)`; empty while text is written. */
      readonly doing: string;
      /** When it began to do that, in milliseconds since the epoch. */
      readonly since: number;
    }
  /** Waits before the same request is sent again, for the reason in `text`. */
  | {
      readonly type: "retrying";
      readonly text: string;
      /** When it is sent, in milliseconds since the epoch. */
      readonly until: number;
      /** The number of that attempt, of `attempts` in all. */
      readonly attempt: number;
      readonly attempts: number;
    }
  | { readonly type: "tools" };

/** Everything that goes into one request, and what the text records about it. */
export interface PreparedRequest {
  readonly request: ModelRequest;
  readonly size: RequestSize;
  /** For the `🤖:` line. */
  readonly label: string;
  /** `provider/id`. */
  readonly model: string;
  readonly facts: ModelFacts;
  /** Copies of the question's files, for the step line of the answer's first step; null when it has none. */
  readonly files: Readonly<Record<string, string>> | null;
  /** The texts that the question refers to and that are sent for the first time, with their approximate tokens. */
  readonly references: readonly { readonly source: string; readonly tokens: number }[];
  readonly offered: OfferedTools;
  /** Set when the model finds its tools by searching; null: it gets all of them. */
  readonly search: ToolSearch | null;
  /** Sentences about what was left out. */
  readonly notices: readonly string[];
  /** Called when the request was answered: what is reported then would not help a user who has no answer yet. */
  answered?(): void;
}

export interface PrepareOptions {
  /** The question gets a new answer: its files are read again. */
  readonly fresh: boolean;
  /** Steps of the answer to send; all complete ones when absent. */
  readonly steps?: number;
  readonly signal: AbortSignal;
  /** Receives what is being waited for, as text for the screen. */
  readonly waiting?: (text: string) => void;
}

/** What a chat needs from the rooms after this one. */
export interface ChatPorts {
  readonly editor: Editor;
  readonly stream: Models["stream"];
  readonly tools: ChatTools;
  /** Builds everything that goes into the next request, and reads the files of the question. */
  prepare(
    transcript: Transcript,
    exchange: Exchange,
    options: PrepareOptions,
  ): Promise<PreparedRequest | Failure>;
  /** Returns null when the arguments fit the tool's schema, else a sentence for the model. */
  validate(tool: Tool, argumentsText: string): string | null | Promise<string | null>;
  /** Cuts what is too long; whatever does not go into the text is saved in files next to the transcript. */
  keepOutput(output: ToolOutput): Promise<KeptOutput>;
  /** Takes the chat for this process while it acts on it; `held`: another process has it, by its pid. */
  drive(): Promise<
    | { readonly type: "holding"; release(): Promise<void> }
    | { readonly type: "held"; readonly pid: number }
  >;
  /** Keeps the text of an answer that is replaced by another; returns the path of its file. */
  keepReplaced(text: string): Promise<string>;
  readonly remembered: {
    /** Real path of the transcript; null while it has no file: then nothing is remembered. */
    path(): Promise<string | null>;
    records(): Promise<readonly RememberedRecord[]>;
    add(records: readonly RememberedRecord[]): Promise<void>;
    drop(records: readonly RememberedRecord[]): Promise<void>;
    /**
     * The text is about to be written: it counts as this machine's own, with what it remembers, even if this process
     * ends right after.
     */
    willWrite(transcript: Transcript): Promise<void>;
  };
  /** The secret of the local state folder, which seals provider state. */
  secret(): Promise<string>;
  /** Reports what a finished request used. `cost` is in US dollars; null: the price is not known. */
  spent(spent: {
    readonly model: string;
    readonly usage: Usage;
    readonly cost: number | null;
    /** It was not a request of an answer. */
    readonly beside?: true;
  }): void;
  limits(): { readonly modelCalls: number };
  /** What may be spent without asking; absent: anything. */
  readonly budget?: BudgetPort;
  /** The model to ask for the topic of a chat whose first answer gives none; absent or null: no model. */
  topicModel?(): Promise<TopicModel | null>;
  confirm(question: string): Promise<boolean>;
  report(event: ChatEvent): void;
}

export interface KeptOutput {
  readonly text: string;
  readonly attachments: readonly { readonly mime: string; readonly file: string }[];
  readonly fullText: string | null;
  /** Sentences for the user only. */
  readonly notices: readonly string[];
}

/** A running tool call. */
export interface Run {
  readonly controller: AbortController;
  progress: string;
  /** In milliseconds since the epoch. */
  readonly since: number;
}

/** In one message; nobody reads more, and a chat from elsewhere may give cause for thousands. */
const mostWarnings = 20;

export class Chat {
  readonly ports: ChatPorts;
  session: Session = emptySession;
  /** The running turn; only one at a time. */
  active: { readonly controller: AbortController; readonly ended: Promise<TurnEnd> } | null = null;
  /** The action of the user that is carried out, up to the end of its turn: aborted when a stop came before the turn. */
  acting: AbortSignal | null = null;
  /** Running calls, by the number that their line in the session carries; see run-tools.ts. */
  readonly runs = new Map<number, Run>();
  /** Outputs that arrived and are not written yet, oldest first. */
  readonly outputs: { readonly run: number; readonly output: ToolOutput }[] = [];
  readonly allowed: Allowed = new Map();
  /** Called when an output arrived. */
  wakeForOutput: () => void = () => {};
  nextRun = 1;
  /** A complete response is being written: after it comes the end of the turn or its next step. */
  isSettling = false;
  /** Calls of this chat that wait because they were repeated too often, by `waitingKey`. */
  readonly repeated = new Set<string>();
  /** Texts of questions as they were answered; a question that is not among them was edited since. */
  readonly answered = new Set<string>();
  phase: Phase = { type: "idle" };
  usage: ChatUsage = noChatUsage;
  /** The request for a topic; settled when there is none. Never rejects. */
  naming: Promise<void> = Promise.resolve();
  readonly #closed = new AbortController();
  readonly #forget: () => void;
  #parsed: Transcript | null = null;
  #written: Transcript | null = null;
  #undoGroups = 0;
  readonly #noticed = new Set<string>();

  constructor(ports: ChatPorts) {
    this.ports = ports;
    this.#forget = ports.editor.onSplice((splice) => {
      this.session = moveSession(this.session, splice);
      this.#abortLostRuns();
    });
  }

  /** A running call whose line was edited or removed is cancelled (format, section 11). */
  #abortLostRuns(): void {
    if (this.runs.size === 0) return;
    const kept = new Set(this.session.calls.map((call) => call.run));
    for (const [id, run] of this.runs) {
      if (!kept.has(id)) run.controller.abort();
    }
  }

  async read(): Promise<{ readonly transcript: Transcript; readonly tick: number }> {
    const { lines, tick } = await this.ports.editor.read();
    // An editor returns the same array as long as nothing changed.
    if (this.#parsed?.lines === lines) return { transcript: this.#parsed, tick };
    const transcript = this.#asWritten(lines) ?? parseLines(lines, this.#parsed ?? undefined);
    if (this.#parsed === null) this.rememberAnswered(transcript);
    this.#parsed = transcript;
    this.#written = null;
    return { transcript, tick };
  }

  /**
   * The text that an edit was to leave was parsed before the edit was applied; null when the text is a different one.
   */
  #asWritten(lines: readonly string[]): Transcript | null {
    const written = this.#written;
    if (written?.lines.length !== lines.length) return null;
    return written.lines.every((line, index) => line === lines[index])
      ? { ...written, lines }
      : null;
  }

  /** Called with a text as its file has it, whose questions are the ones that were answered. */
  rememberAnswered({ exchanges }: Transcript): void {
    for (const { question, answer } of exchanges) {
      if (answer !== null) this.answered.add(question.text);
    }
  }

  newUndoGroup(): UndoGroup {
    this.#undoGroups += 1;
    return `parley-${this.#undoGroups}`;
  }

  /**
   * Applies what `plan` computes from the current text; computes it again when the text changed in the meantime. Null
   * when the plan is null (its place is gone) or the buffer is gone. `before` runs before each reading of the text. A
   * plan may name the text that its edits leave (`written`), so that it is not parsed again.
   */
  async edit<P extends { readonly edits: readonly Edit[]; readonly written?: Transcript | null }>(
    undo: UndoGroup,
    plan: (transcript: Transcript) => P | null | Promise<P | null>,
    before: () => Promise<void> = async () => {},
  ): Promise<P | null> {
    for (;;) {
      await before();
      const { transcript, tick } = await this.read();
      const planned = await plan(transcript);
      if (planned === null || planned.edits.length === 0) return planned;
      const status = await this.ports.editor.apply(
        { lines: transcript.lines, tick },
        planned.edits,
        undo,
      );
      if (status === "applied") {
        this.#written = planned.written ?? null;
        return planned;
      }
      if (status === "gone") return null;
    }
  }

  setPhase(phase: Phase): void {
    this.phase = phase;
    this.ports.report({ type: "phase", phase });
  }

  notice(level: "info" | "warn" | "error", message: string): void {
    this.ports.report({ type: "notice", level, message });
  }

  /**
   * Warnings that every request would repeat; each is shown once. They share one message: of several messages only the
   * last would stay on the screen.
   */
  warnOnce(...messages: readonly string[]): void {
    const fresh = messages.filter((message) => !this.#noticed.has(message));
    for (const message of fresh) this.#noticed.add(message);
    if (fresh.length === 0) return;
    const more = fresh.length - mostWarnings;
    const rest = more > 0 ? [`(${more} more of this kind.)`] : [];
    this.notice("warn", [...fresh.slice(0, mostWarnings), ...rest].join("\n"));
  }

  /** Stops what is running: closes the stream's socket and aborts running calls. */
  stop(): boolean {
    if (this.active === null && this.runs.size === 0) return false;
    this.active?.controller.abort();
    for (const run of this.runs.values()) run.controller.abort();
    return true;
  }

  /** Usage from here on belongs to a new answer. */
  beginAnswer(): void {
    this.usage = { ...this.usage, answer: nothingUsed };
    for (const name of limitsOfAnswer) this.allowed.delete(name);
  }

  /** Counts a finished request, with as much usage as the provider reported. */
  countUsage(usage: Usage, { model, facts }: Pick<PreparedRequest, "model" | "facts">): void {
    this.usage = {
      answer: addRequest(this.usage.answer, usage, facts),
      chat: addRequest(this.usage.chat, usage, facts),
      last: { model, usage, window: facts.contextWindow },
    };
    this.ports.report({ type: "usage", usage: this.usage });
    this.ports.spent({ model, usage, cost: costOf(usage, facts) });
  }

  /** Counts a request that is not part of an answer: it counts for the chat, and leaves the context as it was. */
  countBeside(usage: Usage, { model, facts }: Pick<PreparedRequest, "model" | "facts">): void {
    this.usage = { ...this.usage, chat: addRequest(this.usage.chat, usage, facts) };
    this.ports.report({ type: "usage", usage: this.usage });
    this.ports.spent({ model, usage, cost: costOf(usage, facts), beside: true });
  }

  /** Sets the usage of the last request from a record of it; a request made since then takes precedence. */
  recallLast(last: LastRequest): void {
    this.usage = { ...this.usage, last: this.usage.last ?? last };
  }

  /** Aborted when the text is closed. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  close(): void {
    this.stop();
    this.#closed.abort();
    this.#forget();
  }
}
