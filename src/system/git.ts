/**
 * Runs Git in any repository, whose own configuration must not run anything. Hooks, monitors, external diffs,
 * conversions and filters are off; Git asks no questions, fetches nothing, and gets no key of a vendor.
 */
import { mkdtemp, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { outputOfCommand } from "./commands.ts";
import { hasVariable, withoutVariables } from "./variables.ts";

export interface GitOptions {
  /** The folder that Git works on. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Variables of the environment that are withheld from Git. */
  readonly withheld: ReadonlySet<string>;
}

/** The output of Git, or part of a sentence that says why there is none ("is not …"). */
export type GitOutput =
  | { readonly type: "printed"; readonly text: string }
  | { readonly type: "failed"; readonly reason: string };

export interface Git {
  run(args: readonly string[]): Promise<GitOutput>;
}

/** Milliseconds. */
const timeoutMs = 20_000;

/** Git's variables that locate its configuration; all others would select another repository. */
const keptVariables = new Set(["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_EXEC_PATH"]);

/** Runs the work with a Git that executes nothing of the repository. Rejects only when the work does. */
export async function withGit<T>(options: GitOptions, work: (git: Git) => Promise<T>): Promise<T> {
  // Windows looks for Git first in the folder that it starts in, so it starts in an empty one.
  const empty = await mkdtemp(join(tmpdir(), "parley-git-"));
  try {
    const run = (settings: readonly string[], args: readonly string[]) =>
      runGit(options, empty, settings, args);
    const fixed = fixedSettings(empty);
    const filters = await filterSettings((args) => run(fixed, args));
    return await work({
      run: async (args) =>
        typeof filters === "string"
          ? { type: "failed", reason: filters }
          : run([...fixed, ...filters], args),
    });
  } finally {
    // An empty folder that remains is no reason to lose the work.
    await rmdir(empty).catch(() => {});
  }
}

function fixedSettings(empty: string): readonly string[] {
  return ["core.fsmonitor=false", `core.hooksPath=${empty}`, "diff.relative=false"];
}

/** Settings that turn off each filter of the repository's own configuration by name; part of a sentence on failure. */
async function filterSettings(
  run: (args: readonly string[]) => Promise<GitOutput>,
): Promise<readonly string[] | string> {
  const listed = await run(["config", "--list", "--show-scope", "--includes", "--name-only", "-z"]);
  if (listed.type === "failed") return listed.reason;
  const fields = listed.text.split("\0");
  const settings: string[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const scope = fields[at] ?? "";
    const name = fields[at + 1] ?? "";
    const [, kind] = /^filter\..*\.(clean|smudge|process|required)$/is.exec(name) ?? [];
    if (kind === undefined || !["local", "worktree", "submodule"].includes(scope)) continue;
    if (/[=\n]/.test(name)) return "names a filter in a way that cannot be turned off";
    settings.push(`${name}=${kind.toLowerCase() === "required" ? "false" : ""}`);
  }
  return settings;
}

async function runGit(
  { folder, environment, withheld }: GitOptions,
  empty: string,
  settings: readonly string[],
  args: readonly string[],
): Promise<GitOutput> {
  const words = settings.flatMap((setting) => ["-c", setting]);
  const { outcome, stdout, stderr } = await outputOfCommand(
    "git",
    ["--no-pager", ...words, "-C", folder, ...args],
    { timeoutMs, cwd: empty, env: gitEnvironment(environment, withheld) },
  );
  switch (outcome.type) {
    case "ended": {
      if (outcome.code === 0) return { type: "printed", text: stdout };
      const [said = ""] = stderr.replace(/^(fatal|error): /, "").split("\n");
      return { type: "failed", reason: `could not be read from Git (${said.slice(0, 200)})` };
    }
    case "missing":
      return { type: "failed", reason: "needs Git, which is not installed" };
    case "timeout":
      return { type: "failed", reason: `took Git longer than ${timeoutMs / 1000} s` };
    case "too-long":
      return { type: "failed", reason: "is longer than the 1 MB that are taken from Git" };
    case "failed":
      return { type: "failed", reason: `could not be read from Git (${outcome.reason})` };
  }
}

function gitEnvironment(
  environment: GitOptions["environment"],
  withheld: ReadonlySet<string>,
): NodeJS.ProcessEnv {
  const ofGit = Object.keys(environment).filter(
    (name) => name.toUpperCase().startsWith("GIT_") && !hasVariable(keptVariables, name),
  );
  return {
    ...withoutVariables(environment, [...withheld, ...ofGit]),
    // Missing objects would be fetched, by whatever program the repository names.
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "none",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    LC_ALL: "C",
  };
}
