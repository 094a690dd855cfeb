/** Reads a process's output in small pieces with turns for other work between them: one chunk may hold thousands of lines. */
import type { Readable } from "node:stream";

/** Bytes that are read before other work gets its turn. Node itself reads 32 chunks of 64 kB first. */
const atOnce = 16 * 1024;

export interface Turns {
  /** Call it when the process has ended: what the pipe holds is then read before the pipe is closed. */
  hurry(): void;
  /** Resolves when `take` has got everything that was read. */
  done(): Promise<void>;
}

/** Passes everything from the stream to `take`, in order. */
export function inTurns(stream: Readable, take: (piece: Buffer) => void): Turns {
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
    for (const tell of onDone.splice(0)) tell();
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
      if (waiting.length > 0 || isResting) await new Promise<void>((tell) => onDone.push(tell));
    },
  };
}
