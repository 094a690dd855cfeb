import { execFileSync } from "node:child_process";

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly words: string;
}

/** All processes but zombies, which run nothing. */
function processes(): readonly Process[] {
  const table = execFileSync("ps", ["-A", "-ww", "-o", "pid=,ppid=,stat=,args="], {
    encoding: "utf8",
  });
  return table.split("\n").flatMap((line) => {
    const [pid, parent, state, ...words] = line.trim().split(/\s+/);
    if (state === undefined || state.startsWith("Z")) return [];
    return [{ pid: Number(pid), parent: Number(parent), words: words.join(" ") }];
  });
}

/** Ids of the processes whose command line holds the text. */
export function processesWith(text: string): readonly number[] {
  return processes()
    .filter(({ words }) => words.includes(text))
    .map(({ pid }) => pid);
}

export function childrenOf(parent: number): readonly number[] {
  return processes()
    .filter((process) => process.parent === parent)
    .map(({ pid }) => pid);
}

/** Those of the processes that still run. */
export function running(pids: readonly number[]): readonly number[] {
  const all = new Set(processes().map(({ pid }) => pid));
  return pids.filter((pid) => all.has(pid));
}
