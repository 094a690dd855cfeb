import { describe, expect, it } from "vitest";
import { readJson } from "../../src/transcript/json.ts";
import fc from "../support/property.ts";

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const tokens = ["{", "}", "[", "]", ",", ":", '"a"', '"b"', '"\\u00e9"', "1", "-0.5e+3", "01"];
const odd = ["true", "null", "nul", " ", "\n", '"\\x"', '"', '"\n"', "\u00a0", "+1", "1.", "NaN"];

describe("reading JSON", () => {
  it("takes what JSON.parse takes, but for repeated keys", () => {
    const text = fc.oneof(
      fc.array(fc.constantFrom(...tokens, ...odd), { maxLength: 9 }).map((parts) => parts.join("")),
      fc.json(),
      fc.string(),
    );
    fc.assert(
      fc.property(text, (json) => {
        const reading = readJson(json);
        if (reading.ok) expect(reading.value).toEqual(JSON.parse(json));
        else expect(reading.repeatsKey).toBe(parses(json));
      }),
      { numRuns: 3000 },
    );
  });

  it("finds a repeated key wherever it is", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (value, key) => {
        const name = JSON.stringify(key);
        const object = `{${name}:1,"other ${"x"}":${JSON.stringify(value)},${name}:2}`;
        fc.pre(key !== "other x");
        for (const json of [object, `[0,${object}]`, `{"k":{"l":${object}}}`]) {
          expect(readJson(json)).toMatchObject({ ok: false, repeatsKey: true });
        }
      }),
    );
  });
});
