/** What servers may ask of us (MCP's client features), the same for all servers of one program. */
import { rejectOnAbort } from "../../shared/abort.ts";
import type { Dialogue } from "./dialogue.ts";
import type { Sampler } from "./sampling.ts";

export interface ClientFeatures {
  /** Absolute paths of the folders to work in. */
  readonly roots: () => Promise<readonly string[]>;
  /** Null where nobody can be asked: then everything is declined, and that is told. */
  readonly person: Dialogue | null;
  readonly sampler: Sampler;
  /** Where a server's configuration says nothing. */
  readonly sampling: "off" | "ask";
  readonly notify: (level: "info" | "warn", message: string) => void;
  /** A server's tools are not what they were, or it started or ended. */
  readonly toolsChanged: () => void;
  /** A server says that its tools changed, and they are not listed yet. */
  readonly toolsInDoubt: () => void;
  /** Server and id of each address that the person opened and that is not known to be done. */
  readonly opened: Set<string>;
  /** Runs one question after another: two forms at once could not be told apart. */
  readonly inTurn: <T>(signal: AbortSignal, ask: () => Promise<T>) => Promise<T>;
}

/** What the caller gives, and what is kept for all servers. */
export type GivenFeatures = Omit<ClientFeatures, "inTurn" | "opened">;

export function createClientFeatures(given: GivenFeatures): ClientFeatures {
  return { ...given, inTurn: oneAtATime(), opened: new Set() };
}

/** Each waits for the one before, and no longer once its signal is aborted. */
function oneAtATime(): ClientFeatures["inTurn"] {
  let last: Promise<unknown> = Promise.resolve();
  return async (signal, ask) => {
    const before = last;
    let done = () => {};
    const own = new Promise<void>((resolve) => {
      done = resolve;
    });
    last = before.then(() => own);
    try {
      await rejectOnAbort(before, signal);
      return await ask();
    } finally {
      done();
    }
  };
}
