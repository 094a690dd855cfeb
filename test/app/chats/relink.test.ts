/** Links of other chats to one that was moved, and what else is written into chats that may be open or not. */
import { writeFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { branchLinks, linkTo, relinkedLine } from "../../../src/app/chats/links.ts";
import { ownPieces } from "../../../src/app/chats/own-pieces.ts";
import { relinkChats } from "../../../src/app/chats/relink.ts";
import { type RewriteSources, rewriteChat } from "../../../src/app/chats/rewrite-chat.ts";
import { summariseChat } from "../../../src/app/chats/summary.ts";
import { tagEdits, tagsOf } from "../../../src/app/chats/tags.ts";
import { driveChat } from "../../../src/app/state/locks.ts";
import { addRecords } from "../../../src/app/state/remembered-store.ts";
import { isKnownText, keepText } from "../../../src/app/state/remembered-texts.ts";
import { keepPieces } from "../../../src/app/state/written-pieces.ts";
import { TextGone } from "../../../src/conversation/editor.ts";
import type { Transcript } from "../../../src/transcript/transcript.ts";
import { openMemoryChat } from "../../conversation/memory-chat.ts";
import fc from "../../support/property.ts";
import { untilLater } from "./later.ts";

let home: string;
let places: RewriteSources;
beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "parley-relink-")));
  const stateFolder = join(home, "state");
  places = {
    stateFolder,
    chatFolders: [home],
    open: () => null,
    rewritten: async () => {},
    log: () => {},
  };
});
afterEach(() => rm(home, { recursive: true, force: true }));

