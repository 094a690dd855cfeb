/** What is kept of a server over the end of this program: its tools, and how it was spoken to. */
import type { ListedTool } from "./catalog/tool-list.ts";

export interface KeptServer {
  /** As it listed them last. */
  readonly tools: readonly ListedTool[];
  /** Of the protocol, as `2025-11-25`; null: the next start finds out. */
  readonly revision: string | null;
  /** The version of the server itself; null where it tells none. */
  readonly software: string | null;
}

/** A server by its name and the version of its configuration: configured otherwise it is another one. */
interface ServerKey {
  readonly name: string;
  readonly version: string;
}

/** Never throws: what was not kept is found out from the server. */
export interface ServerMemory {
  keep(server: ServerKey, kept: KeptServer): Promise<void>;
  recall(server: ServerKey): Promise<KeptServer>;
}

export const nothingKept: KeptServer = { tools: [], revision: null, software: null };

/** The first revision without `initialize`; servers of it may know no other. */
const newerRevision = "2026-07-28";

/** A server that speaks the older revisions is asked for no newer one, until it is another version of itself. */
export function isKnownOlder({ revision }: KeptServer): boolean {
  return revision !== null && revision < newerRevision;
}

/** What is to be kept after a start. */
export function keptAfter(
  before: KeptServer,
  { tools, revision, software }: KeptServer,
): KeptServer {
  const isUpdated = before.software !== null && before.software !== software;
  return { tools, revision: isUpdated ? null : revision, software };
}
