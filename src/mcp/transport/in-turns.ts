/** Reads a process's output in small pieces and yields between them: one chunk may have thousands of lines. */
import type { Readable } from "node:stream";

/** Bytes that are read before yielding to the event loop. Node itself reads up to 32 chunks of 64 kB at once. */
const atOnce = 16 * 1024;

export interface Turns {
  /** To be called when the process has ended: the rest in the pipe is then read before the pipe is closed. */
  hurry(): void;
  /** Resolves when `take` has received everything that was read. */
  done(): Promise<void>;
}

/** Passes everything from the stream to `take`, in order. */
export function readInTurns(stream: Readable, take: (piece: Buffer) => void): Turns {
  const waiting: Buffer[] = [];
  const onDone: (() => void)[] = [];
  let left = atOnce;
  let isResting = false;
  let isHurried = false;
  const rest = () => {
    isResting = true;
    if (!isHurried) stream.pause();
    setImmediate(() => {
      isResting = false;
      left = atOnce;
      work();
      if (!isResting) stream.resume();
    });
  };
  const work = () => {
    for (let chunk = waiting.shift(); chunk !== undefined; chunk = waiting.shift()) {
      const piece = chunk.subarray(0, left);
      if (piece.length < chunk.length) waiting.unshift(chunk.subarray(left));
      left -= piece.length;
      take(piece);
      if (left === 0) return rest();
    }
    for (const resolve of onDone.splice(0)) resolve();
  };
  stream.on("data", (chunk: Buffer) => {
    waiting.push(chunk);
    if (!isResting) work();
  });
  return {
    hurry() {
      isHurried = true;
      stream.resume();
    },
    async done() {
      if (waiting.length > 0 || isResting)
        await new Promise<void>((resolve) => onDone.push(resolve));
    },
  };
}
