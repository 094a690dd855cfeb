import { describe, expect, it } from "vitest";
import { createBackoff } from "../../src/mcp/server.ts";

function scene(firstWaitMs = 1000) {
  let time = 0;
  const backoff = createBackoff(firstWaitMs, () => time);
  return { backoff, pass: (milliseconds: number) => (time += milliseconds) };
}

describe("the pause before a server starts again", () => {
  it("doubles with every quick end, and after five a user decides", () => {
    const { backoff, pass } = scene();
    expect(backoff.waitMs()).toBe(0);
    const waits = [];
    for (let end = 0; end < 4; end += 1) {
      backoff.ended(10);
      waits.push(backoff.waitMs());
      pass(backoff.waitMs());
      expect(backoff.waitMs()).toBe(0);
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000]);
    backoff.ended(10);
    expect(backoff.waitMs()).toBe(Number.POSITIVE_INFINITY);
    pass(1_000_000);
    expect(backoff.waitMs()).toBe(Number.POSITIVE_INFINITY);
    backoff.reset();
    expect(backoff.waitMs()).toBe(0);
  });

  it("is never longer than 30 s", () => {
    const { backoff } = scene(20_000);
    backoff.ended(10);
    backoff.ended(10);
    expect(backoff.waitMs()).toBe(30_000);
  });

  it("is zero after a long run, which also resets the earlier failures", () => {
    const { backoff } = scene();
    backoff.ended(10);
    backoff.ended(60_000);
    expect(backoff.waitMs()).toBe(0);
    backoff.ended(10);
    expect(backoff.waitMs()).toBe(1000);
  });
});
