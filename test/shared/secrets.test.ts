import { expect, it } from "vitest";
import { secretName, withoutSecretTexts } from "../../src/shared/secrets.ts";
import fc from "../support/property.ts";

const secret = "sk-Test/1234+5678?é";

it.each([
  ["in plain text", secret],
  ["in URL encoding", encodeURIComponent(secret)],
  ["in base64", Buffer.from(secret).toString("base64")],
  ["in URL-safe base64", Buffer.from(secret).toString("base64url")],
  ["as a password in Basic authentication", Buffer.from(`user:${secret}`).toString("base64")],
  ["as a user name in Basic authentication", Buffer.from(`${secret}:`).toString("base64")],
])("hides a secret %s", (_, text) => {
  const shown = withoutSecretTexts(`before ${text} after`, [secret], "[key]");
  expect(shown).toContain("[key]");
  expect(Buffer.from(shown.slice(7, -6), "base64").toString()).not.toContain("1234+5678");
});

it("hides a secret in the JSON and URL encodings of other languages", () => {
  const odd = 'p"a/s\\s+w(ö) r*d🤖!';
  for (const spelling of [
    JSON.stringify(odd),
    '"p\\"a\\/s\\\\s+w(ö) r*d🤖!"',
    '"p\\"a/s\\\\s+w(\\u00f6) r*d\\ud83e\\udd16!"',
    '"p\\"a\\/s\\\\s+w(\\u00f6) r*d\\ud83e\\udd16!"',
    "p%22a%2Fs%5Cs%2Bw(%C3%B6)%20r*d%F0%9F%A4%96!",
    "p%22a%2fs%5cs%2bw(%c3%b6)%20r*d%f0%9f%a4%96!",
    "p%22a%2Fs%5Cs%2Bw%28%C3%B6%29%20r%2Ad%F0%9F%A4%96%21",
    "p%22a%2Fs%5Cs%2Bw%28%C3%B6%29+r*d%F0%9F%A4%96%21",
    "p%22a%2fs%5cs%2bw%28%c3%b6%29+r*d%f0%9f%a4%96%21",
  ]) {
    const shown = withoutSecretTexts(`before ${spelling} after`, [odd], "[key]");
    expect(shown.replaceAll('"', "")).toBe("before [key] after");
  }
});

it.each([
  ["Go", '"a\\u003cb\\u003e\\u0026+=\'ö/\\\\"'],
  ["Java", '"a\\u003cb\\u003e\\u0026+\\u003d\\u0027ö/\\\\"'],
  [".NET", '"a\\u003Cb\\u003E\\u0026\\u002B=\\u0027\\u00F6/\\\\"'],
])("hides a secret in JSON that %s escapes for HTML", (_, spelling) => {
  const odd = "a<b>&+='ö/\\";
  expect(JSON.parse(spelling)).toBe(odd);
  expect(withoutSecretTexts(spelling, [odd], "[key]")).toBe('"[key]"');
});

it("hides a secret between any bytes in base64, except letters that it shares with its neighbours", () => {
  const bytes = fc.uint8Array({ maxLength: 20 });
  const letter = fc.constantFrom(..."aZ7-_/+=?>~é日😀");
  const anySecret = fc.array(letter, { minLength: 9 }).map((letters) => letters.join(""));
  fc.assert(
    fc.property(
      ...([anySecret, bytes, bytes, fc.constantFrom("base64", "base64url")] as const),
      (hidden, left, right, encoding) => {
        const packed = Buffer.concat([left, Buffer.from(hidden), right]).toString(encoding);
        const shown = withoutSecretTexts(packed, [hidden], "[key]");
        expect(shown).toContain("[key]");
        const letters = Math.floor((Buffer.byteLength(hidden) * 8) / 6);
        expect(shown.replace("[key]", "").length).toBeLessThanOrEqual(packed.length - letters + 1);
      },
    ),
  );
});

it("hides all of a secret that starts with another secret", () => {
  for (const secrets of [
    ["acme-1", "acme-1-98f7"],
    ["acme-1-98f7", "acme-1"],
  ])
    expect(withoutSecretTexts("acme-1-98f7 of acme-1", secrets, "[key]")).toBe("[key] of [key]");
});

it("hides all of secrets that overlap, and nothing else", () => {
  expect(withoutSecretTexts("of acme-1-98f7-z", ["acme-1-98", "1-98f7-z"], "[key]")).toBe(
    "of [key]",
  );
  expect(withoutSecretTexts("x abababa", ["aba"], "[key]")).toBe("x [key]");
  const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(fc.string({ unit: word, maxLength: 12 }), fc.array(word), (text, secrets) => {
      const isHidden = Array.from(text, (_, at) =>
        secrets.some((secret) => {
          const near = text.slice(Math.max(0, at - secret.length + 1), at + secret.length);
          return near.includes(secret);
        }),
      );
      const left = Array.from(text).filter((_, at) => !isHidden[at]);
      expect(withoutSecretTexts(text, secrets, "|").replaceAll("|", "")).toBe(left.join(""));
    }),
  );
});

it("leaves text without a secret unchanged", () => {
  expect(withoutSecretTexts("nothing here", ["short", ""], "[key]")).toBe("nothing here");
  // The first letters of "ab" in base64.
  expect(withoutSecretTexts("YWCA", ["ab"], "[key]")).toBe("YWCA");
});

it("hides a secret that contains half a surrogate pair", () => {
  expect(withoutSecretTexts("of half\ud83d!", ["half\ud83d"], "[key]")).toBe("of [key]!");
});

it.each([
  ...["GITHUB_TOKEN", "apiKey", "client-secret", "PGPASSWORD", "passwd", "Authorization"],
  ...["x-auth", "BEARER", "Credentials"],
])("secretName matches %s", (name) => {
  expect(name).toMatch(secretName);
});
