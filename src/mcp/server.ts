/** One MCP server: starts it on first use, starts it again after it ended, and runs its calls. */
import type { RunOptions, ToolOutput } from "../conversation/ports.ts";
import { failedOutput } from "../conversation/results.ts";
import { rejectOnAbort } from "../shared/abort.ts";
import { secondsSince } from "../shared/counted.ts";
import { type JsonObject, messageOf } from "../shared/json.ts";
import { within } from "../shared/waiting.ts";
import type { Grace } from "../system/process-group.ts";
import type { Catalog } from "./catalog/catalog.ts";
import { ListedTools } from "./catalog/listed-tools.ts";
import type { ListedTool, ToolList } from "./catalog/tool-list.ts";
import type { Connection } from "./client/connection.ts";
import type { ServerConfiguration } from "./configured/launch-configuration.ts";
import type { ServerOptions, ServerStart, ServerStatus } from "./server-options.ts";
import { EndedByParley, reasonOf, type ServerRun, startServerRun } from "./server-run.ts";
import { CannotStartError, LoginNeededError } from "./transport/transport.ts";

/** How often the tools are listed again for one request when the server keeps changing them. */
const mostListings = 3;

/** Milliseconds that an answer waits for a server that is about to be restarted. */
const worthWaitingMs = 2000;

/** Milliseconds that an answer or a key waits for a list of tools that failed before. */
const listedAgainMs = 500;

/**
 * One configured server: started on first use, and again by the next request after it ended.
 */
export class Server {
  readonly name: string;
  readonly #start: ServerStart;
  readonly #options: ServerOptions;
  readonly #backoff: ReturnType<typeof createBackoff>;
  #run: ServerRun | null = null;
  /** Settled once the runs that Parley ended are gone. */
  #ended: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  #isStopped = false;
  #wasLate = false;
  /** A start failed with the newer revision and with the older one after it; from then on only the older is tried. */
  #hasFailed = false;
  #timeoutMs: number;
  readonly #listed: ListedTools;
  #problem: Error | null = null;
  #stderr: () => string = () => "";

