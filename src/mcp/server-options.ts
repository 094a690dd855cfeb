/** Options and status of a server. */
import type { ClientFeatures } from "./asking/client-features.ts";
import type { CatalogCounts } from "./catalog/catalog.ts";
import type { ServerConnectionFacts } from "./client/connection.ts";
import type { ServerConfiguration } from "./configured/launch-configuration.ts";

export interface ServerOptions {
  /** Parley's version, which servers log. */
  readonly version: string;
  /** Timeout in milliseconds of a request other than a call: a list, a prompt, a resource. */
  readonly connectTimeoutMs: number;
  /** Timeout of a start in milliseconds, if the configuration has none; the first `npx` of a server downloads it. */
  readonly startTimeoutMs: number;
  /** Timeout of a call in milliseconds, if the configuration has none. */
  readonly timeoutMs: number;
  readonly log: (text: string) => void;
  readonly features: ClientFeatures;
  /** Tells the user how to restart a server that is no longer started; absent: the editor's command. */
  readonly restartWords?: string;
  /** Milliseconds before the first restart of a server that ended. */
  readonly firstBackoffMs?: number;
}

/** The launch configuration, or a function that finds it at each start and throws an error if it is not allowed. */
export type ServerStart = ServerConfiguration | (() => Promise<ServerConfiguration>);

export interface ServerStatus {
  readonly name: string;
  /**
   * `failed`: it ended or could not be started; the next request tries again. `needs-auth`: the same, and the user has
   * to log in. `stopped`: by the user.
   */
  readonly state: "off" | "starting" | "ready" | "failed" | "needs-auth" | "stopped";
  /** The server's own names from the last list; null: not listed yet. */
  readonly tools: readonly string[] | null;
  /** Sentences about tools that were left out of that list. */
  readonly problems: readonly string[];
  /** Null until it runs. */
  readonly catalog: CatalogCounts | null;
  /** The server's own text on how to use its tools; empty if there is none or it does not run. */
  readonly instructions: string;
  /** The transport and the protocol revision in use; null until it runs. */
  readonly reached: ServerConnectionFacts | null;
  /** When the current start began, in milliseconds since the epoch; null if it is not starting. */
  readonly startedAt: number | null;
  /** Milliseconds that the start of the running process took; null if none runs. */
  readonly startMs: number | null;
  /** The last failure, as sentences; null if there was none since the start. */
  readonly problem: string | null;
  /** Its last lines on stderr. */
  readonly stderr: string;
}
