/** Data from the kernel about processes and file systems. Linux only; elsewhere the rows that need it stay empty. */
import { readdirSync, readFileSync } from "node:fs";

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

/** Returns the CPU time of the process with all its threads, in milliseconds. */
export function cpuMs(pid) {
  let total = 0;
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const text = read(`/proc/${pid}/task/${thread}/schedstat`);
      total += Number(text?.split(" ")[0] ?? 0) / 1e6;
    }
  } catch {
    return Number.NaN;
  }
  return total;
}

/** Returns the resident memory of the process in megabytes. */
export function memoryMB(pid) {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(read(`/proc/${pid}/status`) ?? "")?.[1];
  return kilobytes === undefined ? Number.NaN : Number(kilobytes) / 1024;
}

export function isAlive(pid) {
  const text = read(`/proc/${pid}/stat`);
  // A zombie has exited, but its parent has not read its exit code yet.
  return text !== null && !/^\d+ \(.*\) Z/.test(text);
}

/** Returns the process ids of a process's children. */
export function childrenOf(pid) {
  const text = read(`/proc/${pid}/task/${pid}/children`) ?? "";
  return text.split(" ").filter(Boolean).map(Number);
}

/** Returns the type of a folder's file system, which determines the cost of saves. */
export function fileSystemOf(folder) {
  const mounts = (read("/proc/mounts") ?? "").split("\n").map((line) => line.split(" "));
  const holding = mounts.filter(
    ([, at]) => at === "/" || folder === at || folder.startsWith(`${at}/`),
  );
  const [nearest] = holding.sort(([, one], [, other]) => other.length - one.length);
  return nearest?.[2] ?? "a file system that cannot be told";
}
