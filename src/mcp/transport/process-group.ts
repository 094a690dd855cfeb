import type { ChildProcess } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { dropGroup, groupOptions, guardGroup } from "./process-guard.ts";

/**
 * A server and everything it started. `npx` and `sh -c` put the real server two processes down, and
 * a signal to the child alone leaves it behind; so every server leads a process group of its own.
 */

const leaders = new Set<number>();

/** Milliseconds: what a server gets after its input ended, after SIGTERM, and after SIGKILL. */
const grace = { input: 250, terminate: 200, kill: 100 };

/**
 * Remembers a started child, so that an exit of this process takes it along however it comes about.
 */
export function watchGroup(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  if (leaders.size === 0) process.on("exit", killAll);
  leaders.add(pid);
  guardGroup(pid);
}

/** The leader has ended: what it left behind ends too. */
export function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  signalGroup(child.pid, "SIGKILL");
  forget(child.pid);
}

/** Ends the child and its descendants; resolves when they are gone, at the latest after 550 ms, since quitting Neovim waits for it. */
export async function endGroup(child: ChildProcess): Promise<void> {
  const { pid } = child;
  if (pid === undefined || !leaders.has(pid)) return;
  child.stdin?.end();
  if (!(await isGoneWithin(pid, grace.input))) {
    signalGroup(pid, "SIGTERM");
    if (!(await isGoneWithin(pid, grace.terminate))) {
      signalGroup(pid, "SIGKILL");
      await isGoneWithin(pid, grace.kill);
    }
  }
  forget(pid);
}

function killAll(): void {
  for (const pid of leaders) signalGroup(pid, "SIGKILL");
}

function forget(pid: number): void {
  leaders.delete(pid);
  dropGroup(pid);
  if (leaders.size === 0) process.off("exit", killAll);
}

async function isGoneWithin(pid: number, milliseconds: number): Promise<boolean> {
  const deadline = Date.now() + milliseconds;
  while (signalGroup(pid, 0)) {
    if (Date.now() >= deadline) return false;
    await delay(5);
  }
  return true;
}

/** Returns whether any process of the group was there to get the signal. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(groupOptions.detached ? -pid : pid, signal);
  } catch (error) {
    // EPERM: all that is left of the group runs as someone else, which nothing of ours can end.
    if (
      error instanceof Error &&
      "code" in error &&
      (error.code === "ESRCH" || error.code === "EPERM")
    ) {
      return false;
    }
    throw error;
  }
}
