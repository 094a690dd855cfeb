/** What servers may request from the client (MCP's client features), shared by all servers of one program. */
import { rejectOnAbort } from "../../shared/abort.ts";
import type { Dialogue } from "./dialogue.ts";
import type { Sampler } from "./sampling.ts";

export interface ClientFeatures {
  /** Absolute paths of the working folders. */
  readonly roots: () => Promise<readonly string[]>;
  /** Null if there is no user to ask: every request is then declined and reported. */
  readonly user: Dialogue | null;
  readonly sampler: Sampler;
  /** The default for servers whose configuration does not set it. */
  readonly sampling: "off" | "ask";
  readonly notify: (level: "info" | "warn", message: string) => void;
  /** A server's tools changed, or the server started or ended. */
  readonly toolsChanged: () => void;
  /** A server announced that its tools changed, but they are not listed again yet. */
  readonly toolsMayHaveChanged: () => void;
  /** Server and id of each address that the user opened and the server has not reported as completed. */
  readonly opened: Set<string>;
  /** Runs one question at a time: the user could not tell two open forms apart. */
  readonly inTurn: <T>(signal: AbortSignal, ask: () => Promise<T>) => Promise<T>;
}

/** What the caller provides; the rest is state shared by all servers. */
export type GivenFeatures = Omit<ClientFeatures, "inTurn" | "opened">;

export function createClientFeatures(given: GivenFeatures): ClientFeatures {
  return { ...given, inTurn: oneAtATime(), opened: new Set() };
}

/** Each question waits for the one before, until its signal is aborted. */
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
