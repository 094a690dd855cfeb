/** Patterns for refusals that several modules recognize. Pure. */

/** The model is not available through chat completions; the last alternative is GitHub Copilot's text. */
export const otherApi =
  /\bv1\/responses\b|\bresponses (api|endpoint)\b|not accessible via the \S*\/chat\/completions/i;

/** Thoughts that must be sent back were missing: texts of Kimi and DeepSeek, the latter for each API. */
export const missesThoughts =
  /(?:reasoning_content|reasoning_text|content\[\]\.thinking).{0,40}(?:missing|required|must be)|(?:missing|must include) `?reasoning_content/i;

/** A thought signature that must be sent back with a call was missing: Google's text. */
export const missesSignature =
  /missing an? `?thought_?signature|thought_?signature`? is (?:missing|required)/i;
