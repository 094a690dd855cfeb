/** Places of a part in a text are those that JavaScript's own search finds, in any text and in linear time. */
import { describe, expect, it } from "vitest";
import {
  countOf,
  firstPlace,
  onlyPlace,
  placesOf,
  replaceEach,
} from "../../src/shared/occurrences.ts";
import fc from "../support/property.ts";

/** All places by JavaScript's own search, overlapping ones too. */
function ownPlaces(text: string, part: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) places.push(at);
  return places;
}

/** Repetitive texts, so that long parts occur, nearly occur and overlap. */
const letters = (longest: number) =>
  fc
    .array(fc.constantFrom("a", "b", "ab", "aab", "é", "💬", "\n"), { minLength: 1, maxLength: 6 })
    .chain((unit) =>
      fc
        .array(fc.constantFrom(unit.join(""), unit.join("").repeat(20), "b", "a"), {
          minLength: 1,
          maxLength: longest,
        })
        .map((pieces) => pieces.join("")),
    );
const cases = fc.oneof(
  fc.tuple(letters(30), letters(8)),
  // A piece of the text, which occurs at least once.
  fc
    .tuple(letters(30), fc.nat(), fc.integer({ min: 1, max: 400 }))
    .map(([text, from, length]): [string, string] => {
      const start = from % text.length;
      return [text, text.slice(start, start + length)];
    }),
);

describe("the places of a part", () => {
  it("are those of indexOf, and apart those of split", () => {
    fc.assert(
      fc.property(cases, fc.constantFrom("", "x", "ab"), ([text, part], by) => {
        const places = ownPlaces(text, part);
        expect([...placesOf(text, part)]).toEqual(places);
        expect(firstPlace(text, part)).toBe(places[0] ?? null);
        expect(onlyPlace(text, part)).toBe(places.length === 1 ? places[0] : null);
        expect(countOf(text, part)).toBe(text.split(part).length - 1);
        expect(replaceEach(text, part, by)).toBe(text.split(part).join(by));
      }),
    );
  });

  it("of an empty part are none", () => {
    expect([...placesOf("abc", "")]).toEqual([]);
    expect(replaceEach("abc", "", "x")).toBe("abc");
  });
});
