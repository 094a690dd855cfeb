/** The comments at the top of the examples, as readers of the npm package see them: links and how to run them. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../../scripts/lib/paths.mjs";

const read = (path: string) => readFileSync(join(projectRoot, path), "utf8");
const files = readdirSync(join(projectRoot, "examples"));
/** The pages included in the package, as the examples refer to them. */
const packaged: Readonly<Record<string, string>> = {
  README: "README.md",
  "README.md": "examples/README.md",
  "CHANGELOG.md": "CHANGELOG.md",
};
/** The comment above the code of a program; the whole text of other files. */
const head = (file: string) =>
  file.endsWith(".ts") ? (read(`examples/${file}`).split("*/")[0] ?? "") : read(`examples/${file}`);
const named = files.flatMap((file) =>
  [...head(file).matchAll(/([\w/-]+\.md|\bREADME)\b(?:, “([^”]+)”)?/g)].map(
    ([, page = "", heading = null]) => ({ file, page, heading }),
  ),
);

describe("the examples", () => {
  it.each(named)(
    "refer only to pages and headings in the package: $page $heading in $file",
    ({ page, heading }) => {
      const path = packaged[page] ?? "";
      expect(path).not.toBe("");
      if (heading !== null) expect(read(path)).toContain(`# ${heading}\n`);
    },
  );

  it.each(files.filter((file) => file.endsWith(".ts") && file !== "support.ts"))(
    "include %s, which refers to the README that explains how to run it",
    (file) => {
      expect(head(file)).toContain("README.md");
      expect(read("examples/README.md")).toContain(`\`${file}\``);
    },
  );
});
