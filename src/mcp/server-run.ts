/** One run of a server, from its start to its end. */

import { setTimeout as delay } from "node:timers/promises";
import { rejectOnAbort } from "../shared/abort.ts";
import { createRelisting } from "./catalog/listed-tools.ts";
import type { ToolList } from "./catalog/tool-list.ts";
import type { Connection } from "./client/connection.ts";
import type { ServerConfiguration } from "./configured/launch-configuration.ts";
import type { ServerOptions, ServerStart } from "./server-options.ts";

/** Why Parley ended a run, as a sentence for the user. */
export class EndedByParley extends Error {}

export interface ServerRun {
  /** Rejects with an EndedByParley if Parley ended it first. */
  readonly connection: Promise<Connection>;
  readonly abort: AbortController;
  /** Null until the process is about to be started. */
  startedAt: number | null;
  /** Milliseconds from `startedAt` until it was ready; null until then. */
  startMs: number | null;
  /** The connection while it is open. */
  ready: Connection | null;
  /** Null until requested, and again after the server announces that its tools changed. */
  tools: Promise<ToolList> | null;
  /** It has listed its tools at least once. */
  hasListed: boolean;
}

export interface ServerRunOptions {
  readonly name: string;
  readonly start: ServerStart;
  readonly server: ServerOptions;
  /** Milliseconds to wait before the start. */
  readonly backoffMs: () => number;
  readonly log: (text: string) => void;
  readonly onConfigured: (configuration: ServerConfiguration) => void;
  readonly onStderr: (read: () => string) => void;
  /** Lists the tools again after the server announced a change. */
  readonly list: (run: ServerRun) => Promise<unknown>;
  /** Called when the run ends, before it was ready or after, on its own or because it was aborted. */
  readonly onEnded: (run: ServerRun, reason: Error) => void;
}

/** Starts the server; a failure is reported to `onEnded`. */
export function startServerRun(options: ServerRunOptions): ServerRun {
  const abort = new AbortController();
  const run: ServerRun = {
    // Deferred by one microtask, so that `run` is assigned before the connection uses it.
    connection: Promise.resolve()
      .then(() => connectRun(run, options))
      .catch((error: unknown) => {
        throw reasonOf(run, error);
      }),
    abort,
    startedAt: null,
    startMs: null,
    ready: null,
    tools: null,
    hasListed: false,
  };
  run.connection.then(
    (connection) => {
      run.ready = connection;
      run.startMs = run.startedAt === null ? null : Date.now() - run.startedAt;
    },
    (reason: Error) => {
      options.onEnded(run, reason);
      options.log(reason.message);
    },
  );
  return run;
}

/** What failed: whatever a run that Parley ended says, that is the reason. */
export function reasonOf({ abort }: ServerRun, error: unknown): Error {
  if (abort.signal.reason instanceof EndedByParley) return abort.signal.reason;
  return error instanceof Error ? error : new Error(String(error));
}

async function connectRun(run: ServerRun, options: ServerRunOptions): Promise<Connection> {
  const { name, start, log, onStderr } = options;
  const { signal } = run.abort;
  // Finding the configuration may wait for the user; an abort must not wait for that.
  const configuration = typeof start === "function" ? await rejectOnAbort(start(), signal) : start;
  options.onConfigured(configuration);
  await delay(options.backoffMs(), undefined, { signal });
  // Loading the SDK takes a tenth of a second, so it is loaded only when a server really starts.
  const { connect } = await import("./client/connection.ts");
  signal.throwIfAborted();
  const { version, connectTimeoutMs, startTimeoutMs, features } = options.server;
  const relist = createRelisting({
    isNeeded: () => run.ready !== null && run.tools === null && !signal.aborted,
    list: () => options.list(run),
    log,
  });
  run.startedAt = Date.now();
  return connect(configuration, {
    name,
    version,
    features,
    connectTimeoutMs,
    startTimeoutMs: configuration.startTimeoutMs ?? startTimeoutMs,
    signal,
    log,
    onStderr,
    onToolsChanged: () => {
      run.tools = null;
      features.toolsMayHaveChanged();
      relist();
    },
    onEnded: (reason) => {
      if (run.ready === null) return;
      run.ready = null;
      options.onEnded(run, reason);
    },
  });
}
