/** Ids of tool calls on the wire. The transcript's own stay as they are; these are mapped for each request. */

/** OpenAI's chat completions refuse longer ones; the others take at least as many. */
const longestId = 40;

/** Gives the id on the wire of the next call, in the order of the request. */
export type CallIds = (transcriptId: string) => string;

/**
 * A mapping for one request: every call gets an id of its own of at most 40 characters `A-Za-z0-9_-`, its own
 * id where that is possible. It depends only on the calls above, so a request that goes on where another ended
 * has the same ids (format, section 10).
 */
export function createCallIds(): CallIds {
  const used = new Set<string>();
  const lastNumbers = new Map<string, number>();
  return (transcriptId) => {
    const plain = transcriptId.replace(/[^A-Za-z0-9_-]/gu, "_").slice(0, longestId) || "call";
    let id = plain;
    let number = lastNumbers.get(plain) ?? 1;
    while (used.has(id)) {
      number += 1;
      const suffix = `_${number}`;
      id = plain.slice(0, longestId - suffix.length) + suffix;
    }
    lastNumbers.set(plain, number);
    used.add(id);
    return id;
  };
}
