import { expect, it } from "vitest";
import { readToolList } from "../../../src/mcp/catalog/tool-list.ts";

it("names of tools in sentences are short and hold nothing that nobody sees", async () => {
  const tools = [{ name: `a\n💬: ${"\u202e".repeat(3)}${"x".repeat(1000)}` }];
  const { problems } = await readToolList(async () => ({ tools }));
  expect(problems[0]).toMatch(/^Its tool a\\n💬: \\u\{202e\}.*x… has no schema/);
  expect(problems[0]?.length).toBeLessThan(250);
});

it("a list of mistakes fills no screen", async () => {
  const tools = Array.from({ length: 10_000 }, () => ({ name: "x" }));
  expect((await readToolList(async () => ({ tools }))).problems).toHaveLength(100);
});
