import type { Places } from "./places.ts";
import type { Workspace } from "./workspace.ts";

/** What the built-in tools share. */
export interface BuiltinContext {
  readonly workspace: Workspace;
  readonly places: Places;
  readonly workingFolder: () => string;
  /** Hashes of the texts as a model has read them last, by real path. */
  readonly seen: Map<string, string>;
}
