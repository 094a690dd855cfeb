import { expect, test } from "vitest";
import { given } from "../../src/shared/given.ts";

test("leaves out what is null or undefined, and nothing else", () => {
  const members = given({
    zero: 0,
    no: false,
    empty: "",
    list: [],
    nothing: null,
    missing: undefined,
  });
  expect(Object.keys(members)).toEqual(["zero", "no", "empty", "list"]);
  expect(members).toStrictEqual({ zero: 0, no: false, empty: "", list: [] });
});

test("a member that is left out does not cover a default", () => {
  expect({ limit: 5, ...given({ limit: undefined }) }).toEqual({ limit: 5 });
});
