import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { notesOf } from "../../scripts/lib/changelog.mjs";
import { projectRoot } from "../../scripts/lib/paths.mjs";

const changelog = `# Changelog

Words on top.

## Unreleased

### Added

- not out yet

## 1.2.3 - 2026-11-24

### Fixed

- \`## 1.2\` in a line
  that goes on

## 1.2 - 2026-11-22

The first version.
`;

describe("notesOf", () => {
  it("returns the section of the given version only", () => {
    const fixed = "### Fixed\n\n- `## 1.2` in a line\n  that goes on\n";
    expect(notesOf(changelog, "1.2.3")).toBe(fixed);
    expect(notesOf(changelog, "1.2")).toBe("The first version.\n");
    expect(notesOf(changelog.replaceAll("\n", "\r\n"), "1.2")).toBe("The first version.\n");
  });

  it.each(["1.2.4", "1", "1x2"])("throws for version %s, which has no section", (version) => {
    expect(() => notesOf(changelog, version)).toThrow(`says nothing of version ${version}`);
  });

  it("throws when the section is empty", () => {
    expect(() => notesOf("# Changelog\n\n## 2.0.0\n\n## 1.0.0\n\nwords", "2.0.0")).toThrow();
    expect(() => notesOf("## 2.0.0", "2.0.0")).toThrow();
  });

  it("finds the section of the version in package.json", () => {
    const text = readFileSync(join(projectRoot, "CHANGELOG.md"), "utf8");
    expect(notesOf(text, packageJson.version)).toMatch(/^\S/);
  });
});
