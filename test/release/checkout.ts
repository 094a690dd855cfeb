/** A copy of the working tree as a clean git checkout of its own, and the release made from it. */
import { execFileSync } from "node:child_process";
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "../../scripts/lib/paths.mjs";

const leftOut = new Set([".git", "node_modules", "dist", ".cache", "coverage", "release"]);

export const address = "https://git.example.net/someone/parley.nvim";

export interface Checkout {
  readonly folder: string;
  git(...args: string[]): string;
  /** Runs `npm run release -- ARGS`; gives back what it said, throws when it fails. */
  release(...args: string[]): string;
  remove(): void;
}

export function makeCheckout(): Checkout {
  const folder = mkdtempSync(join(tmpdir(), "parley-release-"));
  for (const name of readdirSync(projectRoot).filter((entry) => !leftOut.has(entry))) {
    cpSync(join(projectRoot, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(projectRoot, "node_modules"), join(folder, "node_modules"), "junction");
  const identity = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.net"];
  const date = "2026-01-02T03:04:05Z";
  const env = { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
  const git = (...args: string[]) =>
    execFileSync("git", [...identity, ...args], { cwd: folder, env, encoding: "utf8" }).trim();
  git("init", "--quiet", "--initial-branch=main");
  git("config", "core.autocrlf", "false");
  // A link is a file to git, and `node_modules/` in .gitignore names folders only.
  writeFileSync(join(folder, ".git", "info", "exclude"), "node_modules\n");
  git("add", "--all");
  git("commit", "--quiet", "-m", "sources");
  return {
    folder,
    git,
    release: (...args) =>
      execFileSync(
        process.execPath,
        [join(folder, "scripts", "release.mjs"), "--address", address, ...args],
        { cwd: tmpdir(), encoding: "utf8", stdio: "pipe" },
      ),
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** All files below a folder with their texts, for comparing. */
export function contents(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(folder.length + 1).replaceAll("\\", "/"), readFileSync(path, "base64")];
    }),
  );
}
