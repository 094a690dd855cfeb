/** What the kernel knows of a process, and of a folder. Linux; elsewhere the rows that need it stay empty. */
import { readdirSync, readFileSync } from "node:fs";

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

/** Milliseconds of processor time the process has used, all its threads. */
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

/** Megabytes of memory that are in use by the process. */
export function memoryMB(pid) {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(read(`/proc/${pid}/status`) ?? "")?.[1];
  return kilobytes === undefined ? Number.NaN : Number(kilobytes) / 1024;
}

export function isAlive(pid) {
  const text = read(`/proc/${pid}/stat`);
  // A zombie has ended; only nobody has asked for its exit code yet.
  return text !== null && !/^\d+ \(.*\) Z/.test(text);
}

/** The process ids of the children of a process. */
export function childrenOf(pid) {
  const text = read(`/proc/${pid}/task/${pid}/children`) ?? "";
  return text.split(" ").filter(Boolean).map(Number);
}

/** The kind of file system that a folder is on, since saves cost what it costs. */
export function fileSystemOf(folder) {
  const mounts = (read("/proc/mounts") ?? "").split("\n").map((line) => line.split(" "));
  const holding = mounts.filter(
    ([, at]) => at === "/" || folder === at || folder.startsWith(`${at}/`),
  );
  const [nearest] = holding.sort(([, one], [, other]) => other.length - one.length);
  return nearest?.[2] ?? "a file system that cannot be told";
}
