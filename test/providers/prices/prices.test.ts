import { expect, test } from "vitest";
import { addRequest, nothingUsed, usageText } from "../../../src/conversation/usage.ts";
import { modelFacts } from "../../../src/providers/prices/prices.ts";

const openai = (id: string, prices = {}) => modelFacts({ provider: "openai", id }, prices);
const usage = { input: 1_000_000, output: 100_000, cacheRead: 400_000, reasoning: 60_000 };

test("a long request costs what its tier says, cached tokens what they say", () => {
  const long = addRequest(nothingUsed, usage, openai("gpt-5.5"));
  expect(long.cost).toBeCloseTo(0.6 * 10 + 0.4 * 1 + 0.1 * 45);
  const short = addRequest(nothingUsed, { input: 100_000, output: 0 }, openai("gpt-5.5"));
  expect(short.cost).toBeCloseTo(0.5);
});

test("a dated model has the price of its name, an unknown one none, and the user's own has precedence", () => {
  expect(openai("gpt-5.5-2026-04-23").price(1)).toEqual(openai("gpt-5.5").price(1));
  expect(openai("gpt-5.5").contextWindow).toBe(1_050_000);
  expect(openai("nope").price(1)).toBeNull();
  expect(openai("nope").contextWindow).toBeNull();
  const own = openai("nope", { "openai/nope": { input: 1, output: 2 } });
  expect(addRequest(nothingUsed, usage, own).cost).toBeCloseTo(1.2);
});

test("sums are told whole, and without a price as tokens only", () => {
  const known = addRequest(nothingUsed, usage, openai("gpt-5.5"));
  expect(usageText(known)).toBe(
    "1000000 tokens in (400000 cached), 100000 out (60000 thought), $10.90",
  );
  const both = addRequest(known, { input: 1, output: 2 }, openai("nope"));
  expect(both).toMatchObject({ cost: null, requests: 2 });
  expect(usageText(both)).toMatch(/^1000001 tokens in .*100002 out \(60000 thought\)$/);
});
