/** What a server is made of, and what is known of it. */
import type { ClientFeatures } from "./asking/client-features.ts";
import type { CatalogCounts } from "./catalog/catalog.ts";
import type { Reached } from "./client/connection.ts";
import type { ServerConfiguration } from "./configured/launch-configuration.ts";

export interface ServerOptions {
  /** Of this program; servers log it. */
  readonly version: string;
  /** Milliseconds for one request that is no call: a list, a prompt, a resource. */
  readonly connectTimeoutMs: number;
  /** Milliseconds for a start, where the server's configuration has none; the first `npx` of a server downloads it. */
  readonly startTimeoutMs: number;
  /** Milliseconds for a call, where the server's configuration has none. */
  readonly timeoutMs: number;
  readonly log: (text: string) => void;
  readonly features: ClientFeatures;
  /** What starts a server once more that is left alone; absent: the command of the editor. */
  readonly restartWords?: string;
  /** Milliseconds before a server that ended is started again for the first time. */
  readonly firstBackoffMs?: number;
}

/** How a server is started, or what finds that out when it is; the latter throws a sentence when it may not be. */
export type ServerStart = ServerConfiguration | (() => Promise<ServerConfiguration>);

export interface ServerStatus {
  readonly name: string;
  /**
   * `failed`: it ended, or could not be started; the next need tries again. `needs-auth`: so does it, and a person
   * has to log in. `stopped`: by a person.
   */
  readonly state: "off" | "starting" | "ready" | "failed" | "needs-auth" | "stopped";
  /** The server's own names, as listed last; null: not listed yet. */
  readonly tools: readonly string[] | null;
  /** Sentences on what was left out of that list. */
  readonly problems: readonly string[];
  /** Null until it runs. */
  readonly catalog: CatalogCounts | null;
  /** How its tools are used, in its words; empty when it says nothing or does not run. */
  readonly instructions: string;
  /** How it was reached, and by which revision of the protocol; null until it runs. */
  readonly reached: Reached | null;
  /** When the start under way began, in milliseconds since the epoch; null: none is. */
  readonly startedAt: number | null;
  /** Milliseconds that the start of the running process took; null: none runs. */
  readonly startMs: number | null;
  /** What went wrong last, as sentences; null when nothing did since it was started. */
  readonly problem: string | null;
  /** Its last lines on stderr. */
  readonly stderr: string;
}
