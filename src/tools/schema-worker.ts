/** The thread that checks values against schemas of servers: started on demand, ended when idle or over its limits. */
import { Worker } from "node:worker_threads";
import { messageOf } from "../shared/json.ts";
import { within } from "../shared/waiting.ts";
import type { SchemaAnswer, SchemaQuestion } from "./schema-thread.ts";
import program from "./schema-thread.ts?program";

export interface WorkerLimits {
  /** Milliseconds of processor time for one question. */
  readonly questionMs: number;
  /** Megabytes for everything that the thread keeps. */
  readonly memoryMb: number;
  /** Milliseconds that the thread may take to start. */
  readonly startMs: number;
  /** Milliseconds without a question after which the thread ends. */
  readonly idleMs: number;
}

export type Outcome =
  | SchemaAnswer
  /** The check would have taken too much time or memory. */
  | { readonly type: "too-much"; readonly of: "time" | "memory" }
  /** The thread could not be started, and why. */
  | { readonly type: "no-thread"; readonly reason: string };

export interface SchemaWorker {
  /** One question at a time: ask the next only after the last was answered. Never rejects. */
  ask(question: SchemaQuestion): Promise<{ readonly outcome: Outcome; readonly takenMs: number }>;
  isRunning(): boolean;
  end(): Promise<void>;
}

/** How many times its own time a question may take while the machine is busy with other work. */
const patience = 10;

/** Milliseconds that a thread has to end before another one is started next to it. */
const endMs = 5000;

/** The same as the host's, so that values are followed equally deep. */
const stackMb = 1;
const youngMb = 16;

/** Processor time in milliseconds used by this process and its threads. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The thread keeps the process alive only while a question is open. `clock`: processor time in milliseconds. */
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

  /** Forgets a thread that exits on its own, but not another one that was started meanwhile. */
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

/** Throws the reason when the thread does not start. */
async function start(text: string, { memoryMb, startMs }: WorkerLimits): Promise<Worker> {
  const worker = new Worker(text, {
    eval: true,
    // The thread needs nothing of the environment, and stdout belongs to the host.
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
  // An error thrown while no question is open ends the thread, and must not end the host.
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
    // Running out of memory is the only way in which it exits without an error.
    const onExit = () => settle({ type: "too-much", of: "memory" });
    const look = () => {
      if (timer === null) return;
      // The two clocks differ a little, so most of the time is enough.
      const isOver = taken() >= questionMs * 0.8;
      const isLate = performance.now() - begun >= questionMs * patience;
      if (isOver || isLate) settle({ type: "too-much", of: "time" });
      else timer = setTimeout(wait, questionMs / 2);
    };
    // An answer that arrived while this thread was busy is handled first.
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
