/** Copies of the working tree as clean git checkouts, and the releases made from them. */
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withLock } from "../../scripts/lib/lock.mjs";
import { cacheFolder, projectRoot } from "../../scripts/lib/paths.mjs";
import { sha256 } from "../../src/shared/hash.ts";

const leftOut = new Set([".git", "node_modules", "dist", ".cache", "coverage", "release"]);

export const address = "https://git.example.net/someone/parley.nvim";

export interface Checkout {
  readonly folder: string;
  git(...args: string[]): string;
  /** Runs `npm run release -- ARGS` and returns its output; throws when it fails. */
  release(...args: string[]): string;
  remove(): void;
}

export interface Release {
  /** The checkout it was made in, with the branch `release` and the tag. Shared with other tests: read only. */
  readonly checkout: string;
  /** The files of the release. Read only. */
  readonly out: string;
}

/**
 * The release of the working tree. Making it takes some seconds, so it is made once for all test files, and reused by
 * later runs while the sources, the packages and Node are the same.
 */
export async function sharedRelease(): Promise<Release> {
  const releases = join(cacheFolder, "release-for-tests");
  mkdirSync(releases, { recursive: true });
  const checkout = makeCheckout();
  try {
    const packages = readFileSync(join(projectRoot, "node_modules", ".package-lock.json"), "utf8");
    const sources = checkout.git("rev-parse", "HEAD");
    const made = join(releases, sha256([process.version, sources, packages].join("\n")));
    await withLock(`${releases}.lock`, async () => {
      if (existsSync(made)) return;
      for (const name of readdirSync(releases)) remove(join(releases, name));
      const half = `${made}.new`;
      checkout.release("--branch", "release", "--out", join(half, "out"));
      cpSync(checkout.folder, join(half, "checkout"), { recursive: true });
      renameSync(half, made);
    });
    return { checkout: join(made, "checkout"), out: join(made, "out") };
  } finally {
    checkout.remove();
  }
}

/** Makes a separate checkout, as a copy of `from` if given. */
export function makeCheckout(from: string | null = null): Checkout {
  const folder = mkdtempSync(join(tmpdir(), "parley-release-"));
  if (from === null) copyTree(folder);
  else cpSync(from, folder, { recursive: true });
  const identity = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.net"];
  const date = "2026-01-02T03:04:05Z";
  const env = { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
  const git = (...args: string[]) =>
    execFileSync("git", [...identity, ...args], { cwd: folder, env, encoding: "utf8" }).trim();
  if (from === null) {
    git("init", "--quiet", "--initial-branch=main");
    git("config", "core.autocrlf", "false");
    // Git treats a link as a file, and `node_modules/` in .gitignore matches only folders.
    writeFileSync(join(folder, ".git", "info", "exclude"), "node_modules\n");
    git("add", "--all");
    git("commit", "--quiet", "-m", "sources");
  }
  return {
    folder,
    git,
    release: (...args) =>
      execFileSync(
        process.execPath,
        [join(folder, "scripts", "release.mjs"), "--address", address, ...args],
        { cwd: tmpdir(), encoding: "utf8", stdio: "pipe" },
      ),
    remove: () => remove(folder),
  };
}

function copyTree(folder: string): void {
  for (const name of readdirSync(projectRoot).filter((entry) => !leftOut.has(entry))) {
    cpSync(join(projectRoot, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(projectRoot, "node_modules"), join(folder, "node_modules"), "junction");
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** All files below a folder with their contents, for comparison. */
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
