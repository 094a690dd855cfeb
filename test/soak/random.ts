/** Numbers that look random and are the same for the same seed. */

export interface Random {
  /** A whole number from 0 up to and without `count`. */
  below(count: number): number;
  of<T>(items: readonly [T, ...(readonly T[])]): T;
  /** One of the items, as likely as its weight says. */
  weighted<T>(items: readonly (readonly [number, T])[]): T;
}

/** Mulberry32, by Tommy Ettinger: 32 bits of state are enough to make sessions of. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const below = (count: number) => Math.floor(next() * count);
  return {
    below,
    of: ([first, ...others]) => others[below(others.length + 1) - 1] ?? first,
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
