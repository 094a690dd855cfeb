/** Finds fixed texts in a stream, one UTF-16 code unit at a time. */

export interface Matcher {
  readonly length: number;
  /** Returns true if the literal ends with this code unit. Overlapping matches count. */
  feed(unit: number): boolean;
}

/** Knuth–Morris–Pratt search: no code unit is read twice. */
export function createMatcher(literal: string): Matcher {
  const fallback = fallbacks(literal);
  let matched = 0;
  return {
    length: literal.length,
    feed(unit) {
      while (matched > 0 && literal.charCodeAt(matched) !== unit) {
        matched = fallback[matched - 1] ?? 0;
      }
      if (literal.charCodeAt(matched) === unit) matched += 1;
      if (matched < literal.length) return false;
      matched = fallback[matched - 1] ?? 0;
      return true;
    },
  };
}

/** For each prefix, the length of its longest proper suffix that is also a prefix. */
function fallbacks(literal: string): readonly number[] {
  const lengths = [0];
  let length = 0;
  for (let index = 1; index < literal.length; index += 1) {
    while (length > 0 && literal[index] !== literal[length]) length = lengths[length - 1] ?? 0;
    if (literal[index] === literal[length]) length += 1;
    lengths.push(length);
  }
  return lengths;
}

/** `maybe`: the text ends inside a longer literal, so more text is needed. */
export type LiteralMatch = string | "maybe" | null;

export interface LiteralTable {
  begins(unit: number): boolean;
  /** Returns the longest literal at `at`; `ended`: no more text will come. */
  match(text: string, at: number, ended: boolean): LiteralMatch;
}

export function createLiteralTable(literals: Iterable<string>): LiteralTable {
  const beginnings = new Set<number>();
  /** Keyed by their first two code units, since hostile text may cause a lookup at every one. */
  const byPair = new Map<number, string[]>();
  const single = new Set<string>();
  for (const literal of literals) {
    beginnings.add(literal.charCodeAt(0));
    if (literal.length === 1) {
      single.add(literal);
    } else {
      const pair = pairAt(literal, 0);
      byPair.set(pair, [...(byPair.get(pair) ?? []), literal]);
    }
  }
  for (const group of byPair.values()) group.sort((a, b) => b.length - a.length);
  return {
    begins: (unit) => beginnings.has(unit),
    match(text, at, ended) {
      const left = text.length - at;
      // Even for a literal of one code unit, the next one is needed to rule out a longer literal.
      if (left === 1 && !ended) return "maybe";
      for (const literal of (left > 1 && byPair.get(pairAt(text, at))) || []) {
        if (text.startsWith(literal, at)) return literal;
        if (!ended && left < literal.length && literal.startsWith(text.slice(at))) return "maybe";
      }
      const unit = text.charAt(at);
      return single.has(unit) ? unit : null;
    },
  };
}

function pairAt(text: string, at: number): number {
  return text.charCodeAt(at) * 0x10000 + text.charCodeAt(at + 1);
}

export function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
}
