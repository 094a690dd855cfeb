/** Lines out of a stream of bytes, at a cost linear in their length. */
export interface LineReader {
  /**
   * Takes the next bytes. Returns false when the line being read is longer than allowed; it reads
   * no more then.
   */
  push(chunk: Buffer): boolean;
}

const lineFeed = 0x0a;

/**
 * Calls `onLine` with every complete line, without its line end, a CR before it or a byte order
 * mark. `maximumBytes` bounds one line.
 */
export function createLineReader(maximumBytes: number, onLine: (line: string) => void): LineReader {
  // Kept apart and joined once per line: joining at every chunk makes a 10 MB line cost half a
  // second.
  let pieces: Buffer[] = [];
  let size = 0;
  let overflowed = false;

  function add(piece: Buffer): void {
    size += piece.length;
    overflowed = size > maximumBytes;
    if (!overflowed) pieces.push(piece);
    else pieces = [];
  }

  return {
    push(chunk) {
      let start = 0;
      while (!overflowed) {
        const end = chunk.indexOf(lineFeed, start);
        add(chunk.subarray(start, end < 0 ? chunk.length : end));
        if (end < 0 || overflowed) break;
        const line = Buffer.concat(pieces, size).toString("utf8");
        pieces = [];
        size = 0;
        start = end + 1;
        onLine(line.replace(/^\uFEFF/, "").replace(/\r$/, ""));
      }
      return !overflowed;
    },
  };
}
