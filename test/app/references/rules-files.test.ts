/** The rules of a project: which files a name means, in what order they are sent, and what keeps one out. */
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fileWorkspace } from "../../../src/app/files/file-workspace.ts";
import { readRulesFiles } from "../../../src/app/references/rules-files.ts";

let base: string;
let top: string;
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "parley-rules-")));
  top = join(base, "project");
  await write(".git/HEAD", "");
});
afterEach(() => rm(base, { recursive: true, force: true }));

async function write(name: string, text: string): Promise<void> {
  const path = join(top, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

interface Place {
  readonly at?: string;
  readonly own?: readonly string[];
  readonly home?: string;
  readonly denied?: string;
}

async function read(
  names: readonly string[],
  { at = "packages/one", own = [], ...how }: Place = {},
) {
  const workingFolder = join(top, at);
  await mkdir(workingFolder, { recursive: true });
  return readRulesFiles(names, {
    workspace: fileWorkspace,
    readDenial: (path) => (path.endsWith(how.denied ?? "\0") ? "a rule" : null),
    signal: new AbortController().signal,
    workingFolder,
    home: how.home ?? join(base, "home"),
    own: new Set(own),
  });
}

const names = ({ read: found }: Awaited<ReturnType<typeof read>>) => found.map(({ name }) => name);

describe("rules of a project", () => {
  it("are from every folder up to its top, the nearest last, and the text says so", async () => {
    await write("AGENTS.md", "Top.");
    await write("packages/AGENTS.md", "Middle.");
    await write("packages/one/AGENTS.md", "Near.");
    await writeFile(join(base, "AGENTS.md"), "Above.");
    const found = await read(["AGENTS.md"]);
    expect(names(found)).toEqual(["../../AGENTS.md", "../AGENTS.md", "AGENTS.md"]);
    expect(found.text).toMatch(/where they differ.*Top\..*Middle\..*Near\./su);
    expect(found.text).not.toContain("Above");
    const only = await read(["AGENTS.md"], { at: "." });
    expect(names(only)).toEqual(["AGENTS.md"]);
    expect(only.text).not.toContain("where they differ");
  });

  it("go by folder, then by name, each file once", async () => {
    await write("AGENTS.md", "Top.");
    await write(".cursor/rules/a.mdc", "Cursor.");
    await write("packages/one/CLAUDE.md", "Near.");
    await symlink("AGENTS.md", join(top, "CLAUDE.md"));
    const found = await read(["AGENTS.md", "CLAUDE.md", ".cursor/rules", "gone.md"]);
    expect(names(found)).toEqual(["../../AGENTS.md", "../../.cursor/rules", "CLAUDE.md"]);
    expect(found.unread).toEqual(["gone.md was not found"]);
  });

  it("are only the working folder's in no repository, and in one that holds the home folder", async () => {
    await write("AGENTS.md", "Top.");
    await write("packages/one/AGENTS.md", "Near.");
    expect(names(await read(["AGENTS.md"], { home: join(top, "me") }))).toEqual(["AGENTS.md"]);
    await rm(join(top, ".git"), { recursive: true });
    expect(names(await read(["AGENTS.md"]))).toEqual(["AGENTS.md"]);
  });

  it("above the working folder have known names, or those of the user's configuration", async () => {
    await write("notes.md", "Private.");
    await write("AGENTS.md", "Top.");
    const header = await read([
      "notes.md",
      "../../notes.md",
      "../../AGENTS.md",
      "~/x",
      "/etc/hosts",
    ]);
    expect(header.read).toEqual([]);
    expect(header.unread).toHaveLength(5);
    const own = await read(["notes.md"], { own: ["notes.md"] });
    expect(names(own)).toEqual(["../../notes.md"]);
  });

  it("leave out what leads out of the project, and what a rule keeps from reading", async () => {
    await writeFile(join(base, "outside.md"), "Outside.");
    await symlink("../outside.md", join(top, "AGENTS.md"));
    await write("CLAUDE.md", "Denied.");
    const found = await read(["AGENTS.md", "CLAUDE.md"], { denied: "CLAUDE.md" });
    expect(found.read).toEqual([]);
    expect(found.unread).toEqual([
      expect.stringContaining("../../AGENTS.md is outside"),
      expect.stringContaining("../../CLAUDE.md one of your rules forbids"),
    ]);
  });

  it("give the nearest its room when all of them are too long", async () => {
    await write("AGENTS.md", "Top.");
    await write("packages/AGENTS.md", "m".repeat(60_000));
    await write("packages/one/AGENTS.md", "n".repeat(60_000));
    const found = await read(["AGENTS.md"]);
    expect(names(found)).toEqual(["../../AGENTS.md", "AGENTS.md"]);
    expect(found.unread).toEqual([
      expect.stringMatching(/^\.\.\/AGENTS\.md makes the rules longer/),
    ]);
  });
});
