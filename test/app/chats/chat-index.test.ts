import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createChatIndex, indexFile } from "../../../src/app/chats/chat-index.ts";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "parley-chats-"));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const { signal } = new AbortController();
const index = (folders = [join(home, "chats")]) =>
  createChatIndex({ folders: () => folders, stateFolder: join(home, "state") });

async function write(name: string, text: string, seconds: number): Promise<string> {
  const path = join(home, "chats", name);
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(path, text);
  await utimes(path, seconds, seconds);
  return path;
}

describe("the index of chats", () => {
  it("lists the last written first, those of folders below too, and nothing of files folders", async () => {
    await write("old.md", "💬: old", 100);
    await write("sub/new.md", "💬: new", 300);
    await write("old.md.files/copy.md", "💬: no", 400);
    await write(".hidden/x.md", "💬: no", 400);
    await write("notes.txt", "💬: no", 400);
    await write("plain.md", "only words", 500);
    const chats = await index([join(home, "chats"), join(home, "chats", "sub")]).refresh();
    expect(chats.map(({ topic }) => topic)).toEqual(["new", "old"]);
  });

  it("is there where it cannot be kept, as on a full disk", async () => {
    await writeFile(join(home, "state"), "in the way");
    await write("own.md", "💬: own", 100);
    expect(await index().refresh()).toHaveLength(1);
  });

  it.runIf(process.platform === "linux")("reads no file to an end that never comes", async () => {
    await write("own.md", "💬: own", 100);
    await symlink("/proc/self/pagemap", join(home, "chats", "endless.md"));
    spawnSync("mkfifo", [join(home, "chats", "pipe.md")]);
    const chats = index();
    expect((await chats.refresh()).map(({ path }) => basename(path)).sort()).toEqual([
      "endless.md",
      "own.md",
    ]);
    expect(await chats.search("own", signal)).toHaveLength(1);
  });

  it("lists files elsewhere that the user made chats, each once", async () => {
    const own = await write("own.md", "💬: own", 100);
    const project = join(home, "project", "chats");
    await mkdir(join(project, "deeper"), { recursive: true });
    const files = {
      "project.md": "💬: of a project",
      "deeper/too.md": "💬: below",
      "README.md": "no chat",
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(project, name), text);
    const single = join(home, "single.md");
    await writeFile(single, "💬: single");
    await writeFile(join(home, "told.md"), "💬: only told");
    const notes = [
      ["folder", project],
      ["folder", join(project, "deeper")],
      ["folder", join(home, "chats")],
      ["folder", join(home, "gone")],
      ["file", single],
      ["file", own],
      ["told", join(home, "told.md")],
      [""],
    ];
    await mkdir(join(home, "state", "attached"), { recursive: true });
    for (const [at, note] of notes.entries()) {
      await writeFile(join(home, "state", "attached", `${at}.txt`), `${note.join("\n")}\n`);
    }
    const topics = async () => (await index().refresh()).map(({ topic }) => topic).toSorted();
    expect(await topics()).toEqual(["below", "of a project", "own", "single"]);
    await rm(join(home, "state", "attached", "0.txt"));
    expect(await topics()).toEqual(["below", "own", "single"]);
  });

  it("has no chats where no folder is", async () => {
    expect(await index().refresh()).toEqual([]);
  });

  it("reads again only what changed, over sessions too", async () => {
    const path = await write("a.md", "💬: first", 100);
    await write("b.md", "💬: other", 200);
    const first = index();
    await first.refresh();
    // The same size and time: it is taken as it was.
    await write("a.md", "💬: thirs", 100);
    expect((await index().refresh()).map(({ topic }) => topic)).toEqual(["other", "first"]);
    await utimes(path, 300, 300);
    expect((await first.refresh()).map(({ topic }) => topic)).toEqual(["thirs", "other"]);
    await rm(path);
    expect((await first.refresh()).map(({ topic }) => topic)).toEqual(["other"]);
    expect(await readFile(join(home, "state", indexFile), "utf8")).not.toContain("thirs");
  });

  it("needs its kept file for nothing", async () => {
    await write("a.md", "💬: first", 100);
    await index().refresh();
    for (const text of ["", "{", '{"version":0}', '{"version":1,"chats":[{"path":3}]}']) {
      await writeFile(join(home, "state", indexFile), text);
      expect((await index().refresh()).map(({ topic }) => topic)).toEqual(["first"]);
    }
  });

  it("tells at once what there is, before it has read it", async () => {
    await write("a.md", "💬: first", 100);
    const parts: string[][] = [];
    const chats = index();
    await chats.refresh(() => parts.push(chats.chats().map(({ path }) => path)));
    expect(parts[0]).toEqual([join(home, "chats", "a.md")]);
  });

  it("finds words in the texts, in any case", async () => {
    const path = await write("a.md", "💬: q\n🤖:\nSome Answer here", 100);
    await write("b.md", "💬: q\n🤖:\nnothing", 200);
    const chats = index();
    await chats.refresh();
    expect(await chats.search("some ANSWER", signal)).toEqual([path]);
    expect(await chats.search("some ANSWER", AbortSignal.abort())).toEqual([]);
  });
});
