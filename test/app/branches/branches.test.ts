/** A branch contains everything up to its exchange but no approvals; links lead both ways, in any tree. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { branchChat } from "../../../src/app/branches/branch-chat.ts";
import { branchLinkEdit, branchPoint } from "../../../src/app/branches/branch-text.ts";
import { chatsNaming, chatTree, treeRows } from "../../../src/app/branches/chat-tree.ts";
import { branchLine, branchLinks, linkTarget } from "../../../src/app/chats/links.ts";
import { linkInFilesFolder } from "../../../src/app/references/files-link.ts";
import { applyEdits } from "../../../src/transcript/edits/layout.ts";
import { parseLines, parseTranscript } from "../../../src/transcript/parse.ts";
import fc from "../../support/property.ts";
import { fileLines } from "../../transcript/arbitraries.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "parley-branch-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const image = `${"a".repeat(64)}.png`;
const chat = `---
topic: Stocks
model: mock/demo
---

💬: first

![x](chat.md.files/${image})

🤖:[x]

one

mine

💬: second

🤖:[x]

two

💬: third
`;

const write = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const stateFolder = () => join(folder, "state");

async function branchAt(text: string, line: number, name = "chat.md"): Promise<string> {
  const path = write(name, text);
  const transcript = parseTranscript(text);
  const exchange = branchPoint(transcript, line);
  if (exchange === null) throw new Error("There is no exchange.");
  return branchChat(transcript, exchange, { path, stateFolder: stateFolder() });
}

describe("a branch", () => {
  it.each(["a file", "the folder"])("copies no image when %s is a symbolic link", async (what) => {
    const secret = write("id_rsa", "needle");
    const files = join(folder, "chat.md.files");
    if (what === "a file") {
      mkdirSync(files);
      symlinkSync(secret, join(files, image));
    } else {
      mkdirSync(join(folder, "elsewhere"));
      writeFileSync(join(folder, "elsewhere", image), "needle");
      symlinkSync(join(folder, "elsewhere"), files);
    }
    const branch = await branchAt(chat, 6);
    expect(existsSync(join(`${branch}.files`, image))).toBe(false);
  });

  it("contains the header, a link back and everything up to the exchange, and ends with an empty question", async () => {
    mkdirSync(join(folder, "chat.md.files"));
    writeFileSync(join(folder, "chat.md.files", image), "bytes");
    const child = await branchAt(chat, 20);
    const text = readFileSync(child, "utf8");
    expect(text).toBe(
      chat
        .replace("topic: Stocks", 'topic: "?"')
        .replace("---\n\n💬: first", "---\n\n🌿: chat.md: Stocks\n\n💬: first")
        .replace("chat.md.files", "chat-branch.md.files")
        .replace("third\n", "\n"),
    );
    expect(readFileSync(join(folder, "chat-branch.md.files", image), "utf8")).toBe("bytes");
    expect(await branchAt(chat, 20)).toBe(join(folder, "chat-branch-2.md"));
  });

  it.each(["x $& 50% off", "a (1)", "a%20b"])(
    "of %j has its files, also those that somebody put there",
    async (name) => {
      const files = join(folder, `${name}.md.files`);
      mkdirSync(files);
      writeFileSync(join(files, "by-hand.png"), "bytes");
      const link = (of: string) => linkInFilesFolder(`${of}.md`, "by-hand.png");
      const text = `💬: see\n\n![](${link(name)})\n`;
      const child = await branchAt(text, 0, `${name}.md`);
      expect(readFileSync(child, "utf8")).toContain(`![](${link(`${name}-branch`)})`);
      expect(readFileSync(join(`${child}.files`, "by-hand.png"), "utf8")).toBe("bytes");
    },
  );

  it("has the same questions as the chat up to its exchange, for any chat", async () => {
    await fc.assert(
      fc.asyncProperty(fileLines, fc.nat(30), async (lines, line) => {
        const text = lines.join("\n");
        const transcript = parseTranscript(text);
        const exchange = branchPoint(transcript, line);
        if (exchange === null) return;
        const child = parseTranscript(readFileSync(await branchAt(text, line), "utf8"));
        const said = (one: typeof transcript) =>
          one.exchanges.slice(0, exchange.index + 1).map(({ question }) => question.text);
        expect(said(child)).toEqual(said(transcript));
        const [link] = branchLinks(child.lines);
        expect(link).toMatchObject({ isParent: true, target: "chat.md" });
      }),
      { numRuns: 40 },
    );
  });

  it("is linked below its exchange without changing questions and answers", () => {
    const transcript = parseTranscript(chat);
    for (const exchange of transcript.exchanges) {
      const edit = branchLinkEdit(transcript, exchange, "🌿: b.md: why");
      const after = parseLines(applyEdits(transcript.lines, [edit]));
      expect(after.exchanges.map((one) => one.question.text)).toEqual(
        transcript.exchanges.map((one) => one.question.text),
      );
      expect(
        after.exchanges.map((one) => one.answer?.steps.map(({ blocks }) => blocks.length)),
      ).toEqual(
        transcript.exchanges.map((one) => one.answer?.steps.map(({ blocks }) => blocks.length)),
      );
      expect(branchLinks(after.lines)).toMatchObject([
        { target: "b.md", topic: "why", isParent: false },
      ]);
    }
  });
});

describe("links between chats", () => {
  it("are read in the form of the Lua Parley and in Parley's own form", () => {
    const lines = [
      "🌿: ../a b.md: A: b",
      "🌿: second.md",
      "💬: q",
      "see [🌿:this](x.md)",
      "🌿: no file",
    ];
    expect(branchLinks(lines)).toEqual([
      { line: 0, target: "../a b.md", topic: "A: b", isParent: true },
      { line: 1, target: "second.md", topic: "", isParent: false },
      { line: 3, target: "x.md", topic: "this", isParent: false },
    ]);
    expect(branchLine("/c/a.md", "/c/d/b.md", "one\ntwo")).toBe("🌿: d/b.md: one two");
    const long = "a".repeat(59);
    expect(branchLine("/c/a.md", "/c/b.md", `${long}😀`)).toBe(`🌿: b.md: ${long}`);
    const home = "/home/me";
    const target = (path: string) => linkTarget("/c/a.md", { target: path }, home);
    expect(["b.md", "../b.md", "~/b.md", "/b.md"].map(target)).toEqual([
      "/c/b.md",
      "/b.md",
      "/home/me/b.md",
      "/b.md",
    ]);
  });

  it("form a tree that marks missing chats and ends at cycles", async () => {
    write("top.md", "---\ntopic: Top\n---\n\n💬: q\n🤖:\na\n🌿: one.md: One\n🌿: gone.md: Gone\n");
    const one = write(
      "one.md",
      "🌿: top.md: Top\n\n💬: go on\n🤖:\na [🌿:two](two.md)\n🌿: top.md: back\n",
    );
    write("two.md", "---\ntopic: Two\n---\n🌿: one.md: x\n💬: q\n");
    const tree = await chatTree(join(folder, "two.md"));
    const show = (path: string) => path.slice(folder.length + 1);
    expect(treeRows(tree, { current: one, show }).map(({ text }) => text)).toEqual([
      "○ Top  top.md",
      "  ● go on  one.md",
      "    ○ Two  two.md",
      "    ○ back (see above)  top.md",
      "  ○ Gone (not there)  gone.md",
    ]);
  });

  it("are found for a chat that is about to be moved or deleted", async () => {
    const top = write("top.md", "💬: q\n🤖:\na\n🌿: one.md: One\n🌿: two.md: Two\n");
    write("one.md", "🌿: top.md: Top\n\n💬: go on\n");
    write("two.md", "💬: r\n");
    expect(await chatsNaming(top)).toEqual([join(folder, "one.md")]);
    expect(await chatsNaming(join(folder, "gone.md"))).toEqual([]);
  });

  it("may form a cycle of parents", async () => {
    write("a.md", "🌿: b.md: x\n💬: q\n");
    write("b.md", "🌿: a.md: x\n💬: r\n");
    expect(await chatTree(join(folder, "a.md"))).toMatchObject({ topic: "r", branches: [] });
  });
});
