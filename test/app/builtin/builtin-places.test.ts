/** Where the built-in tools write, and what needs a yes before that. */
import { renameSync, symlinkSync } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectFiles } from "../../../src/app/servers/declared-servers.ts";
import { open } from "../builtin-scene.ts";

describe("a file that is made", () => {
  it.each([
    ["new.txt", "../outside.txt"],
    ["new.txt", "inside.txt"],
    ["folder/new.txt", "../made"],
  ])(
    "%s needs a yes when it is a link to nothing yet, or leads to one: %s",
    async (path, target) => {
      const { run, folder, asked } = await open({ answer: () => false });
      await symlink(target, join(folder, path.split("/")[0] ?? ""));
      const { status, text } = await run("edit_file", { path, old_text: "", new_text: "evil" });
      const isOutside = target.startsWith("..");
      expect(asked).toHaveLength(isOutside ? 1 : 0);
      expect(status).toBe(isOutside ? "error" : "ok");
      if (isOutside) expect(text).toMatch(/The user did not allow it/);
      else expect(await readFile(join(folder, target), "utf8")).toBe("evil");
    },
  );

  it("is kept apart from our words if it has some of its own", async () => {
    const { run, folder, asked } = await open({ answer: () => false });
    const outside = join(folder, "..");
    const path = '../a, which is in the working folder. Allow it this once? "No" keeps it';
    await run("make_file", { path, text: "" });
    await run("make_file", { path: "../plain.txt", text: "" });
    const said = JSON.stringify(join(outside, path.slice(3)));
    expect(asked).toEqual([
      `A tool wants to change ${said}, which is outside the working folder (${folder}). Allow it this once?`,
      `A tool wants to change ${join(outside, "plain.txt")}, which is outside the working folder (${folder}). Allow it this once?`,
    ]);
  });

  it("links in a circle are refused", async () => {
    const { run, folder } = await open();
    await symlink("b.txt", join(folder, "a.txt"));
    await symlink("a.txt", join(folder, "b.txt"));
    const args = { path: "a.txt", old_text: "", new_text: "x" };
    expect(await run("edit_file", args)).toMatchObject({ status: "error" });
  });

  it.each([".GIT/hooks/pre-commit", "sub/.MCP.json", ...projectFiles])(
    "%s is not made without a yes of its own",
    async (path) => {
      const { run, asked } = await open({ answer: () => false });
      await run("edit_file", { path, old_text: "", new_text: "{}" });
      expect(asked).toHaveLength(1);
    },
  );

  it("is not changed behind a link that was put there after the path was looked at", async () => {
    const { run, folder } = await open({
      answer: () => {
        // The user takes a while, and the folder becomes a link.
        renameSync(join(outside, "made"), join(outside, "kept"));
        symlinkSync(join(folder, "own"), join(outside, "made"));
        return true;
      },
    });
    const outside = join(folder, "..");
    await mkdir(join(outside, "made"));
    const path = join(outside, "made", "tools.mjs");
    const { status, text } = await run("edit_file", { path, old_text: "", new_text: "evil" });
    expect(status).toBe("error");
    expect(text).toContain("leads somewhere else than when the question was asked");
  });

  it.each(["run_command", "list_files", "search_files", "read_file"])(
    "is not reached by %s through a link that was put there while the user read the question",
    async (tool) => {
      const { run, folder } = await open({
        answer: () => {
          renameSync(join(folder, "..", "there"), join(folder, "..", "kept"));
          symlinkSync(join(folder, "..", "other"), join(folder, "..", "there"));
          return true;
        },
      });
      await mkdir(join(folder, "..", "there"));
      await mkdir(join(folder, "..", "other"));
      await writeFile(join(folder, "..", "other", "a.txt"), "needle\n");
      const path = tool === "read_file" ? "../there/a.txt" : "../there";
      const command = [process.execPath, "-e", "console.log(require('fs').readdirSync('.'))"];
      const { status, text } = await run(tool, { path, folder: path, pattern: "n", command });
      expect(status).toBe("error");
      expect(text).toContain("leads somewhere else than when the question was asked");
    },
  );
});
