/** What is remembered about a server across runs of Parley: its tools, and the protocol revision that worked. */
import type { ListedTool } from "./catalog/tool-list.ts";

export interface KeptServer {
  /** The last listed tools. */
  readonly tools: readonly ListedTool[];
  /** Of the protocol, such as `2025-11-25`; null: the next start negotiates it. */
  readonly revision: string | null;
  /** The server's own version; null if it reports none. */
  readonly software: string | null;
}

/** A server's name and the version of its configuration: with another configuration it counts as another server. */
interface ServerKey {
  readonly name: string;
  readonly version: string;
}

/** Never throws: anything that is not stored is requested from the server. */
export interface ServerMemory {
  keep(server: ServerKey, kept: KeptServer): Promise<void>;
  recall(server: ServerKey): Promise<KeptServer>;
}

export const nothingKept: KeptServer = { tools: [], revision: null, software: null };

/** The first revision without `initialize`; its servers may support no older one. */
const newerRevision = "2026-07-28";

/** Whether the server used an older revision; then the newer one is not tried until the server's version changes. */
export function isKnownOlder({ revision }: KeptServer): boolean {
  return revision !== null && revision < newerRevision;
}

/** What to store after a start. */
export function keptAfter(
  before: KeptServer,
  { tools, revision, software }: KeptServer,
): KeptServer {
  const isUpdated = before.software !== null && before.software !== software;
  return { tools, revision: isUpdated ? null : revision, software };
}
