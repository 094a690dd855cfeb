/** One process holds a lock; what a killed one left is taken over by exactly one. */
import { createHook } from "node:async_hooks";
import { mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir, uptime } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { driveChat, driverFile, otherDriver, withLock } from "../../../src/app/state/locks.ts";

let folder: string;
let chat: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-driver-"));
  chat = join(folder, "chat.md");
  await writeFile(chat, "💬: one\n");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const drivers = () => readdir(join(folder, "drivers"));

it("is held by one, by whatever name the chat has, until it is released", async () => {
  const other = join(folder, "link.md");
  await symlink(chat, other);
  const first = await driveChat(folder, chat);
  expect(first.type).toBe("holding");
  // Who waits does so no longer when the clock is put back.
  const now = Date.now();
  const clock = vi
    .spyOn(Date, "now")
    .mockReturnValueOnce(now)
    .mockReturnValue(now - 3_600_000);
  onTestFinished(() => clock.mockRestore());
  expect(await driveChat(folder, other)).toEqual({ type: "held", pid: process.pid });
  if (first.type === "holding") await first.release();
  expect(await drivers()).toEqual([]);
  expect((await driveChat(folder, other)).type).toBe("holding");
});

it("is taken without a way to another thread and back: a key waits for each", async () => {
  const first = await driveChat(folder, chat);
  if (first.type === "holding") await first.release();
  let asked = 0;
  const hook = createHook({
    init(_id, type) {
      if (type.startsWith("FSREQ")) asked += 1;
    },
  });
  hook.enable();
  expect((await driveChat(folder, chat)).type).toBe("holding");
  // The watch that hears of it need not read what this process wrote itself.
  expect(await otherDriver(driverFile(folder, chat))).toBeNull();
  expect(asked).toBe(0);
  await readdir(folder);
  hook.disable();
  expect(asked).toBeGreaterThan(0);
});

it("is given to one of many that ask at once", async () => {
  const asked = await Promise.all(Array.from({ length: 20 }, () => driveChat(folder, chat)));
  expect(asked.filter(({ type }) => type === "holding")).toHaveLength(1);
});

it.each([
  ["a process that is gone", { pid: 4_194_301, started: "1" }],
  ["a pid that is another process by now", { pid: process.pid, started: "1" }],
])("is taken over from %s, by one of many", async (_, dead) => {
  const first = await driveChat(folder, chat);
  const [name = ""] = await drivers();
  const lock = join(folder, "drivers", name);
  const mine = JSON.parse(await readFile(lock, "utf8"));
  // Without /proc a pid that lives is all that can be known.
  if (mine.started === null && dead.pid === process.pid) return;
  await writeFile(lock, JSON.stringify({ ...mine, ...dead, id: "dead" }));
  const asked = await Promise.all(Array.from({ length: 8 }, () => driveChat(folder, chat)));
  expect(asked.filter(({ type }) => type === "holding")).toHaveLength(1);
  // What was taken over is not released by the one before.
  if (first.type === "holding") await first.release();
  expect(await drivers()).toEqual([name]);
});

it("is taken over if no start of a process is known and it is older than the system's start", async () => {
  await driveChat(folder, chat);
  const [name = ""] = await drivers();
  const lock = join(folder, "drivers", name);
  const owner = { ...JSON.parse(await readFile(lock, "utf8")), started: null };
  await writeFile(lock, JSON.stringify(owner));
  expect(await driveChat(folder, chat)).toEqual({ type: "held", pid: process.pid });
  const before = new Date(Date.now() - (uptime() + 60) * 1000);
  await utimes(lock, before, before);
  expect((await driveChat(folder, chat)).type).toBe("holding");
});

it("is taken over when its file cannot be read", async () => {
  await driveChat(folder, chat);
  const [name = ""] = await drivers();
  await writeFile(join(folder, "drivers", name), "half");
  expect((await driveChat(folder, chat)).type).toBe("holding");
});

it("is taken over though somebody was killed while they took it over", async () => {
  await driveChat(folder, chat);
  const [name = ""] = await drivers();
  const lock = join(folder, "drivers", name);
  const dead = { ...JSON.parse(await readFile(lock, "utf8")), id: "dead", pid: 4_194_301 };
  await writeFile(lock, JSON.stringify(dead));
  await writeFile(`${lock}.take.dead`, "");
  const longAgo = new Date(Date.now() - 60_000);
  await utimes(`${lock}.take.dead`, longAgo, longAgo);
  expect((await driveChat(folder, chat)).type).toBe("holding");
  expect(await drivers()).toEqual([name]);
});

it("keeps work alone: it waits for an owner that lives, and for none that is gone", async () => {
  const file = join(folder, "work.lock");
  const done: string[] = [];
  let end = () => {};
  const held = withLock(file, async () => {
    done.push("first");
    await new Promise<void>((resolve) => {
      end = resolve;
    });
  });
  await expect.poll(() => done).toEqual(["first"]);
  const owner = JSON.parse(await readFile(file, "utf8"));
  const waiting = withLock(file, async () => done.push("second"));
  end();
  await Promise.all([held, waiting]);
  expect(done).toEqual(["first", "second"]);
  await writeFile(file, JSON.stringify({ ...owner, pid: 4_194_301 }));
  await withLock(file, async () => done.push("third"));
  expect(done).toEqual(["first", "second", "third"]);
  await expect(readFile(file)).rejects.toThrow("ENOENT");
});
