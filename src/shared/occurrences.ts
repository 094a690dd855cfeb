/**
 * Finds a part in a text, and replaces it, in linear time. V8's own search compares a long part again and again where a
 * text repeats itself: in half a megabyte of one letter, a part with another letter in its middle takes 18 seconds, and
 * a model may write both.
 */

/** Up to this length V8's search is used, which is faster in all other texts and compares no letter more often. */
const longestPlain = 64;

/**
 * The places of the part, in order; none of an empty one. `apart`: only places behind the end of the one before, as
 * `split` takes them; otherwise overlapping ones count, too.
 */
export function* placesOf(text: string, part: string, apart = false): Generator<number> {
  if (part === "" || part.length > text.length) return;
  if (part.length > longestPlain) return yield* longPlaces(text, part, apart);
  const step = apart ? part.length : 1;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + step)) yield at;
}

/** The search of Knuth, Morris and Pratt: the text is read once, and the part never again from its beginning. */
function* longPlaces(text: string, part: string, apart: boolean): Generator<number> {
  const borders = bordersOf(part);
  let matched = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && part.charCodeAt(matched) !== unit) matched = borders[matched - 1] ?? 0;
    if (part.charCodeAt(matched) === unit) matched += 1;
    if (matched < part.length) continue;
    yield at + 1 - part.length;
    matched = apart ? 0 : (borders[matched - 1] ?? 0);
  }
}

/** For each beginning of the part: how much of its own beginning it ends in, itself excluded. */
function bordersOf(part: string): Int32Array {
  const borders = new Int32Array(part.length);
  let matched = 0;
  for (let at = 1; at < part.length; at += 1) {
    const unit = part.charCodeAt(at);
    while (matched > 0 && part.charCodeAt(matched) !== unit) matched = borders[matched - 1] ?? 0;
    if (part.charCodeAt(matched) === unit) matched += 1;
    borders[at] = matched;
  }
  return borders;
}

/** The first place of the part; null: there is none. */
export function firstPlace(text: string, part: string): number | null {
  for (const place of placesOf(text, part)) return place;
  return null;
}

/** The only place of the part; null: there is none, or more than one. Overlapping places are two. */
export function onlyPlace(text: string, part: string): number | null {
  const places = placesOf(text, part);
  const first = places.next();
  return first.done === true || places.next().done !== true ? null : first.value;
}

/** How often `replaceEach` would replace the part. */
export function countOf(text: string, part: string): number {
  let count = 0;
  for (const _ of placesOf(text, part, true)) count += 1;
  return count;
}

export function replaceEach(text: string, part: string, by: string): string {
  const kept: string[] = [];
  let from = 0;
  for (const place of placesOf(text, part, true)) {
    kept.push(text.slice(from, place));
    from = place + part.length;
  }
  kept.push(text.slice(from));
  return kept.join(by);
}
