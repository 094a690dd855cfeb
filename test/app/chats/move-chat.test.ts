import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { moveChat, trashChat } from "../../../src/app/chats/move-chat.ts";
import { addRecords, loadRecords } from "../../../src/app/state/remembered-store.ts";

let home: string;
let state: string;
beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "parley-move-")));
  state = join(home, "state");
});
afterEach(() => rm(home, { recursive: true, force: true }));

async function chat(name: string, bytes: string | Uint8Array): Promise<string> {
  const path = join(home, name);
  await mkdir(`${path}.files`, { recursive: true });
  await writeFile(path, bytes);
  await writeFile(join(`${path}.files`, "a.png"), "image");
  return path;
}
const record = (transcriptPath: string) => ({
  ...{ transcriptPath, lineHash: "l", serverKey: "s", definitionHash: "d", file: null },
});

describe("a chat that is renamed", () => {
  it("takes its files folder, its links and what is remembered along, and keeps its date", async () => {
    const from = await chat(
      "old name.md",
      "💬: see\n![x](old%20name.md.files/a.png)\n[y](other.md)\n",
    );
    await utimes(from, 1000, 1000);
    await addRecords(state, [record(from)]);
    const to = join(home, "sub", "new.md");
    await moveChat(from, to, state);
    expect(await readFile(to, "utf8")).toBe("💬: see\n![x](new.md.files/a.png)\n[y](other.md)\n");
    expect(await readFile(join(`${to}.files`, "a.png"), "utf8")).toBe("image");
    expect((await stat(to)).mtimeMs).toBe(1_000_000);
    expect((await loadRecords(state, to)).records).toEqual([record(to)]);
    expect((await loadRecords(state, from)).records).toEqual([]);
    expect((await readdir(home)).sort()).toEqual(["state", "sub"]);
  });

  it("keeps bytes that are no text", async () => {
    const bytes = Buffer.from([0xf0, 0x9f, 0x92, 0xac, 0x3a, 0x20, 0xff, 0xfe, 0x0a]);
    const from = await chat("a.md", bytes);
    await moveChat(from, join(home, "b.md"), state);
    expect(await readFile(join(home, "b.md"))).toEqual(bytes);
  });

  it("replaces nothing", async () => {
    const from = await chat("a.md", "one");
    const to = await chat("b.md", "two");
    await expect(moveChat(from, to, state)).rejects.toThrow(
      "is there already, so nothing was renamed",
    );
    await rm(to);
    await expect(moveChat(from, to, state)).rejects.toThrow("b.md.files is there already");
    expect(await readFile(from, "utf8")).toBe("one");
  });
});

describe("a chat that is deleted", () => {
  it("lies in the trash with its files, as often as one of its name is deleted", async () => {
    const trash = join(home, "trash");
    const places = [];
    for (const second of [1, 2]) {
      const path = await chat("a.md", `text ${second}`);
      places.push(await trashChat(path, { trash, state }, new Date(second * 1000)));
    }
    expect(await Promise.all(places.map((place) => readFile(place, "utf8")))).toEqual([
      "text 1",
      "text 2",
    ]);
    expect(await readdir(trash)).toHaveLength(4);
  });
});
