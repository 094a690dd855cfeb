/** Types and helpers that the built-in tools share. */
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
  /** The rule, as written, that keeps the built-in reading tools from a file; null: there is none. */
  readonly readDenial: (path: CallPath) => string | null;
  /** How commands run, as configured at the time of the call. */
  readonly command: () => CommandOptions;
}

/** How commands run that a model asks for. */
export interface CommandOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Variables that no command gets. */
  readonly withheldVariables: ReadonlySet<string>;
  /** Null: commands run with the user's own rights. */
  readonly sandbox: Sandbox | null;
  readonly timeoutMs: number;
}

/** The text that a call would leave; `before` is null for a new file. */
export interface TextChange {
  readonly path: string;
  readonly before: string | null;
  readonly after: string;
}

/** The texts that the model has read, by real path. */
export interface SeenTexts {
  /** Whether the model has read any text of this file. */
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

/** The same tools over the texts that the calls planned in `world` would leave; nothing is written or learned. */
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
      // Within a batch, only its own calls change a text that it has read, and they know what they wrote.
      knows: (path, text) => world.seen.has(path) || seen.knows(path, text),
      learn: (path) => {
        world.seen.add(path);
      },
    },
  };
}
