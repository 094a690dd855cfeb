import { execFileSync } from "node:child_process";

/** Ids of the processes whose command line holds the text; zombies, which run nothing, do not count. */
export function processesWith(text: string): readonly number[] {
  const table = execFileSync("ps", ["-A", "-ww", "-o", "pid=,stat=,args="], { encoding: "utf8" });
  return table
    .split("\n")
    .filter((line) => line.includes(text))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, state]) => !state?.startsWith("Z"))
    .map(([pid]) => Number(pid));
}
