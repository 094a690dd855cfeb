import { expect, it } from "vitest";
import { readToolList } from "../../../src/mcp/catalog/tool-list.ts";

it("names of tools in sentences are short and hold nothing that nobody sees", async () => {
  const tools = [{ name: `a\n💬: ${"\u202e".repeat(3)}${"x".repeat(1000)}` }];
  const { problems } = await readToolList(async () => ({ tools }));
  expect(problems[0]).toMatch(/^Its tool a\\n💬: \\u\{202e\}.*x… has no schema/);
  expect(problems[0]?.length).toBeLessThan(250);
});

it("tools that are listed once more behind the last page are the same, and no mistake", async () => {
  const page = { tools: [{ name: "a", inputSchema: {} }], nextCursor: "more" };
  const list = await readToolList(async () => page);
  expect(list).toEqual({ tools: [{ name: "a", description: "", inputSchema: {} }], problems: [] });
});

it.each(["", null, 7])("no page is asked for behind the cursor %j", async (nextCursor) => {
  const asked: unknown[] = [];
  await readToolList(async (cursor) => {
    asked.push(cursor);
    return { tools: [], nextCursor };
  });
  expect(asked).toEqual([undefined]);
});

it("a list of mistakes fills no screen", async () => {
  const tools = Array.from({ length: 10_000 }, () => ({ name: "x" }));
  expect((await readToolList(async () => ({ tools }))).problems).toHaveLength(100);
});

it.each([
  ["a schema of a million words", { inputSchema: { enum: new Array(600_000).fill("a") } }],
  ["one long text", { inputSchema: {}, description: "a".repeat(2_000_000) }],
  ["a deep schema of results", { inputSchema: {}, outputSchema: nested(50_000) }],
  ["deep annotations", { inputSchema: {}, annotations: nested(300) }],
])("a tool of %s costs itself only", async (_, told) => {
  const tools = [
    { name: "large", ...told },
    { name: "small", inputSchema: nested(100) },
  ];
  const list = await readToolList(async () => ({ tools }));
  expect(list.tools.map(({ name }) => name)).toEqual(["small"]);
  expect(list.problems).toEqual([
    "Its tool large is described by more than 1 MB, or more than 200 levels deep, and is left out.",
  ]);
});

function nested(depth: number): object {
  return Array.from({ length: depth }).reduce<object>((inner) => ({ not: inner }), {});
}
