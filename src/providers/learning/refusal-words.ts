/** What refusals say that more than one place reads, as patterns over the vendors' own words. Pure. */

/** A model that chat completions have no way to; the last is GitHub Copilot's. */
export const otherApi =
  /\bv1\/responses\b|\bresponses (api|endpoint)\b|not accessible via the \S*\/chat\/completions/i;

/** Thoughts that had to come back, and did not: Kimi's and DeepSeek's. */
export const missesThoughts =
  /(?:reasoning_content|content\[\]\.thinking).{0,40}(?:missing|required|must be)|(?:missing|must include) `?reasoning_content/i;

/** A thought signature that had to come back with a call: Google's. */
export const missesSignature =
  /missing an? `?thought_?signature|thought_?signature`? is (?:missing|required)/i;
