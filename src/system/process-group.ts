/**
 * Ends a server or a command with everything that it started. `npx` and `sh -c` put the real program two processes
 * down, and a signal to the child only would leave it behind; so each child leads its own process group, which ends
 * with this process, however that ends.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { thisPlatform } from "./platform.ts";
import { endTree, ownGroup } from "./process-tree.ts";
import { hasCode } from "./system-error.ts";

const leaders = new Set<number>();

/** For each leader, a value in the environment of all its descendants, even of those in another session. */
const marks = new Map<number, string>();

/** The environment variable with that value. */
export const markVariable = "PARLEY_MCP_SERVER";

/** Milliseconds that a server gets after its input ended, after SIGTERM, and after SIGKILL. */
const graces = {
  /** Neovim is quitting, and waits for this. */
  quick: { input: 250, terminate: 200, kill: 100 },
  /** It may save its data: containers and databases take a while. */
  patient: { input: 2000, terminate: 2000, kill: 500 },
};

export type Grace = keyof typeof graces;

/** Registers a started child, so that it ends with this process, for whatever reason this process exits. */
export function watchGroup(child: ChildProcess, mark: string): void {
  const { pid } = child;
  if (pid === undefined) return;
  if (leaders.size === 0) process.on("exit", killAll);
  leaders.add(pid);
  marks.set(pid, mark);
  guardGroup(pid);
}

/** The leader has ended: ends the processes that it left behind. */
export function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  endTree(child.pid, "SIGKILL");
  signalMarked(marks.get(child.pid), "SIGKILL");
  forget(child.pid);
}

/** Ends the child and its descendants; resolves when they are gone, after 550 ms or 4.5 s at the latest. */
export async function endGroup(child: ChildProcess, how: Grace): Promise<void> {
  const { pid } = child;
  if (pid === undefined || !leaders.has(pid)) return;
  const grace = graces[how];
  const mark = marks.get(pid);
  child.stdin?.end();
  if (!(await isGoneWithin(pid, grace.input))) {
    endTree(pid, "SIGTERM");
    if (!(await isGoneWithin(pid, grace.terminate))) {
      endTree(pid, "SIGKILL");
      await isGoneWithin(pid, grace.kill);
    }
  }
  if (mark !== undefined) await endMarked(mark, grace.terminate);
  forget(pid);
}

function killAll(): void {
  for (const pid of leaders) {
    endTree(pid, "SIGKILL");
    signalMarked(marks.get(pid), "SIGKILL");
  }
}

function forget(pid: number): void {
  leaders.delete(pid);
  marks.delete(pid);
  dropGroup(pid);
  if (leaders.size === 0) process.off("exit", killAll);
}

/** Processes that left the group keep the mark; only Linux shows the environment of other processes. */
async function endMarked(mark: string, milliseconds: number): Promise<void> {
  const deadline = performance.now() + milliseconds;
  signalMarked(mark, "SIGTERM");
  while (performance.now() < deadline && markedProcesses(mark).length > 0) await delay(20);
  signalMarked(mark, "SIGKILL");
}

function signalMarked(mark: string | undefined, signal: NodeJS.Signals): void {
  if (mark === undefined) return;
  for (const pid of markedProcesses(mark)) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (!hasCode(error, "ESRCH", "EPERM")) throw error;
    }
  }
}

function markedProcesses(mark: string): readonly number[] {
  if (thisPlatform !== "linux") return [];
  const wanted = `${markVariable}=${mark}\0`;
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return readFileSync(`/proc/${name}/environ`, "latin1").includes(wanted) ? [Number(name)] : [];
    } catch {
      // It ended meanwhile, or belongs to another user.
      return [];
    }
  });
}

async function isGoneWithin(pid: number, milliseconds: number): Promise<boolean> {
  const deadline = performance.now() + milliseconds;
  while (endTree(pid, 0)) {
    if (performance.now() >= deadline) return false;
    await delay(5);
  }
  return true;
}

/**
 * A shell ends the processes that this one leaves behind when it is killed so abruptly that it cannot act. It waits on
 * a pipe whose other end only this process holds: the pipe ends when the process does.
 *
 * Reads `add PID` and `drop PID`; PIDs are numbers, so no part of a command ever reaches the script.
 */
const script = `
leaders=""
while read -r word pid; do
  kept=""
  for each in $leaders; do [ "$each" = "$pid" ] || kept="$kept $each"; done
  leaders=$kept
  [ "$word" = add ] && leaders="$leaders $pid"
done
[ -n "$leaders" ] || exit 0
for each in $leaders; do kill -s TERM -- "-$each" 2>/dev/null; done
sleep 1
for each in $leaders; do kill -s KILL -- "-$each" 2>/dev/null; done
exit 0`;

let guard: ChildProcess | null = null;

/** Makes the process group end with this process, however that ends. Windows has no groups to guard. */
function guardGroup(leader: number): void {
  if (!ownGroup.detached) return;
  guard ??= startGuard();
  guard.stdin?.write(`add ${leader}\n`);
}

/** The group is gone, and its number may soon belong to another group. */
function dropGroup(leader: number): void {
  guard?.stdin?.write(`drop ${leader}\n`);
}

function startGuard(): ChildProcess {
  const child: ChildProcess = spawn("/bin/sh", ["-c", script], {
    ...ownGroup,
    stdio: ["pipe", "ignore", "ignore"],
    env: {},
    windowsHide: true,
  });
  // Without the guard, servers still end with this process unless it is killed; the next server tries to start it
  // again.
  const lose = () => {
    if (guard === child) guard = null;
  };
  child.on("error", lose);
  child.on("exit", lose);
  const { stdin } = child;
  stdin?.on("error", lose);
  // The guard does not keep a program alive that has nothing else to do.
  child.unref();
  if (stdin && "unref" in stdin && typeof stdin.unref === "function") stdin.unref();
  return child;
}
