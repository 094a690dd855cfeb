/** References to lines, folders, globs and what has a name: changes, diagnostics, open files, quickfix, tree. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fitsGlob, withoutBraces } from "../../../src/app/files/glob.ts";
import type { Workspace } from "../../../src/app/files/workspace.ts";
import { readReferences } from "../../../src/app/references/read-references.ts";
import { referencesIn as findReferences } from "../../../src/transcript/references.ts";
import { aroundFiles } from "../sources.ts";

let root: string;
let work: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "parley-gathered-")));
  work = join(root, "project");
  for (const name of ["project", "chats", "home"]) mkdirSync(join(root, name));
});
afterEach(() => rmSync(root, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(work, path)), { recursive: true });
  writeFileSync(join(work, path), text);
}

async function read(
  question: string,
  options: { workspace?: Partial<Workspace>; says?: boolean } = {},
) {
  const asked: string[] = [];
  const found = await readReferences(
    findReferences(question, 0),
    { workingFolder: work, transcriptPath: join(root, "chats", "a.md"), home: join(root, "home") },
    {
      confirm: async (text) => {
        asked.push(text);
        return options.says ?? false;
      },
      decided: new Map(),
      resources: { names: async () => [], read: async () => [] },
      around: aroundFiles(options.workspace),
      online: true,
      signal: new AbortController().signal,
    },
  );
  const texts = [...found.files.values()].map((file) =>
    file.kind === "text" ? file.text : file.mime,
  );
  return { ...found, asked, texts, notice: found.notices.join("\n").replaceAll(root, "") };
}

const numbers = `${Array.from({ length: 20 }, (_, index) => `line ${index + 1}`).join("\n")}\n`;

describe("lines of a file", () => {
  it("are those that are named, one or a span, up to its end", async () => {
    write("a.ts", numbers);
    const { texts, read: places } = await read("@@./a.ts:3-5@@ @@./a.ts:20@@ @@./a.ts:19-99@@");
    expect(texts).toEqual(["line 3\nline 4\nline 5\n", "line 20\n", "line 19\nline 20\n"]);
    expect(places[0]?.name).toBe(`${join(work, "a.ts")}:3-5`);
    expect((await read("@@./a.ts:21-30@@")).notice).toContain("has 20 lines, none from 21 to 30");
  });

  it("are not meant if a file has that name, nor by spans that are not references", async () => {
    write("a:3", "three");
    expect((await read("@@./a:3@@")).texts).toEqual(["three"]);
    write("b", numbers);
    expect((await read("@@./b:5-3@@ @@./b:0@@")).texts).toEqual([]);
  });

  it("are as on screen where the file is open", async () => {
    write("a.ts", "old\n");
    const workspace: Partial<Workspace> = {
      open: async () => [join(work, "a.ts"), join(work, "new.ts")],
      read: async (path) => ({ text: `one\n${path}\n`, source: "buffer", isUnsaved: true }),
    };
    const { texts } = await read("@@./a.ts:1@@ @@./a.ts@@ @@./new.ts:2@@", { workspace });
    expect(texts).toEqual(["one\n", `one\n${join(work, "a.ts")}\n`, `${join(work, "new.ts")}\n`]);
  });
});

describe("folders and globs", () => {
  beforeEach(() => {
    write(".gitignore", "built/\n");
    mkdirSync(join(work, ".git"));
    write("src/a.ts", "A");
    write("src/b.js", "B");
    write("src/deep/c.ts", "C");
    write("src/built/d.ts", "D");
    write("src/.env", "KEY=secret");
    write("src/picture.ts", "\0\0");
    symlinkSync(join(root, "home"), join(work, "src", "elsewhere"));
    writeFileSync(join(root, "home", "private.ts"), "private");
  });

  it("hold the files right in them, but links, secrets and what Git ignores", async () => {
    const { texts, notice } = await read("@@./src/@@");
    expect(texts).toEqual(["File: a.ts\n\nA\n\nFile: b.js\n\nB"]);
    expect(notice).toMatch(/^Read in part:\n.*without \.env \(looks like a secret/);
    expect(notice).toContain("picture.ts (");
    expect(notice).not.toContain("KEY");
  });

  it("go deeper with **, and mean only what fits", async () => {
    expect((await read("@@./src/**/*.ts@@")).texts[0]).toBe(
      "File: a.ts\n\nA\n\nFile: deep/c.ts\n\nC",
    );
    expect((await read("@@./src/*.{js,rb}@@")).texts).toEqual(["File: b.js\n\nB"]);
    expect((await read("@@./src/*.rb@@")).notice).toContain("has no matching files");
  });

  it("outside wait for a yes like files", async () => {
    const { asked, texts, notice } = await read("@@~/*.ts@@");
    expect(asked).toHaveLength(1);
    expect(texts).toEqual([]);
    expect(notice).toContain("that was not allowed");
    expect((await read("@@~/*.ts@@", { says: true })).texts).toEqual([
      "File: private.ts\n\nprivate",
    ]);
  });

  it("fit in time that does not explode", () => {
    expect(fitsGlob(`${"**/a/".repeat(200)}x`, `${"a/".repeat(400)}y`)).toBe(false);
    expect(fitsGlob("**", "a/b")).toBe(true);
    expect(fitsGlob("a/**/b", "a/b")).toBe(true);
    expect(fitsGlob("*", "a/b")).toBe(false);
    expect(fitsGlob("a/", "a/b")).toBe(true);
  });

  it("have up to a hundred alternatives, in one brace or in several", () => {
    const choices = (count: number) => `{${Array.from({ length: count }, (_, at) => at)}}`;
    expect(withoutBraces(`x${choices(99)}`)).toHaveLength(99);
    expect(fitsGlob(`x${choices(99)}`, "x98")).toBe(true);
    for (const many of [choices(1e6), choices(20).repeat(6), "{a,b}".repeat(40)]) {
      expect(withoutBraces(many).length).toBeLessThanOrEqual(100);
    }
    expect(fitsGlob("x{0,1}", "x{0,1}")).toBe(false);
  });
});

