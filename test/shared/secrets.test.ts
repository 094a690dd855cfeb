import { expect, it } from "vitest";
import { withoutSecretTexts } from "../../src/shared/secrets.ts";
import fc from "../support/property.ts";

const secret = "sk-Test/1234+5678?é";

it.each([
  ["as it is", secret],
  ["in an address", encodeURIComponent(secret)],
  ["in base64", Buffer.from(secret).toString("base64")],
  ["in base64 for addresses", Buffer.from(secret).toString("base64url")],
  ["as a password of Basic", Buffer.from(`user:${secret}`).toString("base64")],
  ["as a name of Basic", Buffer.from(`${secret}:`).toString("base64")],
])("hides a secret %s", (_, text) => {
  const shown = withoutSecretTexts(`before ${text} after`, [secret], "[key]");
  expect(shown).toContain("[key]");
  expect(Buffer.from(shown.slice(7, -6), "base64").toString()).not.toContain("1234+5678");
});

it("hides a secret behind and before anything in base64", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 20 }),
      fc.uint8Array({ maxLength: 20 }),
      (left, right) => {
        const packed = Buffer.concat([left, Buffer.from(secret), right]).toString("base64");
        expect(withoutSecretTexts(packed, [secret], "[key]")).toContain("[key]");
      },
    ),
  );
});

it("hides all of a secret that begins or ends like another", () => {
  for (const secrets of [
    ["acme-1", "acme-1-98f7"],
    ["acme-1-98f7", "acme-1"],
  ])
    expect(withoutSecretTexts("acme-1-98f7 of acme-1", secrets, "[key]")).toBe("[key] of [key]");
});

it("leaves what is none", () => {
  expect(withoutSecretTexts("nothing here", ["short"], "[key]")).toBe("nothing here");
});
