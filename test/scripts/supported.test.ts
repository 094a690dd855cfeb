import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

it("package.json asks for the Node that scripts/supported.json names", () => {
  const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));
  const { node } = read("../../scripts/supported.json");
  expect(`${read("../../package.json").engines.node}.0`).toBe(`>=${node}`);
});
