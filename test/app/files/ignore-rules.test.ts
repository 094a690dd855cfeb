/** What a `.gitignore` leaves out: what Git says, without Git, and in time that no pattern can stretch. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { filesBelow, globFits } from "../../../src/app/files/files-below.ts";
import { ignoreLines, readIgnoreRules } from "../../../src/app/files/ignore-rules.ts";
import fc from "../../support/property.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "parley-ignore-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const never = new AbortController().signal;

const pieces = [
  "a",
  "b",
  "ab",
  ".",
  "*",
  "*",
  "**",
  "?",
  "/",
  "/",
  "[ab]",
  "[!a]",
  "[a-b.]",
  "\\a",
  "\\*",
  "[",
  " ",
];
const lineOf = fc
  .tuple(
    fc.constantFrom("", "", "", "!", "/", "**/", "#", "\\!"),
    fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 6 }),
    fc.constantFrom("", "", "/", "/**", " ", "\\ "),
  )
  .map(([before, middle, after]) => before + middle.join("") + after);
const nameOf = fc
  .array(fc.constantFrom("a", "b", ".", "*", "[", " "), { minLength: 1, maxLength: 3 })
  .map((letters) => letters.join(""))
  .filter((name) => ![".", ".."].includes(name) && name.trim() === name);
const pathOf = fc.array(nameOf, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));

describe("lists of ignored files", () => {
  const hasGit = spawnSync("git", ["--version"]).error === undefined;
  it.runIf(hasGit)("leave out what Git leaves out", () => {
    execFileSync("git", ["init", "-q"], { cwd: folder });
    const samples = fc.sample(fc.tuple(fc.array(lineOf, { minLength: 1, maxLength: 4 }), pathOf), {
      numRuns: 1500,
      seed: 20,
    });
    const asked = samples.map(([lines, path], at) => {
      mkdirSync(join(folder, `r${at}`));
      writeFileSync(join(folder, `r${at}`, ".gitignore"), `${lines.join("\n")}\n`);
      return `r${at}/${path}`;
    });
    const said = spawnSync("git", ["check-ignore", "--no-index", "--stdin", "-z"], {
      cwd: folder,
      input: asked.map((path) => `${path}\0`).join(""),
      encoding: "utf8",
    });
    const ignored = new Set(said.stdout.split("\0"));
    expect(ignored.size).toBeGreaterThan(100);
    const other = samples.filter(
      ([lines, path], at) =>
        (readIgnoreRules(ignoreLines(lines.join("\n"))).test(path) === true) !==
        ignored.has(asked[at] ?? ""),
    );
    expect(other).toEqual([]);
  });

  it("know folders, classes, and byte order marks", () => {
    const rules = readIgnoreRules(
      ignoreLines("\ufeffBuild/\r\n*.LOG\r\n[[:digit:]]x\n![[:nonsense:]]\n\\\n"),
    );
    expect(rules.test("build")).toBe(null);
    expect(rules.test("build/")).toBe(true);
    expect(rules.test("a/build/deep/file")).toBe(true);
    expect(rules.test("a/x.log")).toBe(true);
    expect(rules.test("1x")).toBe(true);
    expect(rules.test("ax")).toBe(null);
  });

  it("cost no more than their length, whatever is in them", () => {
    const name = "a".repeat(255);
    const patterns = [
      `${"*a".repeat(120)}*b`,
      `${"?*".repeat(120)}b`,
      `${"[a]*".repeat(60)}b`,
      `${"**/".repeat(200)}b`,
      `${"a*/**/".repeat(60)}b`,
    ];
    const path = `${`${name}/`.repeat(15)}${name}`;
    // What takes its time grows with the power of the stars: not one of these would ever come back.
    for (const pattern of patterns) {
      expect(readIgnoreRules([pattern]).test(path)).toBe(null);
      expect(globFits(pattern)("/r", `/r/${path}`)).toBe(false);
    }
  });
});

describe("a repository whose .gitignore is not a file", () => {
  it.skipIf(process.platform === "win32")("is listed all the same", async () => {
    writeFileSync(join(folder, "kept.txt"), "");
    mkdirSync(join(folder, "below"));
    symlinkSync("/dev/zero", join(folder, ".gitignore"));
    execFileSync("mkfifo", [join(folder, "below", ".gitignore")]);
    mkdirSync(join(folder, ".git", "info"), { recursive: true });
    symlinkSync("/dev/zero", join(folder, ".git", "info", "exclude"));
    const { files } = await filesBelow(folder, never);
    expect(files.map(({ path }) => path)).toContain(join(folder, "kept.txt"));
  });

  it("does not keep others waiting, and is stopped, with a list of any length", async () => {
    writeFileSync(join(folder, ".gitignore"), "a\n".repeat(60_000));
    for (let at = 0; at < 10; at += 1) writeFileSync(join(folder, `f${at}`), "");
    const stop = new AbortController();
    setImmediate(() => stop.abort());
    await expect(filesBelow(folder, stop.signal)).rejects.toThrow();
  });
});
