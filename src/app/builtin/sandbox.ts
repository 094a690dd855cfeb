/** How commands of models run: with which environment and time, and in which sandbox. */
import { access, constants } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { expandHome } from "../../system/paths.ts";
import { type Platform, thisPlatform } from "../../system/platform.ts";
import { realPath } from "../files/inside.ts";

export interface Sandbox {
  readonly write?: readonly string[];
  readonly net?: boolean;
}

export interface CommandOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Variables that no command gets. */
  readonly withheldVariables: ReadonlySet<string>;
  /** Null: commands run as the person's own. */
  readonly sandbox: Sandbox | null;
  readonly timeoutMs: number;
}

const program = "bwrap";

/** What a sandbox allows, as sentences; empty without one. */
export function sandboxText(sandbox: Sandbox | null): string {
  if (sandbox === null) return "";
  const folders = sandbox.write ?? [];
  const writes = folders.length === 0 ? "nothing but /tmp" : `only below ${folders.join(", ")}`;
  return `It runs in a sandbox: it can write ${writes} and has ${sandbox.net === true ? "a" : "no"} network.`;
}

/** The words that start a command in the sandbox. Rejects with a sentence when there is none to be had. */
export async function sandboxed(
  words: readonly string[],
  sandbox: Sandbox,
  places: {
    readonly workingFolder: string;
    readonly folder: string;
    readonly path: string;
    readonly platform?: Platform;
  },
): Promise<readonly string[]> {
  const { workingFolder, folder, path, platform = thisPlatform } = places;
  const wanted = "The configuration asks for a sandbox, so nothing was started";
  if (platform !== "linux") throw new Error(`${wanted}: bubblewrap runs on Linux only.`);
  const found = await findProgram(path);
  if (found === null) throw new Error(`${wanted}: bubblewrap (${program}) is not installed.`);
  const writable: string[] = [];
  for (const written of sandbox.write ?? []) {
    const real = await realPath(resolve(workingFolder, expandHome(written, homedir())));
    if (real === null) throw new Error(`${wanted}: there is no folder ${written} to write in.`);
    writable.push(real);
  }
  return [
    found,
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"],
    // A working folder below /tmp is hidden by the sandbox's own; it is there to be read at least.
    ...["--ro-bind", folder, folder],
    ...writable.flatMap((place) => ["--bind", place, place]),
    ...["--unshare-all", ...(sandbox.net === true ? ["--share-net"] : [])],
    ...["--new-session", "--die-with-parent", "--chdir", folder, "--", ...words],
  ];
}

/** Relative entries would mean a program of whatever folder this is. */
async function findProgram(path: string): Promise<string | null> {
  for (const entry of path.split(delimiter).filter(isAbsolute)) {
    const candidate = join(entry, program);
    const isThere = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return candidate;
  }
  return null;
}
