/** Token counts as the user sees them. */

import { describe, expect, test } from "vitest";
import { contextMeter } from "../../src/conversation/usage.ts";
import fc from "../support/property.ts";

const meter = (input: number, output: number, window: number | null) =>
  contextMeter({ model: "m", usage: { input, output }, window });

describe("contextMeter", () => {
  test("shows how full the context window was after the last request", () => {
    expect(contextMeter(null)).toBe("");
    expect(meter(10, 5, null)).toBe("");
    expect(meter(10, 5, 200_000)).toBe("context ▁ 15/200k");
    expect(meter(100_000, 1_234, 200_000)).toBe("context ▅ 101.2k/200k");
    expect(meter(999_000, 1000, 1_000_000)).toBe("context █ 1.0M/1M");
    expect(meter(1_048_000, 576, 1_048_576)).toBe("context █ 1.0M/1M");
    expect(meter(300_000, 0, 200_000)).toBe("context █ 300.0k/200k");
  });

  test("never falls with more tokens, and contains no % for the statusline", () => {
    const tokens = fc.nat(3_000_000);
    fc.assert(
      fc.property(tokens, tokens, fc.integer({ min: 1, max: 2_000_000 }), (a, b, window) => {
        const bar = (input: number) => meter(input, 0, window).split(" ")[1] ?? "";
        const [less, more] = [Math.min(a, b), Math.max(a, b)];
        expect(bar(less) <= bar(more)).toBe(true);
        expect(meter(a, b, window)).not.toContain("%");
      }),
    );
  });
});
