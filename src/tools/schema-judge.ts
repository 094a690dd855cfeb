/**
 * Validates values against schemas of servers, whatever these take: on one thread, one question at a time. A server
 * never delays the others for longer than one question may take, and gets a small share of the processor: once the
 * share is used up, its schemas are not checked until some of it is back.
 */

import type { SchemaQuestion } from "./schema-thread.ts";
import {
  createSchemaWorker,
  type Outcome,
  type SchemaWorker,
  type WorkerLimits,
} from "./schema-worker.ts";

export type SchemaVerdict =
  | Outcome
  /** Its server's share of the processor is used up for now. */
  | { readonly type: "spent" };

export interface JudgeLimits extends WorkerLimits {
  /** Milliseconds of processor time that a server may use at once. */
  readonly shareMs: number;
  /** How much of its used time a server gets back per millisecond. */
  readonly refill: number;
}

export const judgeLimits: JudgeLimits = {
  questionMs: 1000,
  memoryMb: 128,
  startMs: 30_000,
  idleMs: 60_000,
  shareMs: 5000,
  refill: 1 / 60,
};

export interface SchemaJudge {
  /** `server` is the owner of the schema. Never rejects. */
  judge(server: string, question: SchemaQuestion): Promise<SchemaVerdict>;
  /** Whether the thread exists now. */
  isRunning(): boolean;
  end(): Promise<void>;
}

interface Waiting {
  readonly question: SchemaQuestion;
  readonly resolve: (verdict: SchemaVerdict) => void;
}

/** What remains of a server's share; below zero after a question that took more than was left. */
interface Share {
  readonly leftMs: number;
  /** The time of that measurement, in milliseconds. */
  readonly at: number;
}

/** `now` returns milliseconds of any clock. */
export function createSchemaJudge(
  limits: JudgeLimits = judgeLimits,
  worker: SchemaWorker = createSchemaWorker(limits),
  now: () => number = () => performance.now(),
): SchemaJudge {
  const shares = new Map<string, Share>();
  /** By server, in the order in which they began to wait. */
  const queues = new Map<string, Waiting[]>();
  let isBusy = false;

  const leftOf = (server: string) => {
    const share = shares.get(server);
    if (share === undefined) return limits.shareMs;
    return Math.min(limits.shareMs, share.leftMs + (now() - share.at) * limits.refill);
  };

  /** Takes a question of the server with the largest remaining share. */
  const next = () => {
    const [server] = [...queues.keys()].sort((a, b) => leftOf(b) - leftOf(a));
    if (server === undefined) return null;
    const queue = queues.get(server) ?? [];
    const waiting = queue.shift();
    if (queue.length === 0) queues.delete(server);
    return waiting === undefined ? null : { server, ...waiting };
  };

  const work = async () => {
    if (isBusy) return;
    isBusy = true;
    for (let asked = next(); asked !== null; asked = next()) {
      const { server, question, resolve } = asked;
      if (leftOf(server) <= 0) {
        resolve({ type: "spent" });
        continue;
      }
      const { outcome, takenMs } = await worker.ask(question);
      shares.set(server, { leftMs: leftOf(server) - takenMs, at: now() });
      resolve(outcome);
    }
    isBusy = false;
  };

  return {
    isRunning: () => worker.isRunning(),
    end: () => worker.end(),
    judge: (server, question) =>
      new Promise((resolve) => {
        const waiting: Waiting = { question, resolve };
        const queue = queues.get(server);
        if (queue === undefined) queues.set(server, [waiting]);
        else queue.push(waiting);
        void work();
      }),
  };
}
