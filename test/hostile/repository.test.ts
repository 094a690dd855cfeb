/** A repository whose `.git/config` runs programs at nearly every command of Git: no tool of ours starts one. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createServerFiles } from "../../src/app/servers/config-files.ts";
import { createToolChanges } from "../../src/app/tools/tool-changes.ts";
import { variablesOfFile } from "../../src/mcp/configured/expand-variables.ts";
import { open } from "../app/builtin-scene.ts";

/** What Git runs when it is asked for its status, a list, a difference or a search. */
async function plant(folder: string): Promise<string> {
  const ran = join(folder, "..", "ran");
  const program = join(folder, "evil.sh");
  await writeFile(program, `#!/bin/sh\necho "$0 $*" >> '${ran}'\ncat "$@" 2>/dev/null\nexit 0\n`);
  await chmod(program, 0o755);
  const hooks = join(folder, "hooks");
  await mkdir(hooks);
  for (const name of ["post-index-change", "post-checkout", "reference-transaction"]) {
    await writeFile(join(hooks, name), `#!/bin/sh\necho ${name} >> '${ran}'\n`);
    await chmod(join(hooks, name), 0o755);
  }
  spawnSync("git", ["init", "-q"], { cwd: folder });
  await mkdir(join(folder, ".git"), { recursive: true });
  await writeFile(
    join(folder, ".git", "config"),
    `[core]\n\trepositoryformatversion = 0\n\tfsmonitor = ${program}\n\thooksPath = ${hooks}\n\tpager = ${program}\n\teditor = ${program}\n\tsshCommand = ${program}\n[diff]\n\texternal = ${program}\n[diff "evil"]\n\ttextconv = ${program}\n[filter "evil"]\n\tclean = ${program}\n\tsmudge = ${program}\n[alias]\n\tls-files = !${program}\n`,
  );
  await writeFile(join(folder, ".gitattributes"), "* diff=evil filter=evil\n");
  await writeFile(join(folder, ".gitignore"), "ignored.txt\n");
  await writeFile(join(folder, "ignored.txt"), "const hidden\n");
  return ran;
}

describe("a hostile .git/config", () => {
  it("runs nothing when files are listed, searched, read and changed", async () => {
    const scene = await open();
    const ran = await plant(scene.folder);
    const listed = await scene.run("list_files", {});
    expect(listed.status).toBe("ok");
    expect(listed.text).toContain("src/main.ts");
    expect(listed.text).not.toContain("ignored.txt");
    const found = await scene.run("search_files", { pattern: "const" });
    expect(found.text).toContain("main.ts");
    expect(found.text).not.toContain("hidden");
    await scene.run("read_file", { path: "notes.txt" });
    const change = { path: "notes.txt", old_text: "two", new_text: "2" };
    expect((await scene.run("edit_file", change)).status).toBe("ok");
    expect(existsSync(ran)).toBe(false);
    // The trap works: Git itself falls into it, where there is one.
    const status = spawnSync("git", ["status"], { cwd: scene.folder });
    if (status.error === undefined) expect(existsSync(ran)).toBe(true);
  });
});

describe.skipIf(process.platform === "win32")(
  "a repository with a device in the place of a file",
  () => {
    it.each([
      ...["/dev/zero", "/dev/stdin", "pipe", "/dev"],
      // An ordinary file of no bytes, by what it says, with hundreds of gigabytes.
      ...(process.platform === "linux" ? ["/proc/self/pagemap"] : []),
    ])("is not read to an end that never comes: %s", async (target) => {
      const folder = await mkdtemp(join(tmpdir(), "parley-device-"));
      try {
        if (target === "pipe") spawnSync("mkfifo", [join(folder, target)]);
        await symlink(target, join(folder, ".mcp.json"));
        await symlink(target, join(folder, ".env"));
        const files = createServerFiles(createToolChanges().files);
        const { entries, mistakes } = await files.read(join(folder, ".mcp.json"), false);
        expect(entries).toEqual([]);
        expect(mistakes.join()).toContain("could not be read.");
        await expect(variablesOfFile(join(folder, ".env"))).rejects.toThrow("could not be read");
      } finally {
        await rm(folder, { recursive: true });
      }
    });
  },
);
