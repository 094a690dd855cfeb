/**
 * Starts commands that the user names, and explains why one failed. On Windows `npx`, `pass` and the like are scripts,
 * which Node starts only through a shell; cross-spawn does that and lets no argument become a shell command.
 */
import type {
  ChildProcess,
  ChildProcessWithoutNullStreams,
  SpawnOptions,
} from "node:child_process";
import crossSpawn from "cross-spawn";
import { programOf } from "./find-program.ts";
import { expandHome } from "./paths.ts";
import { endTree, ownGroup } from "./process-tree.ts";
import { homeFolder } from "./standard-folders.ts";
import { withAbsolutePath } from "./variables.ts";

type PipedOptions = Omit<SpawnOptions, "stdio" | "shell" | "windowsHide">;

/** Milliseconds in which a program's last output is still read. */
const lastWordsMs = 100;

/**
 * Starts a command with pipes to all its streams. The pipes close soon after the command ended, even if a process that
 * it left behind keeps them open. Opens no console window. Throws a sentence when no more files can be opened.
 */
export function startCommand(
  command: string,
  args: readonly string[],
  options: PipedOptions,
): ChildProcessWithoutNullStreams {
  const program = programOf(command, { env: options.env ?? process.env });
  const child = crossSpawn(program, [...args], { ...options, stdio: "pipe", windowsHide: true });
  if (!hasPipes(child)) {
    // When no more files can be opened, Node starts nothing, creates no pipes, and reports the error a moment later.
    child.once("error", () => {});
    throw new Error(`${command} could not be started: too many files are open.`);
  }
  child.once("exit", () => closeSoon(child));
  return child;
}

function closeSoon({ stdout, stderr }: ChildProcessWithoutNullStreams): void {
  const close = () => {
    stdout.destroy();
    stderr.destroy();
  };
  // A busy event loop has not read for that long: data in the pipes is read between the timer and the immediate that it
  // sets.
  setTimeout(() => setImmediate(close), lastWordsMs).unref();
}

function hasPipes(child: ChildProcess): child is ChildProcessWithoutNullStreams {
  return Boolean(child.stdin && child.stdout && child.stderr);
}

export type CommandOutcome =
  | { readonly type: "ended"; readonly code: number | null; readonly signal: string | null }
  | { readonly type: "missing" | "timeout" | "too-long" }
  | { readonly type: "failed"; readonly reason: string };

interface CommandOutput {
  readonly outcome: CommandOutcome;
  readonly stdout: string;
  readonly stderr: string;
}

/** In bytes; the output of such commands is a key, a token, or a text for a model. */
const longestOutput = 1024 * 1024;

interface OutputOptions {
  readonly timeoutMs: number;
  readonly env?: NodeJS.ProcessEnv;
  /** Absent: the working folder of this process. */
  readonly cwd?: string;
  /** Input on the command's stdin; absent: none, so that a command that asks there ends. */
  readonly input?: string;
  /** The most bytes of stdout or of stderr. */
  readonly longest?: number;
}

/** Runs a command to its end; a timeout in milliseconds ends it and everything it started. */
export async function outputOfCommand(
  command: string,
  args: readonly string[],
  options: OutputOptions,
): Promise<CommandOutput> {
  const { outcome, stdout, stderr } = await bytesOfCommand(command, args, options);
  return { outcome, stdout: stdout.toString("utf8"), stderr };
}

/** As `outputOfCommand`, for a command whose output is not text. */
export function bytesOfCommand(
  command: string,
  args: readonly string[],
  { timeoutMs, input = "", longest = longestOutput, ...options }: OutputOptions,
): Promise<Omit<CommandOutput, "stdout"> & { readonly stdout: Buffer }> {
  return new Promise((resolve) => {
    const output: Record<"stdout" | "stderr", Buffer[]> = { stdout: [], stderr: [] };
    let ended: (CommandOutcome["type"] & ("timeout" | "too-long")) | null = null;
    // These commands are the user's own, such as one that prints a key, and start in any working folder.
    const env = withAbsolutePath(options.env ?? process.env);
    // In a configuration `~` has the same meaning as in a shell.
    const program = expandHome(command, homeFolder());
    const child = startCommand(program, args, { ...options, ...ownGroup, env });
    const end = (type: "timeout" | "too-long") => {
      ended ??= type;
      if (child.pid !== undefined) endTree(child.pid, "SIGKILL");
    };
    const timer = setTimeout(() => end("timeout"), timeoutMs);
    const done = (outcome: CommandOutcome) => {
      clearTimeout(timer);
      const stderr = Buffer.concat(output.stderr).toString("utf8");
      resolve({ outcome, stdout: Buffer.concat(output.stdout), stderr });
    };
    for (const stream of ["stdout", "stderr"] as const) {
      let bytes = 0;
      child[stream].on("data", (chunk: Buffer) => {
        output[stream].push(chunk);
        bytes += chunk.length;
        if (bytes > longest) end("too-long");
      });
    }
    child.on("error", (error: NodeJS.ErrnoException) => {
      const isMissing = error.code === "ENOENT";
      done(
        isMissing ? { type: "missing" } : { type: "failed", reason: error.code ?? error.message },
      );
    });
    child.on("close", (code, signal) => {
      done(ended === null ? { type: "ended", code, signal } : { type: ended });
    });
    // The command may end before it has read everything; its outcome is reported.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}

/** Starts a command that keeps running when this process ends; `failed` receives the reason when it did not start. */
export function startDetached(
  command: string,
  args: readonly string[],
  failed: (error: Error) => void,
): void {
  const env = withAbsolutePath(process.env);
  const options = { stdio: "ignore", detached: true, windowsHide: true, env } as const;
  const child = crossSpawn(programOf(command, { env }), [...args], options);
  child.on("error", failed);
  child.unref();
}

/** `said` is what it printed about the failure, without secrets; empty when nothing. */
export function commandFailure(outcome: CommandOutcome, timeoutMs: number, said: string): string {
  const tail = said === "" ? "" : `: ${said.slice(0, 200).replace(/\.+$/, "")}`;
  switch (outcome.type) {
    case "timeout":
      return `did not end within ${timeoutMs / 1000} seconds${tail}`;
    case "missing":
      return "was not found";
    case "too-long":
      return "printed more than 1 MB";
    case "failed":
      return `could not be run (${outcome.reason})`;
    case "ended":
      return outcome.code === null
        ? `was ended by ${outcome.signal}${tail}`
        : `ended with exit code ${outcome.code}${tail}`;
  }
}