async function write(name: string, text: string): Promise<string> {
  const path = join(home, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return path;
}

describe("links to a chat that was moved", () => {
  it("name its new path, each in its own way, and no other line changes", async () => {
    const from = join(home, "old one.md");
    const text = [
      "---\r\ntopic: x\r\n---\r\n",
      "🌿: old one.md: up\n💬: [🌿:there](old one.md), [🌿:not](other.md)\n",
      `🤖:[x]\n\n🌿: ${home}/old one.md\n🌿: other.md: old one.md\n🌿: sub/../old one.md: x\n`,
    ].join("");
    const one = await write("one.md", text);
    const two = await write("sub/two.md", "💬: q\n🌿: ../old one.md: x\n");
    const three = await write("three.md", "💬: old one.md\n");
    const to = join(home, "new", "name.md");
    const told = await relinkChats(
      async () => [one, two, three, two, join(home, "gone.md")],
      { from, to },
      places,
    );
    expect(told).toEqual({ links: 5, chats: 2, left: [] });
    expect(await readFile(one, "utf8")).toBe(
      text
        .replace("🌿: old one.md: up", "🌿: new/name.md: up")
        .replace("](old one.md)", "](new/name.md)")
        .replace(`${home}/old one.md`, to)
        .replace("sub/../old one.md", "new/name.md"),
    );
    expect(await readFile(two, "utf8")).toBe("💬: q\n🌿: ../new/name.md: x\n");
    expect(await readFile(three, "utf8")).toBe("💬: old one.md\n");
  });

  it("are left where they could not be read again, or the chat is being answered, and both are told", async () => {
    const from = join(home, "a.md");
    const one = await write("one.md", "💬: [🌿:x](a.md)\n");
    const two = await write("two.md", "🌿: a.md: x\n💬: q\n");
    const lock = await driveChat(places.stateFolder, two);
    const { left, links } = await relinkChats(
      async () => [one, two],
      { from, to: join(home, "b (1).md") },
      places,
    );
    expect(links).toBe(0);
    expect(left).toEqual([
      expect.stringMatching(/^one\.md \(a link cannot hold its new path/),
      expect.stringMatching(/^two\.md \(two\.md is being answered here/),
    ]);
    expect(await readFile(one, "utf8")).toBe("💬: [🌿:x](a.md)\n");
    expect(await readFile(two, "utf8")).toBe("🌿: a.md: x\n💬: q\n");
    if (lock.type === "holding") await lock.release();
  });

  it("are rewritten in the editor where the chat is open", async () => {
    const path = await write("one.md", "🌿: a.md: x\n💬: q\n");
    const memory = openMemoryChat("🌿: a.md: x\n💬: q, and what is not saved yet\n", []);
    const open = {
      newUndoGroup: () => memory.chat.newUndoGroup(),
      edit: (...given: Parameters<typeof memory.chat.edit>) => memory.chat.edit(...given),
      save: () => memory.editor.save(),
    };
    const moved = { from: join(home, "a.md"), to: join(home, "b.md") };
    const told = await relinkChats(async () => [path], moved, {
      ...places,
      open: (asked) => (asked === path ? open : null),
    });
    expect(told).toEqual({ links: 1, chats: 1, left: [] });
    expect(memory.editor.saves.at(-1)?.join("\n")).toBe(
      "🌿: b.md: x\n💬: q, and what is not saved yet\n",
    );
    expect(await readFile(path, "utf8")).toContain("a.md");
  });

  it("are found in a chat that is branched while the others are written", async () => {
    const text = "🌿: a.md: x\n💬: q\n";
    const found = [await write("one.md", text)];
    const find = async () => {
      const now = [...found];
      if (found.length < 3) found.push(await write(`branch-${found.length}.md`, text));
      return now;
    };
    const told = await relinkChats(
      find,
      { from: join(home, "a.md"), to: join(home, "b.md") },
      places,
    );
    expect(told).toEqual({ links: 3, chats: 3, left: [] });
    for (const path of found) expect(await readFile(path, "utf8")).toContain("b.md");
  });

  it("mean the same chats whatever is renewed in a line", () => {
    const part = fc.string({
      unit: fc.constantFrom("a", "b.md", ":", " ", "/", "(", ")", "[", "]", "🌿", "~", "."),
    });
    const line = fc.oneof(
      part.map((text) => `🌿: ${text}.md: ${text}`),
      fc.tuple(part, part).map(([a, b]) => `${a}[🌿:${b}](${a}.md) and [🌿:y](b.md)${b}`),
      part,
    );
    fc.assert(
      fc.property(line, part, (text, to) => {
        expect(relinkedLine(text, (target) => target)).toBe(text);
        const before = branchLinks([text]);
        const after = branchLinks([relinkedLine(text, () => `${to}.md`)]);
        expect(after).toHaveLength(before.length);
        for (const [index, link] of after.entries()) {
          expect([`${to}.md`, before[index]?.target]).toContain(link.target);
          expect(link.topic).toBe(before[index]?.topic);
        }
      }),
    );
  });

  it.each([
    ["old.md", "/c/sub/new.md", "sub/new.md"],
    ["/c/old.md", "/c/sub/new.md", "/c/sub/new.md"],
    ["~/old.md", "/home/me/new.md", "~/new.md"],
    ["~/old.md", "/c/new.md", "/c/new.md"],
  ])("as %j is written: to %j by %j", (written, to, expected) => {
    expect(linkTo("/c/a.md", to, written, "/home/me")).toBe(expected);
  });
});

describe("tags", () => {
  it.each([
    ["", []],
    ["  #a, b,,c #a ", ["a", "b", "c"]],
  ])("as typed: %j", (typed, expected) => {
    expect(tagsOf(typed)).toEqual(expected);
  });

  it.each([
    ["---\ntopic: x\n---\n💬: q\n", "---\ntopic: x\ntags: a, b\n---\n💬: q\n"],
    ["---\ntags:\n  - old\n  - c\ntopic: x\n---\n", "---\ntags: a, b\ntopic: x\n---\n"],
    ["---\ntags: [old, c]\n---\n", "---\ntags: a, b\n---\n"],
    ["# topic: x\n- tags: old\n---\n", "# topic: x\n- tags: a, b\n---\n"],
  ])("are written into the header of a file that nobody has open: %j", async (before, after) => {
    const path = await write("a.md", before);
    const told: string[] = [];
    const rewritten = async (written: string) =>
      void told.push(`${written} ${await readFile(path, "utf8")}`);
    const tag = (text: Transcript) => tagEdits(text, ["a", "b"]);
    expect(await rewriteChat(path, tag, { ...places, rewritten })).toBe(true);
    expect(await readFile(path, "utf8")).toBe(after);
    // Whoever opened it in between has the text before.
    expect(told).toEqual([`${path} ${after}`]);
    expect(summariseChat(after).tags).toEqual(["a", "b"]);
    expect(await rewriteChat(path, (text) => tagEdits(text, []), places)).toBe(true);
    expect(await readFile(path, "utf8")).not.toContain("tags");
    expect(await rewriteChat(path, (text) => tagEdits(text, []), places)).toBe(false);
  });

  it("are written to the file of a chat that is closed at that moment", async () => {
    const path = await write("a.md", "---\ntopic: x\n---\n💬: q\n");
    const closing = {
      newUndoGroup: () => "group",
      edit: () => Promise.reject(new TextGone()),
      save: () => Promise.resolve(),
    };
    const found = [closing];
    const open = () => found.pop() ?? null;
    const tag = (text: Transcript) => tagEdits(text, ["a"]);
    expect(await rewriteChat(path, tag, { ...places, open })).toBe(true);
    expect(await readFile(path, "utf8")).toContain("tags: a");
  });

  it("are added to what another program writes at that moment, unless it does so all the time", async () => {
    const path = await write("a.md", "---\ntopic: x\n---\n💬: q\n");
    let writes = 1;
    const tag = (text: Transcript) => {
      if (writes > 0) writeFileSync(path, `---\ntopic: x\n---\n💬: q${writes}\n`);
      writes -= 1;
      return tagEdits(text, ["a"]);
    };
    expect(await rewriteChat(path, tag, places)).toBe(true);
    expect(await readFile(path, "utf8")).toBe("---\ntopic: x\ntags: a\n---\n💬: q1\n");
    writes = 9;
    const never = rewriteChat(path, tag, places);
    await expect(never).rejects.toThrow("changed in the meantime, so it was left alone");
    expect(await readFile(path, "utf8")).not.toContain("tags");
  });

  it("change nothing of what is remembered, and of where the chat is from", async () => {
    const { stateFolder } = places;
    await ownPieces(stateFolder, join(home, "x.md"), []);
    await untilLater(stateFolder);
    const path = await write("a.md", "---\nserver_tools: evil\nmodel: m/own\n---\n");
    const record = {
      transcriptPath: path,
      lineHash: "l",
      serverKey: "s",
      definitionHash: "d",
      file: null,
    };
    await addRecords(stateFolder, [record]);
    await keepText(stateFolder, path, await readFile(path, "utf8"));
    await keepPieces(stateFolder, path, ["else"]);
    await rewriteChat(path, (text) => tagEdits(text, ["a"]), places);
    const text = await readFile(path, "utf8");
    expect(await isKnownText(stateFolder, path, text)).toBe(true);
    // The tags are the user's own; what was foreign is not.
    const own = (await ownPieces(stateFolder, path, [home])) as ReadonlySet<string>;
    expect(own.size).toBe(1);
  });
});
