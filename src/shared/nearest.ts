/** Guesses which known word the user meant. */

/** The nearest known word: at most two letters away, one in a short word; null when none is that near. */
export function nearestWord(word: string, known: Iterable<string>): string | null {
  const most = Math.min(2, Math.floor(word.length / 3));
  let best: string | null = null;
  let bestDistance = most + 1;
  for (const other of known) {
    if (Math.abs(other.length - word.length) >= bestDistance) continue;
    const distance = editDistance(word, other);
    if (distance >= bestDistance) continue;
    best = other;
    bestDistance = distance;
  }
  return best;
}

/**
 * The number of letters to insert, delete, replace or swap with the next. Both words are short, since one is a known
 * word.
 */
function editDistance(a: string, b: string): number {
  let before: readonly number[] = [];
  let above: readonly number[] = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = (above[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const added = Math.min(above[column] ?? 0, current[column - 1] ?? 0) + 1;
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swapped = isSwap && row > 1 && column > 1 ? (before[column - 2] ?? 0) + 1 : Infinity;
      current.push(Math.min(replaced, added, swapped));
    }
    before = above;
    above = current;
  }
  return above[b.length] ?? 0;
}
