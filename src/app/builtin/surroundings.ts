/** What the built-in tools share. */
import type { CallPath, PlannedWorld } from "../../conversation/ports.ts";
import { sha256 } from "../../shared/hash.ts";
import type { Sandbox } from "../../system/sandbox.ts";
import type { Workspace } from "../files/workspace.ts";
import type { PathAccess } from "./path-access.ts";

export interface BuiltinContext {
  readonly workspace: Workspace;
  readonly access: PathAccess;
  readonly workingFolder: () => string;
  readonly seen: SeenTexts;
  /** The rule that keeps our reading tools from a file, as it is written; null: none does. */
  readonly readDenial: (path: CallPath) => string | null;
  /** How commands run, as it is configured now. */
  readonly command: () => CommandOptions;
}

/** How commands of models run. */
export interface CommandOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Variables that no command gets. */
  readonly withheldVariables: ReadonlySet<string>;
  /** Null: commands run as the person's own. */
  readonly sandbox: Sandbox | null;
  readonly timeoutMs: number;
}

/** A text that a call would leave; `before` is null for a new file. */
export interface TextChange {
  readonly path: string;
  readonly before: string | null;
  readonly after: string;
}

/** The texts as a model knows them, by real path. */
export interface SeenTexts {
  /** Whether any text of the file was read. */
  has(path: string): boolean;
  knows(path: string, text: string): boolean;
  learn(path: string, text: string): void;
}

export function createSeenTexts(): SeenTexts {
  const hashes = new Map<string, string>();
  return {
    has: (path) => hashes.has(path),
    knows: (path, text) => hashes.get(path) === sha256(text),
    learn: (path, text) => {
      hashes.set(path, sha256(text));
    },
  };
}

/** The same tools over texts as the calls planned in `world` would leave them; nothing is written or learned. */
export function plannedContext(context: BuiltinContext, world: PlannedWorld): BuiltinContext {
  const { workspace, seen } = context;
  return {
    ...context,
    workspace: {
      ...workspace,
      async read(path) {
        const text = world.texts.get(path);
        return text === undefined
          ? workspace.read(path)
          : { text, source: "file", isUnsaved: false };
      },
      async write(path) {
        throw new TypeError(`${path} is only planned, so nothing is written.`);
      },
    },
    seen: {
      has: (path) => world.seen.has(path) || seen.has(path),
      // In a batch only its own calls change a text that it has read, and they know what they wrote.
      knows: (path, text) => world.seen.has(path) || seen.knows(path, text),
      learn: (path) => {
        world.seen.add(path);
      },
    },
  };
}
