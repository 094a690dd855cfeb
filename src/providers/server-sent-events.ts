/**
 * Server-sent events as both wire APIs use them. The SDKs' own readers copy what is left of a piece for every
 * event in it, which shows in a fast stream, and hide the keep-alive lines. Pure but for its own buffer.
 */

export interface EventParser {
  /** The data of every event that is complete with this piece, in order; comments and other fields are left out. */
  push(text: string): readonly string[];
}

export function createEventParser(): EventParser {
  let rest = "";
  let data: string | null = null;
  return {
    push(text) {
      const found: string[] = [];
      const all = rest + text;
      let start = 0;
      for (let end = all.indexOf("\n"); end >= 0; end = all.indexOf("\n", start)) {
        const line = all.slice(start, all[end - 1] === "\r" ? end - 1 : end);
        start = end + 1;
        if (line === "") {
          if (data !== null) found.push(data);
          data = null;
        } else if (line.startsWith("data:")) {
          const value = line.slice(line[5] === " " ? 6 : 5);
          data = data === null ? value : `${data}\n${value}`;
        }
      }
      rest = all.slice(start);
      return found;
    },
  };
}
