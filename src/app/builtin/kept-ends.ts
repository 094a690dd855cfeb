/** The beginning and the end of an output of any length, in bounded memory. */

export interface KeptEnds {
  push(text: string): void;
  /** All of it, or both ends with a line that says what is missing. */
  text(): string;
  /** The last line with anything on it, cut. */
  lastLine(): string;
}

/** Characters of each end. */
const endLimit = 50_000;
const lineLimit = 120;

export function keepEnds(limit = endLimit): KeptEnds {
  let head = "";
  let tail = "";
  let dropped = 0;
  return {
    push(text) {
      const room = limit - head.length;
      head += text.slice(0, room);
      tail += text.slice(Math.max(0, room));
      // Cut now and then, so that many small pieces cost no more than a few large ones.
      if (tail.length > 2 * limit) {
        dropped += tail.length - limit;
        tail = tail.slice(-limit);
      }
    },
    text() {
      const left = dropped + Math.max(0, tail.length - limit);
      if (left === 0) return head + tail;
      return `${head}\n[… ${left} characters left out …]\n${tail.slice(-limit)}`;
    },
    lastLine() {
      const end = (tail === "" ? head : tail).slice(-4 * lineLimit).trimEnd();
      return end.slice(end.lastIndexOf("\n") + 1).slice(0, lineLimit);
    },
  };
}
