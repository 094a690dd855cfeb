/** The host's copy of a buffer's lines: read in pieces, then updated by Neovim's events. */
import type { Splice } from "../conversation/editor.ts";

interface Mirror {
  /** The lines loaded so far, from the top. */
  lines: string[];
  /** A caller keeps the current array, so the next change goes into a copy. */
  isRead: boolean;
  complete: boolean;
  /** The newest `b:changedtick` received. */
  tick: number;
}

export function createMirror(): Mirror {
  return { lines: [], isRead: false, complete: false, tick: 0 };
}

/** Lines per read while loading: small enough that no read holds Neovim for more than about a millisecond. */
export const loadChunk = 1000;

/** Longer lists are not passed as arguments, which go onto the call stack. */
const mostSpread = 10_000;

/** An array that was handed out stays as it is: the next change goes into a copy, which has no spare room. */
function replaceLines(mirror: Mirror, start: number, end: number, inserted: readonly string[]) {
  const { lines, isRead } = mirror;
  mirror.isRead = false;
  if (inserted.length > mostSpread) {
    mirror.lines = lines.slice(0, start).concat(inserted, lines.slice(end));
  } else if (isRead) mirror.lines = lines.toSpliced(start, end - start, ...inserted);
  else lines.splice(start, end - start, ...inserted);
}

/** Applies one `nvim_buf_lines_event`. `last` is -1 when everything from `first` on was replaced. */
export function applyLinesEvent(
  mirror: Mirror,
  event: { first: number; last: number; lines: readonly string[] },
): Splice | null {
  const loaded = mirror.lines.length;
  const last = event.last < 0 ? Math.max(loaded, event.first) : event.last;
  if (!mirror.complete) {
    if (event.first >= loaded) return null;
    if (last > loaded) {
      // The change reaches below what is loaded, so the lines that it touched are read again.
      mirror.lines.length = event.first;
      return null;
    }
  }
  const end = Math.min(last, loaded);
  replaceLines(mirror, event.first, end, event.lines);
  // Neovim reports an emptied buffer as one without lines, and counts one empty line from then on.
  const isEmptied = mirror.complete && mirror.lines.length === 0;
  if (isEmptied) mirror.lines.push("");
  return { start: event.first, end, lines: isEmptied ? [""] : event.lines };
}

/** Adds the answer to a read that began at line `start`, unless the text has changed meanwhile. */
export function applyLoadedChunk(
  mirror: Mirror,
  chunk: { start: number; heard: number; lines: readonly string[]; tick: number; total: number },
): void {
  // An answer is never older than the events before its request, so a lower tick means that Neovim has reset its count.
  if (chunk.tick < chunk.heard) Object.assign(mirror, { lines: [], tick: chunk.tick });
  if (chunk.start !== mirror.lines.length || chunk.tick < mirror.tick) return;
  for (const line of chunk.lines) mirror.lines.push(line);
  mirror.tick = chunk.tick;
  mirror.complete = mirror.lines.length >= chunk.total;
}

export function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, index) => line === other[index]);
}

/** The splice that turns one text into the other; null when they are the same. */
export function changeBetween(before: readonly string[], after: readonly string[]): Splice | null {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  if (start === before.length && start === after.length) return null;
  const most = Math.min(before.length, after.length) - start;
  let same = 0;
  while (same < most && before.at(-1 - same) === after.at(-1 - same)) same += 1;
  return { start, end: before.length - same, lines: after.slice(start, after.length - same) };
}
