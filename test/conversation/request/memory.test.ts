import { describe, expect, it } from "vitest";
import { oldBorder } from "../../../src/conversation/request/needed-files.ts";
import fc from "../../support/property.ts";

describe("oldBorder", () => {
  it("follows the formula in section 10 of the format", () => {
    expect(oldBorder(42, 42)).toBe(0);
    expect(oldBorder(51, 42)).toBe(0);
    expect(oldBorder(52, 42)).toBe(10);
    expect(oldBorder(61, 42)).toBe(10);
    expect(oldBorder(62, 42)).toBe(20);
    expect(oldBorder(3, 2)).toBe(1);
    expect(oldBorder(3, 0)).toBe(3);
  });

  it("never moves back, and keeps from max to 1.25 times max exchanges in full", () => {
    fc.assert(
      fc.property(fc.nat(500), fc.nat(100), (finished, max) => {
        const border = oldBorder(finished, max);
        expect(oldBorder(finished + 1, max)).toBeGreaterThanOrEqual(border);
        const full = finished - border;
        if (finished >= max) expect(full).toBeGreaterThanOrEqual(max);
        expect(full).toBeLessThan(max + Math.max(1, Math.floor(max / 4)));
      }),
    );
  });
});
