/** Bubblewrap, in which commands and MCP servers run that may not write or reach everything. */
import { access, constants, readFile, realpath, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { isBelow } from "./paths.ts";
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
  /** Where sockets of the session lie; this process's own when absent. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly platform?: Platform;
}

/** The words before a command that start it in the sandbox. Rejects with a sentence when there is none to be had. */
export async function sandboxWords(
  sandbox: Sandbox,
  { folder, path, resolve, environment = process.env, platform = thisPlatform }: SandboxPlaces,
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
  const hidden = await sessionFolders(environment);
  // A version manager may keep the folder of its programs among the sockets.
  const programs = path
    .split(delimiter)
    .filter((entry) => isAbsolute(entry) && hidden.some((place) => isBelow(place, entry)));
  const kept = await Promise.all(
    programs.map(async (entry) => ((await isFolder(entry)) ? [entry] : [])),
  );
  const shown = [folder, ...writable, ...kept.flat()];
  const sockets = await reachableSockets({ hidden: [...hidden, "/tmp"], shown, environment });
  return [
    found,
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"],
    ...hidden.flatMap((place) => ["--tmpfs", place]),
    ...kept.flat().flatMap((place) => ["--ro-bind", place, place]),
    // A working folder below /tmp is hidden by the sandbox's own; it is there to be read at least.
    ...["--ro-bind", folder, folder],
    ...writable.flatMap((place) => ["--bind", place, place]),
    ...sockets.flatMap((socket) => ["--ro-bind", "/dev/null", socket]),
    ...["--unshare-all", ...(sandbox.net === true ? ["--share-net"] : [])],
    ...["--new-session", "--die-with-parent", "--chdir", folder, "--"],
  ];
}

/**
 * Where the session keeps its sockets: a file system that cannot be written is no wall before them, and whoever speaks
 * to Neovim's own, or to the bus of the session, runs what they like outside.
 */
async function sessionFolders(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const place of [environment.XDG_RUNTIME_DIR, "/run/user", environment.TMPDIR]) {
    const real = place && isAbsolute(place) ? await realpath(place).catch(() => null) : null;
    if (real === null || !(await isFolder(real))) continue;
    // A home folder as a folder for temporary files is still a home folder.
    const isHome = isBelow(real, environment.HOME ?? "/");
    if (!isHome && real !== "/tmp") found.add(real);
  }
  // What lies below another one is hidden with it.
  return [...found].filter((one) => ![...found].some((two) => two !== one && isBelow(two, one)));
}

/** Names are looked up and lines are logged by these, and nothing is run. */
const harmlessSockets = [
  "/run/nscd",
  "/run/systemd/resolve",
  "/run/systemd/userdb",
  "/run/systemd/journal",
  "/var/lib/sss/pipes",
];

/**
 * The sockets elsewhere that this person may speak to, such as Docker's: `/proc/net/unix` has them all, as they were
 * named. `shown` are folders that are seen in the sandbox although they may lie in a hidden one, the working folder first.
 */
async function reachableSockets({
  hidden,
  shown,
  environment,
}: {
  readonly hidden: readonly string[];
  readonly shown: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}): Promise<readonly string[]> {
  const table = await readFile("/proc/net/unix", "utf8").catch(() => "");
  const { NVIM = "", NVIM_LISTEN_ADDRESS = "", HOME = "/" } = environment;
  const named = [...socketPaths(table), NVIM, NVIM_LISTEN_ADDRESS].filter((name) => name !== "");
  // Whose a relative name is nobody tells.
  const bases = [shown[0] ?? "/", process.cwd(), HOME];
  const found = new Set<string>();
  for (const path of named.flatMap((name) =>
    isAbsolute(name) ? [name] : bases.map((base) => join(base, name)),
  )) {
    const isIn = (folders: readonly string[]) => folders.some((one) => isBelow(one, path));
    if (isIn(harmlessSockets) || (isIn(hidden) && !isIn(shown))) continue;
    const real = await realpath(path).catch(() => null);
    if (real !== null && (await isOpenSocket(real))) found.add(real);
  }
  return [...found];
}

/** False where it is gone by now, or another's. */
async function isOpenSocket(path: string): Promise<boolean> {
  try {
    await access(path, constants.W_OK);
    return (await stat(path)).isSocket();
  } catch {
    return false;
  }
}

/** Of the lines `Num RefCount Protocol Flags Type St Inode Path`; abstract names begin with @, and lie in the network. */
export function socketPaths(table: string): readonly string[] {
  return table
    .split("\n")
    .slice(1)
    .flatMap((line) => /^(?:\S+\s+){7}([^@].*)$/.exec(line)?.[1] ?? []);
}

/** Whether it is a folder. */
function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
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
