/** Runs commands and MCP servers that must not write or reach everything inside bubblewrap. */
import { access, constants, readFile, realpath, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { isBelow } from "./paths.ts";
import { type Platform, thisPlatform } from "./platform.ts";

export interface Sandbox {
  /** Folders that can be written; only a private /tmp when absent. */
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
  /** Absolute path of the folder in which the command starts; it can be read. */
  readonly folder: string;
  /** The PATH in which bubblewrap is looked up. */
  readonly path: string;
  /** Returns the absolute path of a folder to write in, as it was written in the configuration. */
  readonly resolve: (written: string) => string;
  /** Locates the sockets of the session; this process's environment when absent. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly platform?: Platform;
}

/** The words before a command that start it in the sandbox. Rejects with a sentence when no sandbox is available. */
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
  // A version manager may keep its folder of programs among the sockets.
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
    // The sandbox's own /tmp hides a working folder below /tmp; this makes it readable at least.
    ...["--ro-bind", folder, folder],
    ...writable.flatMap((place) => ["--bind", place, place]),
    ...sockets.flatMap((socket) => ["--ro-bind", "/dev/null", socket]),
    ...["--unshare-all", ...(sandbox.net === true ? ["--share-net"] : [])],
    ...["--new-session", "--die-with-parent", "--chdir", folder, "--"],
  ];
}

/**
 * The folders in which the session keeps its sockets: a read-only file system does not block sockets, and a process
 * that reaches Neovim's own, or the session bus, can run anything outside.
 */
async function sessionFolders(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const place of [environment.XDG_RUNTIME_DIR, "/run/user", environment.TMPDIR]) {
    const real = place && isAbsolute(place) ? await realpath(place).catch(() => null) : null;
    if (real === null || !(await isFolder(real))) continue;
    // A home folder that serves as the folder for temporary files is still a home folder.
    const isHome = isBelow(real, environment.HOME ?? "/");
    if (!isHome && real !== "/tmp") found.add(real);
  }
  // A folder below another hidden one is hidden with it.
  return [...found].filter((one) => ![...found].some((two) => two !== one && isBelow(two, one)));
}

/** These only look up names and log lines, and run nothing. */
const harmlessSockets = [
  "/run/nscd",
  "/run/systemd/resolve",
  "/run/systemd/userdb",
  "/run/systemd/journal",
  "/var/lib/sss/pipes",
];

/**
 * The sockets elsewhere that this user may connect to, such as Docker's: `/proc/net/unix` lists them all, under the
 * names they were bound to. `shown` are folders that are visible in the sandbox although they may be inside a hidden
 * one, the working folder first.
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
  // It is unknown which folder a relative name belongs to.
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

/** False when it no longer exists, or belongs to another user. */
async function isOpenSocket(path: string): Promise<boolean> {
  try {
    await access(path, constants.W_OK);
    return (await stat(path)).isSocket();
  } catch {
    return false;
  }
}

/**
 * Parses lines of the form `Num RefCount Protocol Flags Type St Inode Path`; abstract names begin with @ and belong to
 * the network namespace.
 */
export function socketPaths(table: string): readonly string[] {
  return table
    .split("\n")
    .slice(1)
    .flatMap((line) => /^(?:\S+\s+){7}([^@].*)$/.exec(line)?.[1] ?? []);
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** Relative entries would find programs in any working folder. */
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
