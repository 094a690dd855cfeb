/**
 * Numbers that look random and are the same for the same seed.
 *
 * @typedef {object} Random
 * @property {(count: number) => number} below a whole number from 0 up to and without `count`
 * @property {<T>(items: readonly T[]) => T} of one of the items, of which there is at least one
 * @property {<T>(items: readonly (readonly [number, T])[]) => T} weighted one of the items, as likely as its weight says
 */

/**
 * Mulberry32, by Tommy Ettinger: 32 bits of state are enough to make sessions of.
 *
 * @param {number} seed
 * @returns {Random}
 */
export function createRandom(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const below = (count) => Math.floor(next() * count);
  return {
    below,
    of: (items) => items[below(items.length)],
    weighted(items) {
      let left = next() * items.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, item] of items) {
        left -= weight;
        if (left < 0) return item;
      }
      throw new Error("Nothing to choose from.");
    },
  };
}
