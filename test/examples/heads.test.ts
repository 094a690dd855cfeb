/** What a person with only the npm package reads in the examples: which pages they name, and how they run. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../../scripts/lib/paths.mjs";

const read = (path: string) => readFileSync(join(projectRoot, path), "utf8");
const files = readdirSync(join(projectRoot, "examples"));
/** The pages that come with the package, as the examples name them. */
const packaged: Readonly<Record<string, string>> = {
  README: "README.md",
  "README.md": "examples/README.md",
  "CHANGELOG.md": "CHANGELOG.md",
};
/** Of a program what is said above its code. */
const head = (file: string) =>
  file.endsWith(".ts") ? (read(`examples/${file}`).split("*/")[0] ?? "") : read(`examples/${file}`);
const named = files.flatMap((file) =>
  [...head(file).matchAll(/([\w/-]+\.md|\bREADME)\b(?:, “([^”]+)”)?/g)].map(
    ([, page = "", heading = null]) => ({ file, page, heading }),
  ),
);

describe("the examples", () => {
  it.each(named)("name what is in the package: $page $heading in $file", ({ page, heading }) => {
    const path = packaged[page] ?? "";
    expect(path).not.toBe("");
    if (heading !== null) expect(read(path)).toContain(`# ${heading}\n`);
  });

  it.each(files.filter((file) => file.endsWith(".ts") && file !== "support.ts"))(
    "%s says where it is written how to run it",
    (file) => {
      expect(head(file)).toContain("README.md");
      expect(read("examples/README.md")).toContain(`\`${file}\``);
    },
  );
});
