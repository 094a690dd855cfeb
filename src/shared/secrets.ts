/** Secrets in what is shown or logged, however they are spelled there. */

/** Of what is named so, the value may be one. */
export const secretName = /token|key|secret|passw|auth|bearer|credential/i;

/** The text with `shown` in place of each secret: as it is, in base64 (also inside of more), as in JSON and in an address. */
export function withoutSecretTexts(text: string, secrets: Iterable<string>, shown: string): string {
  const spellings = new Set([...secrets].flatMap(spellingsOf));
  spellings.delete("");
  const places = [...spellings].flatMap((spelling) => placesOf(text, spelling));
  const parts: string[] = [];
  let end = 0;
  for (const { from, to } of places.sort((left, right) => left.from - right.from)) {
    // Of two that overlap neither may leave a rest.
    if (from >= end) parts.push(text.slice(end, from), shown);
    end = Math.max(end, to);
  }
  return [...parts, text.slice(end)].join("");
}

/** Where the spelling stands, also inside of itself. */
function placesOf(text: string, spelling: string) {
  const places: { readonly from: number; readonly to: number }[] = [];
  for (let from = text.indexOf(spelling); from >= 0; from = text.indexOf(spelling, from + 1)) {
    places.push({ from, to: from + spelling.length });
  }
  return places;
}

/** In characters; what is shorter is found in texts that have nothing to do with it. */
const shortestEncoded = 8;

function spellingsOf(secret: string): readonly string[] {
  const encoded = [0, 1, 2].flatMap((before) => base64Inside(secret, before));
  const inJson = JSON.stringify(secret).slice(1, -1);
  // PHP escapes slashes, Python and others what is no ASCII.
  const slashed = inJson.replaceAll("/", "\\/");
  const inAscii = [inJson, slashed].map((text) => text.replace(/[^ -~]/g, unicodeEscape));
  // Go, Java and .NET escape what means something in HTML, and .NET more, with capital digits.
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

/** As JavaScript writes it, as forms do, and as others, who escape more or with small digits. */
function inAddresses(secret: string): readonly string[] {
  // Half a character has no such spelling.
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
 * What base64 makes of the secret behind so many bytes (of three) that are not known: without the letters at its ends,
 * which depend on what stands beside it.
 */
function base64Inside(secret: string, before: number): readonly string[] {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret, "utf8")]);
  const first = Math.ceil((before * 8) / 6);
  const last = Math.floor((bytes.length * 8) / 6);
  const inside = bytes.toString("base64").slice(first, last);
  if (inside.length < shortestEncoded) return [];
  return [inside, inside.replaceAll("+", "-").replaceAll("/", "_")];
}
