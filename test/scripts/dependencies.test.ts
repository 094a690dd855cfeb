import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { projectRoot } from "../../scripts/lib/paths.mjs";

it("doc/dependencies.md lists exactly the dependencies of package.json", () => {
  const page = readFileSync(join(projectRoot, "doc", "dependencies.md"), "utf8");
  const { dependencies } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));
  const named = [...page.matchAll(/^\| `([^`]+)` \| \S/gm)].map(([, name]) => name);
  expect(named).toEqual(Object.keys(dependencies).sort());
});
