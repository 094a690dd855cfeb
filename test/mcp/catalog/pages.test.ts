import { expect, it } from "vitest";
import { readPages } from "../../../src/mcp/catalog/content.ts";
import { toCompletions } from "../../../src/mcp/catalog/prompts.ts";

it("a list without end is given up with a sentence, however long its pages are", async () => {
  let pages = 0;
  const endless = readPages("tools", async () => {
    pages += 1;
    return { tools: Array.from({ length: 900 }, () => ({})), nextCursor: `page ${pages}` };
  });
  await expect(endless).rejects.toThrow("It lists more than 10000 tools, more than Parley reads.");
  expect(pages).toBe(12);
  const huge = readPages("tools", async () => ({ tools: new Array(200_000).fill({}) }));
  await expect(huge).rejects.toThrow(/It lists more than 10000 tools/);
});

it("a list of large pages is given up before memory is", async () => {
  let pages = 0;
  const large = readPages("prompts", async () => {
    pages += 1;
    return { prompts: [{ description: "x".repeat(3_000_000) }], nextCursor: `page ${pages}` };
  });
  await expect(large).rejects.toThrow(
    "Its list of prompts is larger than 16 MB, more than Parley reads.",
  );
  expect(pages).toBe(6);
});

it("no more values are proposed than the protocol has", () => {
  const values = Array.from({ length: 5000 }, (_, index) => String(index));
  expect(toCompletions({ completion: { values } })).toHaveLength(100);
});