describe("a folder of many files", () => {
  it("is sent with 500 files, and not with more", async () => {
    for (let at = 0; at < 501; at += 1) write(`many/${at}.txt`, "x");
    const all = await read("@@./many/@@");
    expect(all.texts).toEqual([]);
    expect(all.notice).toContain(
      "matches 501 files, more than the 500 that Parley reads at once; name fewer",
    );
    rmSync(join(work, "many", "500.txt"));
    expect((await read("@@./many/@@")).texts.join().match(/^File: /gm)).toHaveLength(500);
  });
});

describe("what has a name", () => {
  const git = (...words: string[]) =>
    execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@x", ...words], {
      cwd: work,
      stdio: "pipe",
    });

  beforeEach(() => {
    git("init", "-q", "-b", "main");
    write("a.ts", "one\n");
    write(".env", "KEY=1\n");
    git("add", "-A");
    git("commit", "-qm", "first");
  });

  it("is the changes since the last commit, without secrets", async () => {
    write("a.ts", "two\n");
    write(".env", "KEY=2\n");
    write("new.ts", "new\n");
    const { texts, notice } = await read("@@diff@@");
    expect(texts[0]).toMatch(/-one\n\+two\n\nFiles that Git does not know yet:\nnew\.ts$/);
    expect(texts[0]).not.toContain("KEY");
    expect(notice).toContain("@@diff@@ without .env (looks like a secret");
  });

  it("is the changes since another branch was left", async () => {
    git("checkout", "-qb", "topic");
    write("a.ts", "two\n");
    git("commit", "-qam", "second");
    expect((await read("@@diff@@")).texts[0]).toBe("No tracked file changed.");
    expect((await read("@@diff:main@@")).texts[0]).toMatch(/-one\n\+two$/);
    expect((await read("@@diff:--output=x@@")).notice).toContain("could not be read from Git");
    expect((await read("@@diff:nowhere@@")).notice).toContain("could not be read from Git");
  });

  it("runs nothing that the repository configures", async () => {
    const mark = join(root, "ran");
    const run = `touch ${mark}`;
    write(".gitattributes", "*.ts filter=evil diff=evil\n");
    for (const [name, value] of [
      ["core.fsmonitor", run],
      ["core.pager", run],
      ["diff.external", run],
      ["diff.evil.command", run],
      ["diff.evil.textconv", run],
      ["filter.evil.clean", `${run}; cat`],
      ["filter.evil.process", run],
      ["filter.evil.required", "true"],
    ] as const) {
      git("config", name, value);
    }
    mkdirSync(join(work, ".git", "hooks"), { recursive: true });
    for (const hook of ["post-index-change", "fsmonitor-watchman"]) {
      writeFileSync(join(work, ".git", "hooks", hook), `#!/bin/sh\n${run}\n`, { mode: 0o755 });
    }
    write("a.ts", "two\n");
    const { texts } = await read("@@diff@@");
    expect(texts[0]).toContain("-one\n+two");
    expect(() => realpathSync(mark)).toThrow();
    git("config", "filter.a=b.clean", run);
    expect((await read("@@diff@@")).notice).toContain("cannot be turned off");
  });

  it("is not read through a work tree that the repository puts elsewhere", async () => {
    writeFileSync(join(root, "home", "a.ts"), "private\n");
    git("config", "core.worktree", join(root, "home"));
    const { texts, notice } = await read("@@diff@@");
    expect(texts).toEqual([]);
    expect(notice).toContain("another folder as its work tree");
  });

  it("is what the editor knows, of files in this folder", async () => {
    const inside = join(work, "a.ts");
    const outside = join(root, "home", "b.ts");
    const workspace: Partial<Workspace> = {
      open: async () => [inside, outside, join(work, ".env")],
      quickfix: async () => [
        { path: inside, line: 3, text: " here" },
        { path: outside, line: 1, text: "there" },
        { path: null, line: 0, text: "make: failed" },
      ],
      diagnostics: async () =>
        [inside, outside].map((path) => ({
          path,
          line: 1,
          column: 2,
          severity: "error" as const,
          message: "wrong\nreally",
          source: "tsc",
        })),
    };
    const { texts, notice } = await read("@@buffers@@ @@quickfix@@ @@diagnostics@@ @@tree@@", {
      workspace,
    });
    expect(texts).toEqual([
      "File: a.ts\n\none",
      "a.ts:3: here\nmake: failed",
      "a.ts:1:2: error: wrong really (tsc)",
      ".env\na.ts",
    ]);
    expect(notice.match(/is outside this folder/g)).toHaveLength(3);
    expect((await read("@@buffers@@ @@quickfix@@")).notice.match(/in Neovim only/g)).toHaveLength(
      2,
    );
  });

  it("is nothing that only looks like it", () => {
    expect(findReferences("@@ -1 +1 @@ diff@@ @@tree:x@@ @@Diff@@ \\@@diff@@", 0)).toEqual([]);
    expect(findReferences("see @@diff:origin/main@@.", 0)).toMatchObject([
      { kind: "named", target: "diff:origin/main" },
    ]);
  });
});
