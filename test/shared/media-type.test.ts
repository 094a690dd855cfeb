/** What counts as a media type, from servers and in a chat. */
import { expect, it } from "vitest";
import { mediaTypeOf, unknownMediaType } from "../../src/shared/media-type.ts";

it("takes a declared type without its parameters and in small letters", () => {
  expect(mediaTypeOf(" Text/HTML; charset=utf-8")).toBe("text/html");
  expect(mediaTypeOf("image/svg+xml")).toBe("image/svg+xml");
});

it.each([undefined, null, 7, "", "image", "image/", "a b/c", "image/png](x)"])(
  "does not take %j as a type",
  (declared) => {
    expect(mediaTypeOf(declared)).toBe(unknownMediaType);
  },
);
