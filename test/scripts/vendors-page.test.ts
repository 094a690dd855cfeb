import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectRoot } from "../../scripts/lib/paths.mjs";
import { vendorsPage } from "../../scripts/lib/vendors-page.mjs";
import { vendors } from "../../src/providers/vendors/vendors.ts";

const page = readFileSync(join(projectRoot, "doc/vendors.md"), "utf8");

test("doc/vendors.md is up to date with the vendor table (npm run docs)", () => {
  expect(vendorsPage(page, vendors.values())).toBe(page);
});

test("doc/vendors.md lists every vendor and changes with the vendor table", () => {
  for (const { id } of vendors.values()) expect(page).toContain(`| \`${id}\``);
  const [first, ...others] = vendors.values();
  const changed = { ...first!, compat: { ...first!.compat, maxTools: 7 } };
  expect(vendorsPage(page, [changed, ...others])).not.toBe(page);
  expect(() => vendorsPage("no marks", vendors.values())).toThrow("lost the marks");
});
