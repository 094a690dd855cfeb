/** Finds fixed texts in a stream, one UTF-16 unit at a time. */

export interface Matcher {
  readonly length: number;
  /** True when the literal ends with this unit. Overlaps count. */
  feed(unit: number): boolean;
}

/** Knuth, Morris and Pratt: no unit is looked at twice. */
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

/** For each prefix the length of its longest proper suffix that is a prefix too. */
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

/** `maybe`: the text ends inside a longer literal, so that more of it has to come. */
export type LiteralMatch = string | "maybe" | null;

export interface LiteralTable {
  begins(unit: number): boolean;
  /** The longest literal that stands at `at`; `ended` when no more text comes. */
  match(text: string, at: number, ended: boolean): LiteralMatch;
}

export function createLiteralTable(literals: Iterable<string>): LiteralTable {
  const byUnit = new Map<number, string[]>();
  for (const literal of literals) {
    const unit = literal.charCodeAt(0);
    byUnit.set(unit, [...(byUnit.get(unit) ?? []), literal]);
  }
  for (const group of byUnit.values()) group.sort((a, b) => b.length - a.length);
  return {
    begins: (unit) => byUnit.has(unit),
    match(text, at, ended) {
      for (const literal of byUnit.get(text.charCodeAt(at)) ?? []) {
        if (text.startsWith(literal, at)) return literal;
        const left = text.length - at;
        if (!ended && left < literal.length && literal.startsWith(text.slice(at))) return "maybe";
      }
      return null;
    },
  };
}

export function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
}
