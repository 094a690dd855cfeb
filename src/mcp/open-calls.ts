/**
 * The calls under way on one connection. A server that asks the person something says not for which call, so
 * the question belongs to the calls that are under way when it comes: as a rule there is one.
 */
import type { CallOrigin, RunOptions } from "../conversation/ports.ts";
import { clip, collapseWhitespace, visible } from "../shared/visible.ts";
import { createDeadline, type Deadline } from "./deadline.ts";

/** A tool that reports progress may take longer than its timeout, but not by more than this factor. */
const progressFactor = 10;

export interface CallOptions extends RunOptions {
  /** Milliseconds without a word from the server. */
  readonly timeoutMs: number;
}

/** Who asks the person, and for what. */
export interface Asker {
  /** The server's key in the configuration. */
  readonly server: string;
  /** The calls that it may be for and that still run, as a person finds them; empty outside of any call. */
  calls(): readonly string[];
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Counts a request to a model for the oldest of the calls; false when its turn may make no more. */
  spendModelCall(): boolean;
  /** False when the person left its questions again and again: they are not asked until its next call. */
  mayAsk(): boolean;
  /** So many of its questions wait already that this one is not kept: the person is not asked from now on. */
  readonly isOneTooMany: boolean;
  /** What came of one question; true when the person is not asked from now on. */
  answered(isYes: boolean): boolean;
  /** Words at the calls' lines while the person is asked; empty: as before. */
  progress(text: string): void;
}

interface OpenCall {
  readonly tool: string;
  readonly origin: CallOrigin | undefined;
  readonly progress: (text: string) => void;
  readonly deadline: Deadline;
  /** Aborted when the call has ended, however. */
  readonly ended: AbortController;
}

/** In a row, of one server without a new call. */
const mostRefusals = 3;

/** Questions of one server that wait at once. */
const mostWaiting = 8;

export class OpenCalls {
  readonly #server: string;
  #refusals = 0;
  #asked = 0;
  readonly #calls = new Set<OpenCall>();

  constructor(server: string) {
    this.#server = server;
  }

  /** Runs a call that can be asked about. `request` gets the signal that ends it in time, and is told progress. */
  async run<T>(
    tool: string,
    options: CallOptions,
    request: (signal: AbortSignal, progress: (text: string) => void) => Promise<T>,
  ): Promise<T> {
    const { origin, progress, signal, timeoutMs } = options;
    const deadline = createDeadline(timeoutMs, timeoutMs * progressFactor);
    const call: OpenCall = { tool, origin, progress, deadline, ended: new AbortController() };
    const end = () => call.ended.abort();
    signal.addEventListener("abort", end, { once: true });
    this.#calls.add(call);
    this.#refusals = 0;
    try {
      return await request(AbortSignal.any([signal, deadline.signal]), (text) => {
        deadline.reset();
        progress(text);
      });
    } finally {
      signal.removeEventListener("abort", end);
      this.#calls.delete(call);
      deadline.end();
      end();
    }
  }

  /** Asks the person something for the calls under way, whose time stands still meanwhile. */
  async ask<T>(signal: AbortSignal, ask: (asker: Asker) => Promise<T>): Promise<T> {
    const calls = [...this.#calls];
    const isOneTooMany = this.#asked >= mostWaiting;
    if (isOneTooMany) this.#refusals = Math.max(this.#refusals, mostRefusals - 1);
    this.#asked += 1;
    let hasWords = false;
    const progress = (text: string) => {
      hasWords = text !== "";
      for (const call of calls) call.progress(text);
    };
    const ended = calls.length === 0 || isOneTooMany ? null : allAborted(calls);
    const signals = ended === null ? [signal] : [signal, ended.signal];
    for (const { deadline } of calls) deadline.pause();
    try {
      return await ask({
        server: this.#server,
        calls: () => calls.filter(({ ended }) => !ended.signal.aborted).map(shownCall),
        signal: AbortSignal.any(signals),
        spendModelCall: () => calls[0]?.origin?.spendModelCall() ?? false,
        mayAsk: () => this.#refusals < mostRefusals,
        isOneTooMany,
        answered: (isYes) => {
          this.#refusals = isYes ? 0 : this.#refusals + 1;
          return this.#refusals === mostRefusals;
        },
        progress,
      });
    } finally {
      this.#asked -= 1;
      ended?.forget();
      for (const { deadline } of calls) deadline.resume();
      if (hasWords) progress("");
    }
  }
}

function shownCall({ tool, origin }: OpenCall): string {
  const name = visible(tool);
  return origin === undefined ? name : `${name} (${origin.place()})`;
}

/** `forget` leaves nothing at the calls, of which a server may ask without end. */
function allAborted(calls: readonly OpenCall[]): { readonly signal: AbortSignal; forget(): void } {
  const all = new AbortController();
  let left = calls.length;
  const one = () => {
    left -= 1;
    if (left === 0) all.abort(new Error("The call has ended."));
  };
  for (const { ended } of calls) {
    if (ended.signal.aborted) one();
    else ended.signal.addEventListener("abort", one, { once: true });
  }
  return {
    signal: all.signal,
    forget() {
      for (const { ended } of calls) ended.signal.removeEventListener("abort", one);
    },
  };
}

/** What a server says about a running call. */
export interface ProgressReport {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

const maximumLength = 100;

/** One line for the screen, such as `3/10 reading files`. */
export function progressText({ progress, total, message }: ProgressReport): string {
  const count = total === undefined ? String(progress) : `${progress}/${total}`;
  const words = collapseWhitespace(message ?? "");
  return clip(words === "" ? count : `${count} ${words}`, maximumLength).text;
}
