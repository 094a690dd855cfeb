/** One run of a server, from its start to its end. */

import { setTimeout as delay } from "node:timers/promises";
import { rejectOnAbort } from "../shared/abort.ts";
import { createRelisting } from "./catalog/listed-tools.ts";
import type { ToolList } from "./catalog/tool-list.ts";
import type { Connection } from "./client/connection.ts";
import type { ServerConfiguration } from "./configured/launch-configuration.ts";
import type { ServerOptions, ServerStart } from "./server-options.ts";

export interface Life {
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

export interface LifeOptions {
  readonly name: string;
  readonly start: ServerStart;
  readonly server: ServerOptions;
  /** Milliseconds to wait before the start. */
  readonly backoffMs: () => number;
  readonly log: (text: string) => void;
  readonly onConfigured: (configuration: ServerConfiguration) => void;
  readonly onStderr: (read: () => string) => void;
  /** Lists the tools again after the server announced a change. */
  readonly list: (life: Life) => Promise<unknown>;
  /** Called when the run ends, before it was ready or after, on its own or because it was aborted. */
  readonly onEnded: (life: Life, reason: Error) => void;
}

/** Starts the server; a failure is reported to `onEnded`. */
export function beginLife(options: LifeOptions): Life {
  const abort = new AbortController();
  const life: Life = {
    // Deferred by one microtask, so that `life` is assigned before the connection uses it.
    connection: Promise.resolve().then(() => connectLife(life, options)),
    abort,
    startedAt: null,
    startMs: null,
    ready: null,
    tools: null,
    hasListed: false,
  };
  life.connection.then(
    (connection) => {
      life.ready = connection;
      life.startMs = life.startedAt === null ? null : Date.now() - life.startedAt;
    },
    (error: unknown) => {
      const reason = error instanceof Error ? error : new Error(String(error));
      options.onEnded(life, reason);
      options.log(reason.message);
    },
  );
  return life;
}

async function connectLife(life: Life, options: LifeOptions): Promise<Connection> {
  const { name, start, log, onStderr } = options;
  const { signal } = life.abort;
  // Finding the configuration may wait for the user; an abort must not wait for that.
  const configuration = typeof start === "function" ? await rejectOnAbort(start(), signal) : start;
  options.onConfigured(configuration);
  await delay(options.backoffMs(), undefined, { signal });
  // Loading the SDK takes a tenth of a second, so it is loaded only when a server really starts.
  const { connect } = await import("./client/connection.ts");
  if (signal.aborted) throw new Error("It was closed.");
  const { version, connectTimeoutMs, startTimeoutMs, features } = options.server;
  const relist = createRelisting({
    isNeeded: () => life.ready !== null && life.tools === null && !signal.aborted,
    list: () => options.list(life),
    log,
  });
  life.startedAt = Date.now();
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
      life.tools = null;
      features.toolsInDoubt();
      relist();
    },
    onEnded: (reason) => {
      if (life.ready === null) return;
      life.ready = null;
      options.onEnded(life, reason);
    },
  });
}
