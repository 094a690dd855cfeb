/** Looks for a pattern in files on a thread of its own: a pattern that takes forever is ended with the thread. */
import { Worker } from "node:worker_threads";

export interface TextSearch {
  /** Absolute. */
  readonly files: readonly string[];
  readonly pattern: RegExp;
  /** Lines after which nothing more is looked for. */
  readonly limit: number;
}

export interface FoundLine {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

export interface FoundLines {
  readonly lines: readonly FoundLine[];
  /** Files that are too large, or could not be read. Those that are no text are none. */
  readonly leftOut: readonly string[];
}

/** Bytes of one file. */
const largestSearched = 16 * 1024 * 1024;
/** Characters of a line that are looked at, and sent back. */
const lineLimit = 100_000;
const shownLimit = 1000;

/** A text, since a thread begins with a file or a text, and the program is one bundle. */
const program = `
const { closeSync, constants, fstatSync, openSync, readFileSync } = require("node:fs");
const { parentPort, workerData } = require("node:worker_threads");
const { files, pattern, limit, largest, lineLimit, shownLimit } = workerData;
const lines = [];
const leftOut = [];
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
for (const path of files) {
  if (lines.length >= limit) break;
  let text = null;
  let handle = null;
  try {
    handle = openSync(path, flags);
    const found = fstatSync(handle);
    if (!found.isFile()) continue;
    if (found.size > largest) leftOut.push(path);
    else text = readFileSync(handle);
  } catch {
    leftOut.push(path);
  } finally {
    if (handle !== null) closeSync(handle);
  }
  if (text === null || text.includes(0)) continue;
  const all = text.toString("utf8").split("\\n");
  for (let at = 0; at < all.length && lines.length < limit; at += 1) {
    const line = all[at].replace(/\\r$/, "");
    if (at === all.length - 1 && line === "") continue;
    if (pattern.test(line.slice(0, lineLimit))) {
      lines.push({ path, line: at + 1, text: line.slice(0, shownLimit) });
    }
  }
}
parentPort.postMessage({ lines, leftOut });
`;

/** Rejects with the signal's reason when it is aborted; the thread has ended then. */
export async function searchTexts(
  { files, pattern, limit }: TextSearch,
  signal: AbortSignal,
): Promise<FoundLines> {
  signal.throwIfAborted();
  const workerData = {
    files,
    pattern,
    limit,
    largest: largestSearched,
    lineLimit,
    shownLimit,
  };
  const worker = new Worker(program, {
    eval: true,
    workerData,
    // Nothing of the environment is needed, and stdout belongs to the host.
    env: {},
    stdout: true,
    stderr: true,
  });
  let onAbort = () => {};
  try {
    return await new Promise<FoundLines>((resolve, reject) => {
      onAbort = () => reject(signal.reason);
      signal.addEventListener("abort", onAbort, { once: true });
      worker.once("message", resolve);
      worker.once("error", reject);
      worker.once("exit", () => reject(new Error("The search ended without a result.")));
    });
  } finally {
    signal.removeEventListener("abort", onAbort);
    await worker.terminate();
  }
}
