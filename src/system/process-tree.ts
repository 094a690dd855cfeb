/** Ending a process with all that it started: a group of processes on Unix, a tree that `taskkill` walks on Windows. */
import { spawnSync } from "node:child_process";

/** What ends processes, so that each system's way can be tried on every other. */
export interface ProcessSystem {
  readonly platform: NodeJS.Platform;
  kill(pid: number, signal: NodeJS.Signals | 0): void;
  /** Runs a program to its end and hides its window. */
  run(command: string, args: readonly string[]): void;
}

const thisSystem: ProcessSystem = {
  platform: process.platform,
  kill: (pid, signal) => {
    process.kill(pid, signal);
  },
  run: (command, args) => {
    spawnSync(command, [...args], { stdio: "ignore", windowsHide: true, timeout: 5_000 });
  },
};

/**
 * Sends a signal to the leader of a group and to all in it; on Windows every signal but 0 ends the whole tree at once.
 * Returns whether any of them was there. Works within an exit handler.
 */
export function endTree(
  leader: number,
  signal: NodeJS.Signals | 0,
  system: ProcessSystem = thisSystem,
): boolean {
  const isWindows = system.platform === "win32";
  try {
    if (isWindows && signal !== 0) {
      system.kill(leader, 0);
      system.run("taskkill", ["/PID", String(leader), "/T", "/F"]);
    } else {
      system.kill(isWindows ? leader : -leader, signal);
    }
    return true;
  } catch (error) {
    // EPERM: what is left of the group runs as someone else, which nothing of ours can end.
    if (hasCode(error, "ESRCH") || hasCode(error, "EPERM")) return false;
    throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
