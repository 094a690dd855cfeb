/** Replaces secrets in what is shown or logged, however they are encoded there. */

/** The value under such a name may be a secret. */
export const secretName = /token|key|secret|passw|auth|bearer|credential/i;

/**
 * The text with `shown` in place of each secret: verbatim, in base64 (also within more data), as in JSON and in a URL.
 */
export function withoutSecretTexts(text: string, secrets: Iterable<string>, shown: string): string {
  const spellings = new Set([...secrets].flatMap(spellingsOf));
  spellings.delete("");
  const places = [...spellings].flatMap((spelling) => placesOf(text, spelling));
  const parts: string[] = [];
  let end = 0;
  for (const { from, to } of places.sort((left, right) => left.from - right.from)) {
    // When two occurrences overlap, no rest of either may remain.
    if (from >= end) parts.push(text.slice(end, from), shown);
    end = Math.max(end, to);
  }
  return [...parts, text.slice(end)].join("");
}

/** All places of the spelling, including those that overlap. */
function placesOf(text: string, spelling: string) {
  const places: { readonly from: number; readonly to: number }[] = [];
  for (let from = text.indexOf(spelling); from >= 0; from = text.indexOf(spelling, from + 1)) {
    places.push({ from, to: from + spelling.length });
  }
  return places;
}

/** In characters; shorter texts also occur in unrelated data. */
const shortestEncoded = 8;

function spellingsOf(secret: string): readonly string[] {
  const encoded = [0, 1, 2].flatMap((before) => base64Inside(secret, before));
  const inJson = JSON.stringify(secret).slice(1, -1);
  // PHP escapes slashes; Python and others escape what is not ASCII.
  const slashed = inJson.replaceAll("/", "\\/");
  const inAscii = [inJson, slashed].map((text) => text.replace(/[^ -~]/g, unicodeEscape));
  // Go, Java and .NET escape characters with a meaning in HTML; .NET escapes more, in upper-case digits.
  const inHtml = [/[<>&]/g, /[<>&=']/g].map((units) => inJson.replace(units, unicodeEscape));
  const inDotNet = secret
    .replaceAll("\\", "\\\\")
    .replace(/["&'+<>`]|[^ -~]/g, (unit) => `\\u${digitsOf(unit).toUpperCase()}`);
  const asJson = [inJson, slashed, ...inAscii, ...inHtml, inDotNet];
  return [secret, ...asJson, ...inAddresses(secret), ...encoded];
}

function unicodeEscape(unit: string): string {
  return `\\u${digitsOf(unit)}`;
}

function digitsOf(unit: string): string {
  return unit.charCodeAt(0).toString(16).padStart(4, "0");
}

/** Encodings in URLs: that of JavaScript, that of forms, and those that escape more or use lower-case digits. */
function inAddresses(secret: string): readonly string[] {
  // A lone surrogate has no such encoding.
  const whole = secret.replace(/\p{Cs}/gu, "");
  const plain = encodeURIComponent(whole);
  const strict = plain.replace(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const inForm = new URLSearchParams([["", whole]]).toString().slice(1);
  const spellings = [plain, strict, inForm];
  return spellings.flatMap((text) => [text, text.replace(/%../g, (one) => one.toLowerCase())]);
}

/**
 * The base64 of the secret after `before` unknown bytes (of three), without the letters at its ends, which depend on
 * the adjacent bytes.
 */
function base64Inside(secret: string, before: number): readonly string[] {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret, "utf8")]);
  const first = Math.ceil((before * 8) / 6);
  const last = Math.floor((bytes.length * 8) / 6);
  const inside = bytes.toString("base64").slice(first, last);
  if (inside.length < shortestEncoded) return [];
  return [inside, inside.replaceAll("+", "-").replaceAll("/", "_")];
}
