/** Ends a process with everything it started: a process group on Unix, a tree that `taskkill` walks on Windows. */

import { spawnSync } from "node:child_process";
import { programOf } from "./find-program.ts";
import { isWindows, type Platform, thisPlatform } from "./platform.ts";
import { hasCode } from "./system-error.ts";

/** The system calls that end processes, so that each system's way can be tested on every other. */
export interface ProcessSystem {
  readonly platform: Platform;
  kill(pid: number, signal: NodeJS.Signals | 0): void;
  /** Runs a program to its end with a hidden window. */
  run(command: string, args: readonly string[]): void;
}

/** Options that make a child lead its own process group, which ends with it; Windows has trees instead. */
export const ownGroup = { detached: !isWindows(thisPlatform) } as const;

const thisSystem: ProcessSystem = {
  platform: thisPlatform,
  kill: (pid, signal) => {
    process.kill(pid, signal);
  },
  run: (command, args) => {
    const options = { stdio: "ignore", windowsHide: true, timeout: 5_000 } as const;
    spawnSync(programOf(command, { env: process.env }), [...args], options);
  },
};

/**
 * Sends a signal to the leader of a group and to all its members; on Windows every signal but 0 ends the whole tree at
 * once. Returns whether any of them existed. Works inside an exit handler.
 */
export function endTree(
  leader: number,
  signal: NodeJS.Signals | 0,
  system: ProcessSystem = thisSystem,
): boolean {
  const isTree = isWindows(system.platform);
  try {
    if (isTree && signal !== 0) {
      system.kill(leader, 0);
      system.run("taskkill", ["/PID", String(leader), "/T", "/F"]);
    } else {
      system.kill(isTree ? leader : -leader, signal);
    }
    return true;
  } catch (error) {
    // EPERM: the rest of the group runs as another user, and this process cannot end it.
    if (hasCode(error, "ESRCH", "EPERM")) return false;
    throw error;
  }
}
