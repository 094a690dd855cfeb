/**
 * Starting commands that a person names. On Windows `npx`, `pass` and the like are scripts, which Node starts only
 * through a shell; cross-spawn does that and lets no argument become a command of it.
 */
import type {
  ChildProcess,
  ChildProcessWithoutNullStreams,
  SpawnOptions,
} from "node:child_process";
import crossSpawn from "cross-spawn";
import { endTree } from "./process-tree.ts";

type PipedOptions = Omit<SpawnOptions, "stdio" | "shell" | "windowsHide">;

/** Starts a command with pipes to all its streams. No console window opens. */
export function startCommand(
  command: string,
  args: readonly string[],
  options: PipedOptions,
): ChildProcessWithoutNullStreams {
  const child = crossSpawn(command, [...args], { ...options, stdio: "pipe", windowsHide: true });
  if (!hasPipes(child)) throw new Error(`${command} was started without pipes.`);
  return child;
}

function hasPipes(child: ChildProcess): child is ChildProcessWithoutNullStreams {
  return child.stdin !== null && child.stdout !== null && child.stderr !== null;
}

export type CommandOutcome =
  | { readonly type: "ended"; readonly code: number | null; readonly signal: string | null }
  | { readonly type: "missing" | "timeout" | "too-long" }
  | { readonly type: "failed"; readonly reason: string };

export interface CommandOutput {
  readonly outcome: CommandOutcome;
  readonly stdout: string;
  readonly stderr: string;
}

/** Characters; what such commands print is a key, a token, or a text for a model. */
const longestOutput = 1024 * 1024;

interface OutputOptions {
  readonly timeoutMs: number;
  readonly env?: NodeJS.ProcessEnv;
  /** Absent: the working folder of this process. */
  readonly cwd?: string;
}

/** Runs a command to its end without input; a time-out in milliseconds ends it and what it started. */
export function outputOfCommand(
  command: string,
  args: readonly string[],
  { timeoutMs, ...options }: OutputOptions,
): Promise<CommandOutput> {
  return new Promise((resolve) => {
    const output = { stdout: "", stderr: "" };
    let ended: (CommandOutcome["type"] & ("timeout" | "too-long")) | null = null;
    const child = startCommand(command, args, { ...options, detached: isUnix });
    const end = (type: "timeout" | "too-long") => {
      ended ??= type;
      if (child.pid !== undefined) endTree(child.pid, "SIGKILL");
    };
    const timer = setTimeout(() => end("timeout"), timeoutMs);
    const done = (outcome: CommandOutcome) => {
      clearTimeout(timer);
      resolve({ outcome, ...output });
    };
    for (const stream of ["stdout", "stderr"] as const) {
      child[stream].setEncoding("utf8").on("data", (text: string) => {
        output[stream] += text;
        if (output[stream].length > longestOutput) end("too-long");
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
    // A command that asks for a passphrase on its input would wait until the time-out.
    child.stdin.on("error", () => {});
    child.stdin.end();
  });
}

const isUnix = process.platform !== "win32";
