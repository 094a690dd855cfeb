import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { moveChat, trashChat } from "../../../src/app/chats/move-chat.ts";
import { ownPieces } from "../../../src/app/chats/own-pieces.ts";
import { driveChat } from "../../../src/app/state/locks.ts";
import { addRecords, loadRecords } from "../../../src/app/state/remembered-store.ts";
import { keepText } from "../../../src/app/state/remembered-texts.ts";
import { keepPieces, loadPieces } from "../../../src/app/state/written-pieces.ts";
import { readSpent, recordSpent } from "../../../src/app/usage/ledger.ts";
import { sha256 } from "../../../src/shared/hash.ts";
import { untilLater } from "./later.ts";

let home: string;
let state: string;
beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "parley-move-")));
  state = join(home, "state");
});
afterEach(() => rm(home, { recursive: true, force: true }));

const keep = (written: Promise<void>) => written;
const options = () => ({ stateFolder: state, chatFolders: [home], keep });

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
    await moveChat(from, to, options());
    expect(await readFile(to, "utf8")).toBe("💬: see\n![x](new.md.files/a.png)\n[y](other.md)\n");
    expect(await readFile(join(`${to}.files`, "a.png"), "utf8")).toBe("image");
    expect((await stat(to)).mtimeMs).toBe(1_000_000);
    expect((await loadRecords(state, to)).records).toEqual([record(to)]);
    expect((await loadRecords(state, from)).records).toEqual([]);
    expect((await readdir(home)).sort()).toEqual(["state", "sub"]);
  });

  it("leaves nothing of its old path in the state folder, whatever is kept of it", async () => {
    const from = await chat("a.md", "---\nrules_files: x\n---\n\n💬: @@./b@@\n");
    await addRecords(state, [record(from)]);
    await keepText(state, from, await readFile(from, "utf8"));
    await keepPieces(state, from, ["p1"]);
    const spent = { at: 1000, chat: from, model: "x/y", input: 1, output: 1, cost: 0.5 };
    await recordSpent(state, spent);
    await mkdir(join(state, "saving"), { recursive: true });
    await writeFile(join(state, "saving", sha256(from)), "broken off");
    await mkdir(join(state, "last-chats"));
    await writeFile(join(state, "last-chats", "x.txt"), `${from}\n`, { mode: 0o600 });
    await mkdir(join(state, "attached"));
    const note = { mode: 0o600 };
    await writeFile(join(state, "attached", `${sha256(from)}.txt`), `file\n${from}\n`, note);
    const lock = await driveChat(state, from);
    if (lock.type === "holding") await lock.release();
    const to = join(home, "b.md");
    await moveChat(from, to, options());
    const files = await readdir(state, { recursive: true });
    for (const file of files) {
      expect(file).not.toContain(sha256(from));
      // The ledger says what was moved.
      if (file.startsWith("usage")) continue;
      const text = await readFile(join(state, file), "utf8").catch(() => "");
      expect(text.includes(from), file).toBe(false);
    }
    expect(await readSpent(state, 0)).toEqual([{ ...spent, chat: to }]);
    expect(await readFile(join(state, "saving", sha256(to)), "utf8")).toBe("broken off");
    expect(await readFile(join(state, "last-chats", "x.txt"), "utf8")).toBe(`${to}\n`);
    const attached = await readFile(join(state, "attached", `${sha256(to)}.txt`), "utf8");
    expect(attached).toBe(`file\n${to}\n`);
  });

  it("stays the user's own, or from elsewhere, and inherits nothing from one that is gone", async () => {
    // From before origins were kept.
    const own = await chat("own.md", "---\nserver_tools: a\n---\n");
    expect(await ownPieces(state, own, [home])).toBe("all");
    await moveChat(own, join(home, "b.md"), options());
    expect((await loadPieces(state, join(home, "b.md")))?.size).toBe(1);
    const pieces = (await loadPieces(state, join(home, "b.md"))) ?? new Set();
    // A later one that nobody here wrote.
    await untilLater(state);
    const foreign = await chat("foreign.md", "---\nserver_tools: a\n---\n");
    expect((await ownPieces(state, foreign, [home])) as ReadonlySet<string>).toEqual(new Set());
    await keepPieces(state, join(home, "c.md"), pieces);
    await addRecords(state, [record(join(home, "c.md"))]);
    await moveChat(foreign, join(home, "c.md"), options());
    expect((await ownPieces(state, join(home, "c.md"), [home])) as ReadonlySet<string>).toEqual(
      new Set(),
    );
    expect((await loadRecords(state, join(home, "c.md"))).records).toEqual([]);
  });

  it("keeps its own links to other chats in another folder", async () => {
    const from = await chat(
      "a.md",
      `🌿: up.md: the parent\n💬: see [🌿:this](sub/one.md) and [plain](up.md)\n🌿: ${home}/x.md: absolute\n🌿: ~/y.md\n`,
    );
    const to = join(home, "sub", "b.md");
    await moveChat(from, to, options());
    expect(await readFile(to, "utf8")).toBe(
      `🌿: ../up.md: the parent\n💬: see [🌿:this](one.md) and [plain](up.md)\n🌿: ${home}/x.md: absolute\n🌿: ~/y.md\n`,
    );
  });

  it("renews its links to itself, in its own folder, too", async () => {
    const from = await chat("a $& b.md", "💬: see [🌿:above](a $& b.md)\n🌿: a $& b.md: me\n");
    const to = join(home, "c $& d.md");
    await moveChat(from, to, options());
    const text = "💬: see [🌿:above](c $& d.md)\n🌿: c $& d.md: me\n";
    expect(await readFile(to, "utf8")).toBe(text);
  });

  it("is at its new path before its editor follows, and at its old path until then", async () => {
    const from = await chat("a.md", "💬: hi\n");
    const to = join(home, "b.md");
    const seen: string[] = [];
    const follow = async (path: string) => {
      seen.push(path, ...(await readdir(home)).sort());
      await writeFile(from, "💬: hi\nsaved by the editor, which has it\n");
      return true;
    };
    await moveChat(from, to, { ...options(), follow });
    expect(seen).toEqual([to, "a.md", "b.md", "b.md.files", "state"]);
    expect((await readdir(home)).sort()).toEqual(["b.md", "b.md.files", "state"]);
  });

  it("leaves the old file where another program wrote it meanwhile", async () => {
    const from = await chat("a.md", "💬: hi\n");
    const to = join(home, "b.md");
    const follow = async () => {
      await writeFile(from, "from elsewhere");
      return false;
    };
    await expect(moveChat(from, to, { ...options(), follow })).rejects.toThrow(
      `Another program wrote ${from} while it was moved. What it wrote is still there; the chat as it was before is ${to}.`,
    );
    expect(await readFile(from, "utf8")).toBe("from elsewhere");
    expect(await readFile(to, "utf8")).toBe("💬: hi\n");
  });

  it("says so when it is not there", async () => {
    await expect(moveChat(join(home, "a.md"), join(home, "b.md"), options())).rejects.toThrow(
      "a.md is not there any more, so nothing was moved.",
    );
  });

  it.skipIf(process.platform === "win32")("leaves no link that leads nowhere", async () => {
    const real = await chat("real.md", "💬: hi\n");
    await mkdir(join(home, "chats"));
    for (const move of [
      (from: string) => moveChat(from, join(home, "chats", "new.md"), options()),
      (from: string) => trashChat(from, options(), new Date()),
    ]) {
      await writeFile(real, "💬: hi\n");
      const link = join(home, "chats", "link.md");
      await symlink(real, link);
      await move(link);
      expect(await readdir(join(home, "chats"))).not.toContain("link.md");
    }
    expect(await readFile(join(home, "chats", "new.md"), "utf8")).toBe("💬: hi\n");
  });

  it("keeps bytes that are no text", async () => {
    const bytes = Buffer.from([0xf0, 0x9f, 0x92, 0xac, 0x3a, 0x20, 0xff, 0xfe, 0x0a]);
    const from = await chat("a.md", bytes);
    await moveChat(from, join(home, "b.md"), options());
    expect(await readFile(join(home, "b.md"))).toEqual(bytes);
  });

  it("is moved where the state folder takes nothing", async () => {
    await writeFile(state, "in the way");
    const unkept: string[] = [];
    const from = await chat("a.md", "💬: hi\n");
    const to = join(home, "b.md");
    await moveChat(from, to, {
      ...options(),
      keep: (written) => written.catch((error) => void unkept.push(error.code)),
    });
    expect((await readdir(home)).sort()).toEqual(["b.md", "b.md.files", "state"]);
    expect(unkept).toContain("ENOTDIR");
  });

  it("replaces nothing", async () => {
    const from = await chat("a.md", "one");
    const to = await chat("b.md", "two");
    await expect(moveChat(from, to, options())).rejects.toThrow(
      "already exists, so nothing was moved",
    );
    await rm(to);
    await expect(moveChat(from, to, options())).rejects.toThrow("b.md.files already exists");
    expect(await readFile(from, "utf8")).toBe("one");
  });
});

describe("a chat that is deleted", () => {
  it("lies in the trash with its files, as often as one of its name is deleted", async () => {
    const trash = join(state, "trash");
    const places = [];
    for (const second of [1, 2]) {
      const path = await chat("a.md", `text ${second}`);
      places.push(await trashChat(path, options(), new Date(second * 1000)));
    }
    expect(await Promise.all(places.map((place) => readFile(place, "utf8")))).toEqual([
      "text 1",
      "text 2",
    ]);
    expect(await readdir(trash)).toHaveLength(4);
  });
});