  constructor(name: string, start: ServerStart, options: ServerOptions) {
    this.name = name;
    this.#start = start;
    this.#options = options;
    this.#timeoutMs = options.timeoutMs;
    this.#listed = new ListedTools(name, (sentence, isShown) =>
      this.#reportChange(sentence, isShown),
    );
    this.#backoff = createBackoff(options.firstBackoffMs ?? 1000);
  }

  /** The tools that it listed last in this run of Parley; null: not listed yet. */
  listed(): readonly ListedTool[] | null {
    return this.#listed.tools();
  }

  status(): ServerStatus {
    const { name } = this;
    const state = this.#isStopped ? "stopped" : this.#stateOfLife();
    return {
      name,
      state,
      tools: this.#listed.names(),
      problems: this.#listed.problems(),
      catalog: this.#run?.ready?.catalog.counts() ?? null,
      instructions: this.#run?.ready?.instructions() ?? "",
      reached: this.#run?.ready?.reached() ?? null,
      startedAt: this.#run?.ready === null ? this.#run.startedAt : null,
      startMs: this.#run?.startMs ?? null,
      problem: this.#problem?.message ?? null,
      stderr: this.#stderr(),
    };
  }

  /**
   * Never throws: failures are in `problems`, as sentences. A server that takes longer than `waitMs` (milliseconds)
   * goes on starting, and until it has answered once, later requests do not wait for it. If it runs but listing
   * failed, the list is requested again with a very short wait.
   */
  async tools(waitMs: number): Promise<ToolList> {
    // The user stopped it, so there is nothing to report.
    if (this.#isStopped) return { tools: [], problems: [] };
    try {
      this.#checkWorthWaiting();
      const isUnlisted = this.#isUnlisted();
      const listing = this.#list();
      const longestMs = isUnlisted ? Math.min(waitMs, listedAgainMs) : waitMs;
      const list = await within(listing, this.#wasLate ? 0 : longestMs);
      // This request did not wait for the list, so its arrival or failure is announced.
      if (list === null && !this.#wasLate) {
        listing.then(
          () => this.#toolsChanged(),
          () => isUnlisted || this.#reportUnlisted(),
        );
      }
      this.#wasLate = list === null;
      return list ?? { tools: [], problems: [this.#notReady()] };
    } catch (error) {
      // The user stopped it in the meantime.
      if (this.#isStopped) return { tools: [], problems: [] };
      return { tools: [], problems: [couldNotBeUsed(error)] };
    }
  }

  /** Never throws. A call is made once: if the server ends during it, the call is not repeated. */
  async call(tool: string, args: JsonObject, call: RunOptions): Promise<ToolOutput> {
    try {
      const connection = await rejectOnAbort(this.#connected(), call.signal);
      return await connection.callTool(tool, args, { ...call, timeoutMs: this.#timeoutMs });
    } catch (error) {
      const isStopped = call.signal.aborted || this.#isClosed;
      if (isStopped) return { status: "cancelled", text: "Stopped before it was run.", media: [] };
      return failedOutput(
        `The call was not made: the MCP server ${this.name} could not be started. ${messageOf(error)}`,
      );
    }
  }

  /** Its resources and prompts; starts the server if it does not run. Throws an error for the user. */
  async catalog(signal: AbortSignal): Promise<Catalog> {
    this.#checkWorthWaiting();
    return (await rejectOnAbort(this.#connected(), signal)).catalog;
  }

  /** Ends the server and starts it again, ignoring earlier failures; a new failure is in `status`. */
  async restart(): Promise<void> {
    this.#isStopped = false;
    this.#wasLate = false;
    this.#hasFailed = false;
    this.#problem = null;
    this.#backoff.reset();
    await this.#end("patient", new EndedByParley("It was restarted."));
    if (this.#isClosed || this.#isStopped) return;
    await this.tools(this.#options.connectTimeoutMs);
    this.#toolsChanged();
  }

  /** Ends the server until it is restarted. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#toolsChanged();
    await this.#end("patient", new EndedByParley(this.#stoppedWords()));
  }

  /** Ends the process and everything it started, within 800 ms, for good. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#end("quick", new EndedByParley("It was closed."));
  }

  /** For a server that is no longer configured: like `close`, but it may take its time. */
  async retire(): Promise<void> {
    this.#isClosed = true;
    await this.#end("patient", new EndedByParley("Its configuration changed or was removed."));
  }

  /** Tells a running server that the working folders changed. */
  async rootsChanged(): Promise<void> {
    await this.#run?.ready?.rootsChanged();
  }

  #reportChange(sentence: string, isShown: boolean): void {
    if (isShown) this.#options.features.notify("warn", sentence);
    else this.#log(sentence);
    this.#toolsChanged();
  }

  #toolsChanged(): void {
    this.#options.features.toolsChanged();
  }

  async #end(grace: Grace, reason: EndedByParley): Promise<void> {
    const run = this.#run;
    this.#run = null;
    if (run === null) return;
    run.abort.abort(reason);
    const ended = run.connection.catch(() => null).then((connection) => connection?.close(grace));
    this.#ended = Promise.allSettled([this.#ended, ended]);
    await ended;
  }

  #stateOfLife(): ServerStatus["state"] {
    if (this.#run) return this.#run.ready ? "ready" : "starting";
    if (this.#problem instanceof LoginNeededError) return "needs-auth";
    return this.#problem === null ? "off" : "failed";
  }

  /** It runs, but its last list failed. */
  #isUnlisted(): boolean {
    return Boolean(this.#run?.ready) && this.#problem !== null;
  }

  /** Tells the user, who heard that it is starting, that listing failed. If it ended instead, `#onEnded` does that. */
  #reportUnlisted(): void {
    if (this.#run !== null && this.#problem !== null) this.#reportFailure("used", this.#problem);
  }

  #reportFailure(what: "started" | "used", reason: Error): void {
    const shown = shortProblem(reason.message);
    this.#options.features.notify("warn", `MCP server ${this.name} could not be ${what}. ${shown}`);
  }

  #notReady(): string {
    if (this.#run?.ready && this.#problem) return couldNotBeUsed(this.#problem);
    const startedAt = this.#run?.startedAt ?? null;
    const since = startedAt === null ? "" : ` (${secondsSince(startedAt)} s)`;
    return `It is still starting${since}, so its tools are missing from this answer; they are offered as soon as it is ready.`;
  }

  #checkWorthWaiting(): void {
    if (this.#needsUser() && this.#run === null) throw this.#leftAlone();
    const waitMs = this.#backoff.waitMs();
    if (this.#run || waitMs <= worthWaitingMs || !Number.isFinite(waitMs)) return;
    const seconds = Math.ceil(waitMs / 1000);
    throw new Error(
      `It will be started again in ${seconds} s at the earliest; ${this.#restartWords()} starts it at once. ${this.#problem?.message ?? ""}`,
    );
  }

  #running(): ServerRun {
    if (this.#run) return this.#run;
    const restart = this.#restartWords();
    if (this.#isClosed) throw new Error("It was closed.");
    if (this.#isStopped) throw new Error(this.#stoppedWords());
    if (this.#needsUser()) throw this.#leftAlone();
    if (!Number.isFinite(this.#backoff.waitMs())) {
      throw new Error(
        `It keeps ending, so Parley no longer starts it; fix it, then ${restart}. ${this.#problem?.message ?? ""}`,
      );
    }
    const run = startServerRun({
      name: this.name,
      start: () => this.#configuration(),
      server: this.#options,
      backoffMs: () => this.#backoff.waitMs(),
      log: (text) => this.#log(text),
      onConfigured: ({ timeoutMs }) => {
        this.#timeoutMs = timeoutMs ?? this.#options.timeoutMs;
      },
      onStderr: (read) => {
        this.#stderr = read;
      },
      list: async (one) => this.#run === one && this.#list(),
      onEnded: (one, reason) => this.#onEnded(one, reason),
    });
    run.connection.then(
      () => {
        this.#problem = null;
      },
      () => "reported by onEnded",
    );
    this.#run = run;
    return run;
  }

  async #configuration(): Promise<ServerConfiguration> {
    const start = this.#start;
    const configuration = typeof start === "function" ? await start() : start;
    if ("url" in configuration || !this.#hasFailed) return configuration;
    return { ...configuration, isOlder: true };
  }

  /** Whether only the user can fix the failure, so that another start would fail the same way. */
  #needsUser(): boolean {
    return this.#problem instanceof CannotStartError;
  }

  /** Connected; where the user restarts the server in the meantime, to what is started then. */
  async #connected(): Promise<Connection> {
    await this.#ended;
    const run = this.#running();
    try {
      return await run.connection;
    } catch (error) {
      if (this.#isStartedAnew(error)) return this.#connected();
      throw error;
    }
  }

  #isStartedAnew(error: unknown): boolean {
    return error instanceof EndedByParley && !this.#isStopped && !this.#isClosed;
  }

  #stoppedWords(): string {
    return `It was stopped; ${this.#restartWords()} starts it.`;
  }

  #restartWords(): string {
    return this.#options.restartWords ?? `:Parley mcp restart ${this.name}`;
  }

  #leftAlone(): Error {
    return new Error(
      `${this.#problem?.message ?? ""}\nIt will not be started again before ${this.#restartWords()}.`,
    );
  }

  /** Handles a server that exited on its own. A run that we ended ourselves is ignored. */
  #onEnded(run: ServerRun, reason: Error): void {
    if (this.#run !== run) return;
    this.#run = null;
    this.#problem = reason;
    const wasReady = run.startMs !== null;
    this.#hasFailed ||= !wasReady;
    // After a restart it may list other tools.
    this.#toolsChanged();
    // The user was told that it is starting.
    if (this.#wasLate && !run.hasListed) this.#reportFailure(wasReady ? "used" : "started", reason);
    // No backoff: another attempt costs only one request, and the user may have logged in elsewhere.
    if (reason instanceof LoginNeededError) return;
    this.#wasLate = false;
    if (run.startedAt !== null) this.#backoff.ended(Date.now() - run.startedAt);
  }

  async #list(again = 0): Promise<ToolList> {
    await this.#ended;
    const run = this.#running();
    run.tools ??= run.connection.then((connection) => connection.listTools());
    const { tools } = run;
    try {
      const list = await tools;
      // Meanwhile the server announced a change of its tools, as some do once they know the client.
      const isOld = run.tools !== tools && this.#run === run;
      if (isOld && again < mostListings) return await this.#list(again + 1);
      this.#listed.take(list);
      run.hasListed = true;
      if (this.#run === run) this.#problem = null;
      return list;
    } catch (failure) {
      if (run.tools === tools) run.tools = null;
      const error = reasonOf(run, failure);
      if (this.#isStartedAnew(error)) return this.#list(again);
      // It runs but cannot be used. If it ended instead, `#onEnded` has recorded why.
      if (this.#run === run) this.#problem = error;
      throw error;
    }
  }

  #log(text: string): void {
    this.#options.log(`MCP server ${this.name}: ${text}`);
  }
}

function couldNotBeUsed(error: unknown): string {
  return `It could not be used. ${messageOf(error)}`;
}

/** How long to wait before restarting a server that keeps ending. */
export interface Backoff {
  /** Milliseconds from now; 0: at once, infinite: only when the user restarts it. */
  waitMs(): number;
  /** The server ended on its own after so many milliseconds, or could not be started. */
  ended(livedMs: number): void;
  /** The user started it: earlier failures no longer count. */
  reset(): void;
}

/** In milliseconds. An end after a longer run does not suggest that the next run fails, too. */
const quickMs = 60_000;
const quickEndsAllowed = 5;
const longestWaitMs = 30_000;

/** A short form for the screen; the log has the server's whole output. */
export function shortProblem(problem: string): string {
  const [first = "", ...more] = problem.split("\n");
  return [first, ...more.slice(-3)].join("\n");
}

/** `firstWaitMs` follows the first quick end and doubles with each further one. `now`: a monotonic clock, in ms. */
export function createBackoff(
  firstWaitMs: number,
  now: () => number = () => performance.now(),
): Backoff {
  let quickEnds = 0;
  let notBefore = 0;
  return {
    waitMs() {
      if (quickEnds >= quickEndsAllowed) return Number.POSITIVE_INFINITY;
      return Math.max(0, notBefore - now());
    },
    ended(livedMs) {
      quickEnds = livedMs < quickMs ? quickEnds + 1 : 0;
      const wait = quickEnds === 0 ? 0 : firstWaitMs * 2 ** (quickEnds - 1);
      notBefore = now() + Math.min(wait, longestWaitMs);
    },
    reset() {
      quickEnds = 0;
      notBefore = 0;
    },
  };
}
