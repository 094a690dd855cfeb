/**
 * A copy of a buffer's lines, kept by the events of `nvim_buf_attach`, so that reading the text costs Neovim
 * nothing. Loading is in pieces: events that arrive meanwhile are applied to what is loaded, and what lies
 * below is read later.
 */
import type { Splice } from "../conversation/editor.ts";

export interface Mirror {
  /** The lines loaded so far, from the top. */
  readonly lines: string[];
  complete: boolean;
  /** The newest `b:changedtick` heard of. */
  tick: number;
}

export function createMirror(): Mirror {
  return { lines: [], complete: false, tick: 0 };
}

/** Lines per read while loading: small enough that no read holds Neovim for more than about a millisecond. */
export const loadChunk = 1000;

/** Replaces lines without spreading a whole buffer over the call stack. */
function replaceLines(lines: string[], start: number, end: number, inserted: readonly string[]) {
  if (inserted.length < 10_000) {
    lines.splice(start, end - start, ...inserted);
    return;
  }
  const below = lines.slice(end);
  lines.length = start;
  for (const line of inserted) lines.push(line);
  for (const line of below) lines.push(line);
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
      // The change reaches below what is loaded: what it touched is read again.
      mirror.lines.length = event.first;
      return null;
    }
  }
  replaceLines(mirror.lines, event.first, Math.min(last, loaded), event.lines);
  return { start: event.first, end: Math.min(last, loaded), lines: event.lines };
}

/** Takes in the answer to a read that began at line `start`; false when the text moved on meanwhile. */
export function applyLoadedChunk(
  mirror: Mirror,
  chunk: { start: number; lines: readonly string[]; tick: number; total: number },
): boolean {
  if (chunk.start !== mirror.lines.length || chunk.tick < mirror.tick) return false;
  for (const line of chunk.lines) mirror.lines.push(line);
  mirror.tick = chunk.tick;
  mirror.complete = mirror.lines.length >= chunk.total;
  return true;
}
