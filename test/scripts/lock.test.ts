import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withLock } from "../../scripts/lib/lock.mjs";
import { folderWith } from "./folder.ts";

describe("withLock", () => {
  it("runs one piece of work at a time and removes the lock afterwards", async () => {
    const lock = join(folderWith({}), "lock");
    let inside = 0;
    let most = 0;
    const enter = () =>
      withLock(lock, async () => {
        inside += 1;
        most = Math.max(most, inside);
        await new Promise((resolve) => setImmediate(resolve));
        inside -= 1;
      });
    await Promise.all([enter(), enter(), enter()]);
    expect(most).toBe(1);
    expect(existsSync(lock)).toBe(false);
  });

  it("never leaves a lock folder without its owner file, which another process could replace", async () => {
    const lock = join(folderWith({}), "lock");
    let isOver = false;
    const seen = new Set<string>();
    const looks = (async () => {
      while (!isOver) {
        if (existsSync(lock)) {
          try {
            seen.add(readdirSync(lock).join());
          } catch {
            // It was removed in between.
          }
        }
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    for (let turn = 0; turn < 100; turn += 1) await withLock(lock, async () => turn);
    isOver = true;
    await looks;
    expect([...seen]).toEqual(["owner"]);
  });

  it("releases the lock when the work fails", async () => {
    const lock = join(folderWith({}), "lock");
    const failing = withLock(lock, async () => {
      throw new Error("the work failed");
    });
    await expect(failing).rejects.toThrow("the work failed");
    expect(await withLock(lock, async () => "next")).toBe("next");
  });

  it("takes over the lock of a process that crashed", async () => {
    const lock = join(folderWith({}), "lock");
    const { pid } = spawnSync(process.execPath, ["--version"]);
    leaveLock(lock, String(pid));
    expect(await withLock(lock, async () => "inherited")).toBe("inherited");
  });

  it("takes over an old lock whose process id now belongs to another process", async () => {
    const lock = join(folderWith({}), "lock");
    leaveLock(lock, String(process.pid));
    const longAgo = new Date(Date.now() - 3_600_000);
    utimesSync(join(lock, "owner"), longAgo, longAgo);
    expect(await withLock(lock, async () => "inherited")).toBe("inherited");
  });
});

function leaveLock(lock: string, owner: string): void {
  mkdirSync(lock);
  writeFileSync(join(lock, "owner"), owner);
}
