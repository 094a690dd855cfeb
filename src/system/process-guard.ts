/**
 * A shell that ends what this process leaves behind when it is killed so hard that it can do nothing itself. It waits
 * on a pipe whose other end only this process holds: the end of the pipe is the end of the process.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { ownGroup } from "./process-tree.ts";

/** Reads `add PID` and `drop PID`; PIDs are numbers, so nothing of a command is ever part of the script. */
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

/** From now on the process group ends with this process, however that ends. Windows has no groups to guard. */
export function guardGroup(leader: number): void {
  if (!ownGroup.detached) return;
  guard ??= startGuard();
  guard.stdin?.write(`add ${leader}\n`);
}

/** The group is gone: its number may be another's soon. */
export function dropGroup(leader: number): void {
  guard?.stdin?.write(`drop ${leader}\n`);
}

function startGuard(): ChildProcess {
  const child = spawn("/bin/sh", ["-c", script], {
    ...ownGroup,
    stdio: ["pipe", "ignore", "ignore"],
    env: {},
    windowsHide: true,
  });
  // Without it servers still end with us in every way but a kill; the next server tries to start it again.
  const lose = () => {
    if (guard === child) guard = null;
  };
  child.on("error", lose);
  child.on("exit", lose);
  child.stdin.on("error", lose);
  // A program that has nothing else to do may end.
  child.unref();
  if ("unref" in child.stdin && typeof child.stdin.unref === "function") child.stdin.unref();
  return child;
}
