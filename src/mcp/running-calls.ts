/**
 * The running calls of one connection. A server that asks the user something does not say for which call, so the question
 * belongs to all calls that run when it arrives: usually there is only one.
 */
import type { CallOrigin, RunOptions } from "../conversation/ports.ts";
import { clip, collapseWhitespace, visible } from "../shared/visible.ts";
import { createDeadline, type Deadline } from "./deadline.ts";

/** A tool that reports progress may take longer than its timeout, by at most this factor. */
const progressFactor = 10;

export interface CallOptions extends RunOptions {
  /** Milliseconds without a message from the server. */
  readonly timeoutMs: number;
}

/** A server that asks the user something, and the calls that it may be about. */
export interface Asker {
  /** The server's key in the configuration. */
  readonly server: string;
  /** The calls that it may be about and that still run, as shown to the user; empty outside of any call. */
  calls(): readonly string[];
  /** Aborted when the answer is no longer needed. */
  readonly signal: AbortSignal;
  /** Counts a model request for the oldest of the calls; false if its turn has reached the limit. */
  spendModelCall(): boolean;
  /** False after the user declined several of its questions in a row; its next call makes it true again. */
  mayAsk(): boolean;
  /** Too many of its questions wait already: this one is dropped, and the server may not ask any more. */
  readonly isOneTooMany: boolean;
  /** Records the answer to one question; returns true if the server may not ask any more. */
  answered(isYes: boolean): boolean;
  /** Shows a text at the calls' lines while the user is asked; an empty one restores the previous text. */
  progress(text: string): void;
}

interface RunningCall {
  readonly tool: string;
  readonly origin: CallOrigin | undefined;
  readonly progress: (text: string) => void;
  readonly deadline: Deadline;
  /** Aborted when the call has ended in any way. */
  readonly ended: AbortController;
}

/** Declined questions in a row, of one server without a new call. */
const mostRefusals = 3;

/** Questions of one server that may wait at once. */
const mostWaiting = 8;

export class RunningCalls {
  readonly #server: string;
  #refusals = 0;
  #asked = 0;
  readonly #calls = new Set<RunningCall>();

  constructor(server: string) {
    this.#server = server;
  }

  /** Runs a call. `request` gets a signal that aborts at the deadline, and a callback that reports progress. */
  async run<T>(
    tool: string,
    options: CallOptions,
    request: (signal: AbortSignal, progress: (text: string) => void) => Promise<T>,
  ): Promise<T> {
    const { origin, progress, signal, timeoutMs } = options;
    const deadline = createDeadline(timeoutMs, timeoutMs * progressFactor);
    const call: RunningCall = { tool, origin, progress, deadline, ended: new AbortController() };
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

  /** Asks the user something for the running calls, whose deadlines are paused meanwhile. */
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

function shownCall({ tool, origin }: RunningCall): string {
  const name = visible(tool);
  return origin === undefined ? name : `${name} (${origin.place()})`;
}

/** `forget` removes the listeners, since a server may ask about the same calls any number of times. */
function allAborted(calls: readonly RunningCall[]): {
  readonly signal: AbortSignal;
  forget(): void;
} {
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

/** A server's progress report on a running call. */
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
