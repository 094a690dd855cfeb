/** A rule that denies reading a path holds for every built-in tool that reads, however the path is spelled. */
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../../src/app/files/workspace.ts";
import { open } from "../builtin-scene.ts";

describe("a rule that denies reading a path", () => {
  const deny = [{ tool: "read_file", arguments: { path: "*.env" } }];
  const scene = async (setting: Parameters<typeof open>[0] = {}) => {
    const tools = await open({ deny, ...setting });
    await writeFile(join(tools.folder, ".env"), "KEY=needle\n");
    await symlink(join(tools.folder, ".env"), join(tools.folder, "harmless.txt"));
    return tools;
  };

  it.each([".env", "./.env", ".env/", "src/../.env", "harmless.txt", ".ENV"])(
    "holds for edit_file, search_files and diagnostics of %s too",
    async (path) => {
      const { run, plan, folder } = await scene({ diagnostics: [] });
      await writeFile(join(folder, ".ENV"), "KEY=needle\n");
      const edit = { path, old_text: "KEY", new_text: "x" };
      expect((await plan(["edit_file", edit]))[0]?.refusal).toMatch(/forbids reading/);
      expect((await run("edit_file", edit)).text).toMatch(/forbids reading/);
      expect((await run("search_files", { pattern: "needle", path })).text).not.toContain("KEY");
      expect((await run("diagnostics", { path })).text).toMatch(/forbids reading/);
    },
  );

  it("holds for what diagnostics of all files quote", async () => {
    const found: Diagnostic[] = [];
    const { run, folder } = await scene({ diagnostics: found });
    const place = { line: 1, column: 1, severity: "error", source: "lint" } as const;
    found.push({ ...place, path: join(folder, ".env"), message: "KEY=needle is no name" });
    found.push({ ...place, path: join(folder, "notes.txt"), message: "one" });
    expect((await run("diagnostics", {})).text).toBe(
      "notes.txt:1:1: error: one (lint)\n(1 in files that a rule in the user's configuration forbids reading.)",
    );
  });

  it("holds for searches from above", async () => {
    const { run } = await scene();
    const { text } = await run("search_files", { pattern: "needle|two" });
    expect(text).toBe(
      "notes.txt:2:two\n(1 file is left out by a rule in the user's configuration.)",
    );
  });
});

it("leaves what looks like a secret out of searches from above, and says so", async () => {
  const { run, folder } = await open();
  await mkdir(join(folder, "secrets"));
  for (const file of [".env", "secrets/a.yml", "server.pem"]) {
    await writeFile(join(folder, file), "needle\n");
  }
  const search = async (path: string) =>
    (await run("search_files", { pattern: "needle|two", path })).text;
  expect(await search(".")).toBe(
    "notes.txt:2:two\n(3 files look like they contain secrets; name one as the path to search it.)",
  );
  expect(await search(".env")).toBe(".env:1:needle");
  expect(await search("secrets")).toBe("secrets/a.yml:1:needle");
});
