/** The thread on which schemas of servers are judged: started on need, ended when idle or when it takes too much. */
import { Worker } from "node:worker_threads";
import { messageOf } from "../shared/json.ts";
import { within } from "../shared/waiting.ts";
import type { SchemaAnswer, SchemaQuestion } from "./schema-thread.ts";
import program from "./schema-thread.ts?program";

export interface WorkerLimits {
  /** Milliseconds of the processor for one question. */
  readonly questionMs: number;
  /** Megabytes of everything that the thread keeps. */
  readonly memoryMb: number;
  /** Milliseconds until the thread runs. */
  readonly startMs: number;
  /** Milliseconds without a question after which the thread ends. */
  readonly idleMs: number;
}

export type Outcome =
  | SchemaAnswer
  /** What it would have taken too much of. */
  | { readonly type: "too-much"; readonly of: "time" | "memory" }
  /** There is no thread, and why. */
  | { readonly type: "no-thread"; readonly reason: string };

export interface SchemaWorker {
  /** One after the other: the next is asked when the last was answered. Never rejects. */
  ask(question: SchemaQuestion): Promise<{ readonly outcome: Outcome; readonly takenMs: number }>;
  isRunning(): boolean;
  end(): Promise<void>;
}

/** How much longer than its own time a question may take where the machine is busy with others. */
const patience = 10;

/** Milliseconds that a thread has to come to its end, before another one is started beside it. */
const endMs = 5000;

/** As deep as the host's own, so that it follows values as far down. */
const stackMb = 1;
const youngMb = 16;

/** Milliseconds of the processor that this process took, with its threads. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** A thread holds no process open but while it is asked. `clock`: the processor's time in milliseconds. */
export function createSchemaWorker(
  limits: WorkerLimits,
  clock: () => number = processorMs,
  text: string = program,
): SchemaWorker {
  let running: Promise<Worker> | null = null;
  let idle: NodeJS.Timeout | undefined;

  const end = async () => {
    clearTimeout(idle);
    const last = running;
    running = null;
    const worker = await last?.catch(() => null);
    if (worker == null) return;
    await within(worker.terminate(), endMs);
  };

  /** One that ends by itself is forgotten; another that was begun meanwhile is not. */
  const begin = () => {
    const mine = start(text, limits).then((started) => {
      started.once("exit", () => {
        if (running === mine) running = null;
      });
      return started;
    });
    return mine;
  };

  return {
    isRunning: () => running !== null,
    end,
    async ask(question) {
      clearTimeout(idle);
      let worker: Worker;
      try {
        running ??= begin();
        worker = await running;
      } catch (error) {
        running = null;
        return { outcome: { type: "no-thread", reason: messageOf(error) }, takenMs: 0 };
      }
      const begun = { clock: clock(), time: performance.now() };
      const taken = () => Math.min(clock() - begun.clock, performance.now() - begun.time);
      worker.ref();
      const outcome = await answerOf(worker, question, limits.questionMs, taken);
      worker.unref();
      const takenMs = taken();
      if (outcome.type === "too-much") {
        await end();
      } else {
        idle = setTimeout(() => void end(), limits.idleMs).unref();
      }
      return { outcome, takenMs };
    },
  };
}

/** Throws why it does not run. */
async function start(text: string, { memoryMb, startMs }: WorkerLimits): Promise<Worker> {
  const worker = new Worker(text, {
    eval: true,
    // Nothing of the environment is needed, and stdout belongs to the host.
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: {
      maxOldGenerationSizeMb: memoryMb,
      maxYoungGenerationSizeMb: youngMb,
      stackSizeMb: stackMb,
    },
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const ended = () => reject(new Error("the thread ended at once"));
      timer = setTimeout(() => reject(new Error("the thread did not start in time")), startMs);
      worker.once("error", reject);
      worker.once("exit", ended);
      worker.once("message", () => {
        worker.off("error", reject);
        worker.off("exit", ended);
        resolve();
      });
    });
  } catch (error) {
    void worker.terminate();
    throw error;
  } finally {
    clearTimeout(timer);
  }
  // What it throws while nobody asks ends it, and must not end the host.
  worker.on("error", () => {});
  worker.unref();
  return worker;
}

function answerOf(
  worker: Worker,
  question: SchemaQuestion,
  questionMs: number,
  taken: () => number,
): Promise<Outcome> {
  return new Promise<Outcome>((resolve) => {
    let timer: NodeJS.Timeout | null = null;
    const begun = performance.now();
    const settle = (outcome: Outcome) => {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      worker.off("message", settle);
      worker.off("error", onError);
      worker.off("exit", onExit);
      resolve(outcome);
    };
    const onError = (error: unknown) => {
      if (isOutOfMemory(error)) settle({ type: "too-much", of: "memory" });
    };
    // Memory is all that it can run out of without a word.
    const onExit = () => settle({ type: "too-much", of: "memory" });
    const look = () => {
      if (timer === null) return;
      // The last bit of it is measured by another clock.
      const isOver = taken() >= questionMs * 0.8;
      const isLate = performance.now() - begun >= questionMs * patience;
      if (isOver || isLate) settle({ type: "too-much", of: "time" });
      else timer = setTimeout(wait, questionMs / 2);
    };
    // An answer that came while this thread was busy is read first.
    const wait = () => setImmediate(look);
    worker.on("message", settle);
    worker.on("error", onError);
    worker.on("exit", onExit);
    timer = setTimeout(wait, questionMs);
    worker.postMessage(question);
  });
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
}
