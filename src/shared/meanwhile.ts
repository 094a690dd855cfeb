/** What is done while an answer is waited for. */

/**
 * Waits, and does `work` in that time: in the next round of the event loop, when what was asked has left. Nothing is
 * done when the answer comes before that.
 */
export async function meanwhile<Answer>(
  answer: Promise<Answer>,
  work: () => void,
): Promise<Answer> {
  const next = setImmediate(work);
  try {
    return await answer;
  } finally {
    clearImmediate(next);
  }
}
