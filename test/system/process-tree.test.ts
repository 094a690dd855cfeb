/** Ending process trees: the calls for each system, and real processes on this one. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it, vi } from "vitest";
import { endTree, type ProcessSystem } from "../../src/system/process-tree.ts";
import { running } from "../support/processes.ts";

function system(platform: NodeJS.Platform, problem?: string) {
  const calls: string[] = [];
  const recorded: ProcessSystem = {
    platform,
    kill(pid, signal) {
      calls.push(`kill ${pid} ${signal}`);
      if (problem) throw Object.assign(new Error(problem), { code: problem });
    },
    run: (command, args) => void calls.push([command, ...args].join(" ")),
  };
  return { calls, recorded };
}

it.each<[NodeJS.Platform, NodeJS.Signals | 0, string[]]>([
  ["linux", "SIGTERM", ["kill -7 SIGTERM"]],
  ["darwin", 0, ["kill -7 0"]],
  ["win32", "SIGTERM", ["kill 7 0", "taskkill /PID 7 /T /F"]],
  ["win32", 0, ["kill 7 0"]],
])("endTree on %s with %s makes the system's calls", (platform, signal, expected) => {
  const { calls, recorded } = system(platform);
  expect(endTree(7, signal, recorded)).toBe(true);
  expect(calls).toEqual(expected);
});

it.each(["linux", "win32"] as const)(
  "endTree on %s returns false for a process that is gone or belongs to another user",
  (platform) => {
    for (const problem of ["ESRCH", "EPERM"]) {
      const { calls, recorded } = system(platform, problem);
      expect(endTree(7, "SIGKILL", recorded)).toBe(false);
      expect(calls).toHaveLength(1);
    }
    expect(() => endTree(7, "SIGKILL", system(platform, "EINVAL").recorded)).toThrow("EINVAL");
  },
);

it("endTree ends the processes that a child has started", async () => {
  const inner = `setInterval(() => {}, 1000)`;
  const outer = `const { spawn } = require("node:child_process");
    const child = spawn(process.execPath, ["-e", ${JSON.stringify(inner)}], { stdio: "ignore" });
    console.log(child.pid); setInterval(() => {}, 1000)`;
  const options = { detached: process.platform !== "win32", stdio: "pipe" } as const;
  const child = spawn(process.execPath, ["-e", outer], options);
  const [line] = await once(child.stdout, "data");
  const pids = [child.pid ?? 0, Number(String(line))];
  expect(endTree(child.pid ?? 0, "SIGKILL")).toBe(true);
  await vi.waitUntil(() => running(pids).length === 0, { timeout: 10_000 });
});
