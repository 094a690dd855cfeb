/** The contents of a release, that it is reproducible, and how it is committed to a branch. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { helpTags } from "../../scripts/lib/help-tags.mjs";
import { neovims, oneNeovim } from "../support/neovims.ts";
import { address, type Checkout, contents, makeCheckout, sharedRelease } from "./checkout.ts";

const tag = `v${packageJson.version}`;

describe("a release", () => {
  let checkout: Checkout;
  let out: string;
  let files: Record<string, string>;

  beforeAll(async () => {
    const shared = await sharedRelease();
    checkout = makeCheckout(shared.checkout);
    out = shared.out;
    files = contents(out);
  }, 120_000);
  afterAll(() => checkout.remove());

  const text = (path: string) => readFileSync(join(out, path), "utf8");

  it("consists of the plugin, its archive, the npm package, the rockspec, valid checksums and the notes", () => {
    const tops = new Set(Object.keys(files).map((path) => path.split("/")[0]));
    expect([...tops].sort()).toEqual([
      ...["NOTES.md", "SHA256SUMS", `parley-nvim-${packageJson.version}.tgz`],
      ...[`parley.nvim-${packageJson.version}-1.rockspec`],
      ...[`parley.nvim-${packageJson.version}.tar.gz`, "plugin"],
    ]);
    const tool = process.platform === "darwin" ? ["shasum", "-a", "256"] : ["sha256sum"];
    const [command = "", ...args] = tool;
    if (process.platform !== "win32")
      execFileSync(command, [...args, "-c", "SHA256SUMS"], { cwd: out });
  });

  it("has only the files in the plugin that Neovim, Node or users read", () => {
    const paths = Object.keys(files).flatMap((path) => path.match(/^plugin\/(.*)/)?.[1] ?? []);
    const expected =
      /^(lua\/parley\/.*\.(lua|json)|plugin\/parley\.lua|rplugin\/node\/parley\/.*|dist\/((host|cli|mock-server)\.c?js|build\.json)|dist\/chunks\/.*\.cjs|doc\/(parley\.txt|tags|config\.schema\.json)|scripts\/supported\.json|package\.json|README\.md|LICENSE|CHANGELOG\.md|THIRD-PARTY-LICENSES)$/;
    expect(paths.filter((path) => !expected.test(path))).toEqual([]);
    const kilobytes = paths.reduce((sum, path) => sum + text(`plugin/${path}`).length, 0) / 1000;
    expect(kilobytes).toBeLessThan(5_000);
    expect(kilobytes).toBeGreaterThan(1_000);
  });

  it("has code without source maps and the licences of the bundled packages", () => {
    const scripts = Object.keys(files).filter((path) => /\.c?js$/.test(path));
    for (const path of scripts) expect(text(path)).not.toContain("sourceMappingURL");
    const licences = text("plugin/THIRD-PARTY-LICENSES");
    for (const name of ["zod", "undici", "openai", "@anthropic-ai/sdk", "neovim"]) {
      expect(licences).toMatch(new RegExp(`^${name} \\d`, "m"));
    }
  });

  it("uses the given address instead of the project's and has no dependencies", () => {
    const manifest = JSON.parse(text("plugin/package.json"));
    expect(manifest).toMatchObject({ version: packageJson.version, repository: { url: address } });
    expect(manifest).not.toHaveProperty("dependencies");
    for (const path of ["README.md", "doc/parley.txt", "CHANGELOG.md"]) {
      expect(text(`plugin/${path}`)).not.toContain(packageJson.repository.url);
    }
    expect(text("plugin/README.md")).toContain(address);
  });

  it("has a rockspec of this version that copies all folders of the plugin", () => {
    const path = join(out, `parley.nvim-${packageJson.version}-1.rockspec`);
    const { path: nvim } = oneNeovim[0]!;
    const print = `dofile(${JSON.stringify(path)}) io.write(vim.json.encode({ package, version, source, build }))`;
    // A rockspec sets global variables.
    const said = execFileSync(nvim, ["--clean", "--headless", "-c", `lua ${print}`, "-c", "qa!"]);
    const [name, version, source, build] = JSON.parse(said.toString());
    expect([name, version]).toEqual(["parley.nvim", `${packageJson.version}-1`]);
    expect(source).toEqual({ url: `git+${address}`, tag });
    const folders = Object.keys(files).flatMap((file) => file.match(/^plugin\/(\w+)\//)?.[1] ?? []);
    expect([...build.copy_directories, "lua"].sort()).toEqual([...new Set(folders)].sort());
  });

  it.each(neovims)("has the help tags that Neovim $version would write", ({ path }) => {
    const folder = mkdtempSync(join(tmpdir(), "parley-tags-"));
    try {
      const page = text("plugin/doc/parley.txt");
      writeFileSync(join(folder, "parley.txt"), page);
      execFileSync(path, ["--clean", "--headless", "+helptags .", "+qa!"], { cwd: folder });
      expect(helpTags([{ path: "doc/parley.txt", text: page }])).toBe(
        readFileSync(join(folder, "tags"), "utf8"),
      );
      expect(text("plugin/doc/tags")).toBe(readFileSync(join(folder, "tags"), "utf8"));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("is a commit on its branch with the version's tag, and leaves the current branch unchanged", () => {
    const { git } = checkout;
    expect(git("rev-parse", "release")).toBe(git("rev-parse", tag));
    expect(git("symbolic-ref", "--short", "HEAD")).toBe("main");
    expect(git("status", "--porcelain")).toBe("");
    const listed = git("ls-tree", "-r", "--name-only", "-z", "release").split("\0").filter(Boolean);
    const inFolder = Object.keys(files).flatMap((path) => path.match(/^plugin\/(.*)/)?.[1] ?? []);
    expect(listed.sort()).toEqual(inFolder.sort());
    expect(git("ls-tree", "release", "dist/cli.js")).toMatch(/^100755/);
    expect(git("log", "-1", "--format=%B", "release")).toContain(git("rev-parse", "main"));
  });

  it("is identical byte for byte when it is made again elsewhere", () => {
    const other = makeCheckout();
    const again = mkdtempSync(join(tmpdir(), "parley-again-"));
    try {
      other.release("--branch", "release", "--out", again);
      const second = contents(again);
      expect(Object.keys(second)).toEqual(Object.keys(files));
      expect(Object.keys(files).filter((path) => second[path] !== files[path])).toEqual([]);
      expect(other.git("rev-parse", "release")).toBe(checkout.git("rev-parse", "release"));
    } finally {
      other.remove();
      rmSync(again, { recursive: true, force: true });
    }
  }, 120_000);

  it("follows the previous release, rejects an existing tag, and requires committed files with notes", () => {
    const { git, release, folder } = checkout;
    const next = mkdtempSync(join(tmpdir(), "parley-next-"));
    onTestFinished(() => rmSync(next, { recursive: true, force: true }));
    expect(() => release("--branch", "release", "--out", next)).toThrow(/There is a tag v/);
    expect(readdirSync(next)).toEqual([]);
    const manifest = readFileSync(join(folder, "package.json"), "utf8");
    const raised = manifest.replace(`"version": "${packageJson.version}"`, '"version": "99.0.0"');
    writeFileSync(join(folder, "package.json"), raised);
    expect(() => release("--out", next)).toThrow(/what is committed.*package\.json/s);
    git("commit", "--quiet", "--all", "-m", "next");
    expect(() => release("--out", next)).toThrow(/CHANGELOG.md says nothing of version 99/);
    expect(readdirSync(next)).toEqual([]);
    const changelog = readFileSync(join(folder, "CHANGELOG.md"), "utf8");
    const named = changelog.replace(/^## .*/m, "## 99.0.0 - 2099-01-01");
    writeFileSync(join(folder, "CHANGELOG.md"), named);
    git("commit", "--quiet", "--all", "-m", "notes");
    release("--branch", "release", "--out", next);
    expect(git("rev-parse", "release^")).toBe(git("rev-parse", tag));
    expect(git("tag", "--list")).toBe(`${tag}\nv99.0.0`);
  }, 120_000);
});
