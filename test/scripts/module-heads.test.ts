/** Each module says in its first line what it is for. Tools that sort imports can move that comment away. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { projectRoot } from "../../scripts/lib/paths.mjs";

it.each([
  ["src", ".ts", /^\/\*\*/],
  ["lua", ".lua", /^---/],
] as const)("every module of %s begins with a comment", (room, ending, head) => {
  const files = readdirSync(join(projectRoot, room), { recursive: true, encoding: "utf8" });
  const modules = files.filter((file) => file.endsWith(ending));
  expect(modules.length).toBeGreaterThan(50);
  const textOf = (file: string) => readFileSync(join(projectRoot, room, file), "utf8");
  expect(modules.filter((file) => !head.test(textOf(file)))).toEqual([]);
});
