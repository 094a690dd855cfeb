import { expect, test } from "vitest";
import { given } from "../../src/shared/given.ts";

test("given leaves out only members that are null or undefined", () => {
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

test("given keeps a default from being overwritten with undefined", () => {
  expect({ limit: 5, ...given({ limit: undefined }) }).toEqual({ limit: 5 });
});
