/** Ids of tool calls on the wire. The transcript's own stay as they are; these are mapped for each request. Pure. */

/** OpenAI's chat completions refuse longer ones; the others take at least as many. */
const longestId = 40;

/** Kimi K2's: the model was taught to read and to count them. */
const counted = /^(functions\.[\w.-]{1,128}:)(\d{1,9})$/;

/** LiteLLM's, where the gateway keeps Gemini's thought signature. */
const signed = /^[\w-]{1,128}__thought__[\w+/=-]+$/;

/**
 * Whether an id says something to the model or the gateway that made it, so that another one in its place makes calls
 * fail: Kimi writes no call that can be read after `functions_read_0` (MoonshotAI/Kimi-K2 tool_call_guidance.md,
 * ml-explore/mlx-lm#821), and Gemini refuses a call without its signature (BerriAI/litellm#16895).
 */
export function hasMeaning(id: string): boolean {
  return counted.test(id) || signed.test(id);
}

/** An id like one that is taken: `call_1_2`, `functions.read:1`. */
export function anotherId(id: string, number: number, longest: number): string {
  const [, stem, count] = counted.exec(id) ?? [];
  if (stem !== undefined) return `${stem}${Number(count) + number - 1}`;
  const suffix = `_${number}`;
  return id.slice(0, longest - suffix.length) + suffix;
}

/** Gives the id on the wire of the next call, in the order of the request. */
export type CallIds = (transcriptId: string) => string;

/**
 * A mapping for one request: every call gets an id of its own of at most 40 characters `A-Za-z0-9_-`, its own
 * id where that is possible or has a meaning. It depends only on the calls above, so a request that goes on where
 * another ended has the same ids (format, section 10).
 */
export function createCallIds(): CallIds {
  const used = new Set<string>();
  const lastNumbers = new Map<string, number>();
  return (transcriptId) => {
    const plain = hasMeaning(transcriptId)
      ? transcriptId
      : transcriptId.replace(/[^A-Za-z0-9_-]/gu, "_").slice(0, longestId) || "call";
    let id = plain;
    let number = lastNumbers.get(plain) ?? 1;
    while (used.has(id)) {
      number += 1;
      id = anotherId(plain, number, longestId);
    }
    lastNumbers.set(plain, number);
    used.add(id);
    return id;
  };
}
