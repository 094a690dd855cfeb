/** Bubblewrap, in which commands and MCP servers run that may not write or reach everything. */
import { access, constants, realpath } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { type Platform, thisPlatform } from "./platform.ts";

export interface Sandbox {
  /** Folders that can be written; nothing but a /tmp of its own when absent. */
  readonly write?: readonly string[];
  readonly net?: boolean;
}

const program = "bwrap";

/** What a sandbox allows, as the end of a sentence that begins with "it". */
export function sandboxText({ write = [], net }: Sandbox): string {
  const writes = write.length === 0 ? "nothing but /tmp" : `only below ${write.join(", ")}`;
  return `can write ${writes} and has ${net === true ? "a" : "no"} network`;
}

export interface SandboxPlaces {
  /** Absolute; where the command starts. It can be read. */
  readonly folder: string;
  /** Where bubblewrap is looked for. */
  readonly path: string;
  /** What a folder to write in, as it was written, means: an absolute path. */
  readonly resolve: (written: string) => string;
  readonly platform?: Platform;
}

/** The words before a command that start it in the sandbox. Rejects with a sentence when there is none to be had. */
export async function sandboxWords(
  sandbox: Sandbox,
  { folder, path, resolve, platform = thisPlatform }: SandboxPlaces,
): Promise<readonly string[]> {
  const wanted = "The configuration asks for a sandbox, so nothing was started";
  if (platform !== "linux") throw new Error(`${wanted}: bubblewrap runs on Linux only.`);
  const found = await findProgram(path);
  if (found === null) throw new Error(`${wanted}: bubblewrap (${program}) is not installed.`);
  const writable: string[] = [];
  for (const written of sandbox.write ?? []) {
    const real = await realpath(resolve(written)).catch(() => null);
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
    ...["--new-session", "--die-with-parent", "--chdir", folder, "--"],
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
