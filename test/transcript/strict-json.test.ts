import { describe, expect, it } from "vitest";
import { readJson, syntaxMistake } from "../../src/transcript/strict-json.ts";
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

describe("readJson", () => {
  it("accepts what JSON.parse accepts, except repeated keys", () => {
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

  it("finds a repeated key at any depth", () => {
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

describe("syntaxMistake", () => {
  it.each([
    ['{"a": x}', /^Unexpected token 'x' in JSON at line 1, column 7$/],
    ['{"a": 1,\n "b": nul}', / at line 2, column 10$/],
    ['{"a at position 5": x}', / at line 1, column 21$/],
    ['{"a": 1', / at line 1, column 8$/],
    ['{"a": 1} b', / at line 1, column 10$/],
    ["", /^Unexpected end of JSON input at line 1, column 1$/],
  ])("reports the position of the error in %j", (json, reason) => {
    expect(syntaxMistake(json)).toMatch(reason);
  });

  it("points at the unexpected character, wherever it is", () => {
    const value = fc.json();
    fc.assert(
      fc.property(value, fc.nat(), fc.constantFrom("x", "}", "😊", "'", "@"), (json, at, odd) => {
        const place = at % (json.length + 1);
        const text = `${json.slice(0, place)}${odd}${json.slice(place)}`;
        fc.pre(!parses(text));
        const [, token, line, column] =
          /^(?:Unexpected token '(.+?)'|.*?) (?:in JSON )?at line (\d+), column (\d+)$/su.exec(
            syntaxMistake(text),
          ) ?? [];
        const rest = (text.split("\n")[Number(line) - 1] ?? "").slice(Number(column) - 1);
        if (token !== undefined) expect(rest.startsWith(token)).toBe(true);
        expect(Number(column)).toBeGreaterThan(0);
      }),
      { numRuns: 2000 },
    );
  });
});
