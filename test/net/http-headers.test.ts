/** Our Headers class behaves like Node's own. */
import { describe, expect, it } from "vitest";
import { HttpHeaders } from "../../src/net/http-headers.ts";
import fc from "../support/property.ts";

const name = fc.constantFrom("Accept", "accept", "x-a", "X-B", "Set-Cookie", "two words", "", "ä");
const value = fc.oneof(
  fc.constantFrom("", "one", " padded\t", "a, b", "line\nbreak", "nul\0", "é", "日"),
  fc.string({ maxLength: 6 }),
);
const change = fc.oneof(
  fc.record({ does: fc.constantFrom("append", "set"), name, value }),
  fc.record({ does: fc.constant("delete"), name, value }),
);

/** Everything that can be observed of the headers. */
function seen(headers: Headers) {
  const told: unknown[] = [];
  headers.forEach((text, key) => {
    told.push([key, text]);
  });
  return {
    entries: [...headers],
    keys: [...headers.keys()],
    values: [...headers.values()],
    told,
    cookies: headers.getSetCookie(),
    accept: [headers.get("ACCEPT"), headers.has("accept"), headers.get("x-none")],
    cookie: headers.get("set-cookie"),
    tag: String(headers),
  };
}

function apply(
  headers: Headers,
  changes: readonly { does: string; name: string; value: string }[],
) {
  return changes.map((one) => {
    try {
      if (one.does === "append") headers.append(one.name, one.value);
      else if (one.does === "set") headers.set(one.name, one.value);
      else if (/^[\w-]+$/.test(one.name)) headers.delete(one.name);
      return "done";
    } catch (error) {
      return error instanceof TypeError;
    }
  });
}

describe("HttpHeaders", () => {
  it("equals Node's Headers after any changes and rejects the same input", () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 8 }), (changes) => {
        const [ours, nodes] = [new HttpHeaders(), new Headers()];
        expect(apply(ours, changes)).toEqual(apply(nodes, changes));
        expect(seen(ours)).toEqual(seen(nodes));
        // Copied values lose the space behind the last comma, if nothing follows it.
        const copied = seen(new Headers(nodes));
        expect(seen(new Headers(ours))).toEqual(copied);
        expect(seen(new HttpHeaders(nodes))).toEqual(copied);
      }),
    );
  });

  it.each([
    { init: { "X-One": "1", two: "2" } },
    {
      init: [
        ["a", "1"],
        ["A", "2"],
      ] satisfies [string, string][],
    },
    { init: new Headers({ a: "1" }) },
  ])("accepts the same initial values as Node's Headers: $init", ({ init }) => {
    expect(seen(new HttpHeaders(init))).toEqual(seen(new Headers(init)));
  });

  it("accepts Node's Headers in instanceof, and Response accepts it", () => {
    expect(new Headers() instanceof HttpHeaders).toBe(true);
    expect(new HttpHeaders() instanceof HttpHeaders).toBe(true);
    expect({} instanceof HttpHeaders).toBe(false);
    expect(new Response("", { headers: new HttpHeaders({ a: "1" }) }).headers.get("a")).toBe("1");
  });
});

it("HttpHeaders handles a long run of spaces in linear time", () => {
  const value = `a${" ".repeat(1_000_000)}b`;
  expect(new HttpHeaders([["x-long", ` ${value} `]]).get("x-long")).toBe(value);
});
