/** Images beside a chat, whatever the chat is called. */
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import markdownIt from "markdown-it";
import { describe, expect, it, onTestFinished } from "vitest";
import { filesFolder, saveInFilesFolder } from "../../../src/app/references/files.ts";
import {
  fileInFilesFolder,
  filesFolderRenamer,
  linkInFilesFolder,
} from "../../../src/app/references/files-link.ts";
import { locate } from "../../../src/app/references/targets.ts";
import { renderStepLine } from "../../../src/transcript/comments.ts";
import { referencesIn } from "../../../src/transcript/references.ts";

const names = [
  ...[
    "plain.md",
    "two words.md",
    "a\n💬: b](x) c.md",
    "100%.md",
    "50% off.md",
    "a%20b.md",
    "c#.md",
  ],
  ...["why?.md", "(1).md", "x $& y.md", "ümläut 日本.md", "a %zz.md", "<b>.md"],
];

it.each(names)("the link in the chat %j is one line, and leads to the file", async (name) => {
  const root = await realpath(await mkdtemp(join(tmpdir(), "parley-link-")));
  onTestFinished(() => rm(root, { recursive: true }));
  const path = join(root, name);
  const file = await saveInFilesFolder(path, Buffer.from("x"), "png");
  const line = `![](${linkInFilesFolder(path, file)})`;
  expect(line).not.toMatch(/[\n\r]/);
  const [reference] = referencesIn(line, 0);
  if (reference === undefined) throw new Error("It is no image.");
  const home = "/nobody";
  const place = await locate(reference, {
    workingFolder: join(root, "work"),
    transcriptPath: path,
    home,
  });
  expect(place).toMatchObject({
    type: "file",
    path: join(filesFolder(path), file),
    outside: false,
  });
});

describe.each(names)("the text of the chat %j", (name) => {
  const path = join("/chats", name);
  const folder = `${name}.files`;

  it("names a file of its own folder, also with the folder's name as it is", () => {
    expect(fileInFilesFolder(path, linkInFilesFolder(path, "a.png"))).toBe("a.png");
    expect(fileInFilesFolder(path, `${folder}/a.png`)).toBe("a.png");
    expect(fileInFilesFolder(path, `./${folder}/a.png`)).toBe("a.png");
    for (const other of ["a.png", `${folder}/../a.png`, `sub/${folder}/a.png`, `x${folder}/a.png`])
      expect(fileInFilesFolder(path, other)).toBeNull();
  });

  it("names it as other programs read Markdown", () => {
    const [line] = markdownIt().parseInline(`![x](${linkInFilesFolder(path, "a.png")})`, {});
    const source = String(line?.children?.[0]?.attrGet("src"));
    const { pathname, hash, search } = new URL(source, "file:///chats/");
    expect([decodeURIComponent(pathname), hash, search]).toEqual([
      `/chats/${folder}/a.png`,
      "",
      "",
    ]);
  });

  it("names its folder in another place, however it named its own", () => {
    for (const other of names) {
      const to = join("/elsewhere", other);
      const rename = filesFolderRenamer(path, to);
      const now = linkInFilesFolder(to, "a.png");
      // The second is how links were written before `%` was encoded.
      for (const written of [
        linkInFilesFolder(path, "a.png"),
        `${folder.replace(/[\s\]]/g, encodeURIComponent)}/a.png`,
        `${folder}/a.png`,
        `./${linkInFilesFolder(path, "a.png")}`,
      ]) {
        expect(rename(`see ![x](${written}) and [y](b.md)`)).toBe(`see ![x](${now}) and [y](b.md)`);
        const step = (source: string) =>
          renderStepLine(
            { model: "m/x", files: { [source]: "a.png", "@a:b 1": "b.png" }, state: written },
            { later: [written] },
          );
        expect(rename(step(written))).toBe(step(now));
        const bytes = (text: string) => Buffer.from(text).toString("latin1");
        expect(filesFolderRenamer(path, to, bytes)(bytes(step(written)))).toBe(bytes(step(now)));
      }
    }
  });
});

describe("a step line in another place", () => {
  const rename = filesFolderRenamer("/chats/a.md", "/chats/b.md");

  it("keeps its line end, and names all images of a resource", () => {
    const line = (name: string) =>
      `<!-- parley:step {"files":{"${name}.md.files/x":"1.png","${name}.md.files/x 1":"2.png"}} -->\r`;
    expect(rename(line("a"))).toBe(line("b"));
  });

  it.each([
    // Blanks that Parley would not write, which a line of another folder keeps.
    '<!-- parley:step { "files": {"aa.md.files/x": "1.png", "x/a.md.files/x": "a.md.files"} } -->',
    '<!-- parley:step {"files":{"a.md.files/x":"../1.png"}} -->',
    '<!-- parley:step {"files":{"a.md.files/x":"1.png"} -->',
    '<!-- parley:step {"state":"](a.md.files/x)"} -->',
    "<!-- parley:unfinished a.md.files/ -->",
    "the file a.md.files/x",
  ])("stays as it is when nothing in it names the folder, or it cannot be read: %s", (line) => {
    expect(rename(line)).toBe(line);
  });
});

describe("a reference with its lines in reverse order", () => {
  it.each([
    ["a.ts:2-1", "ends before it begins; write a.ts:1-2"],
    ["a.ts:30-4", "ends before it begins; write a.ts:4-30"],
    ["a.ts:1-2", "was not found"],
    ["a.ts:2", "was not found"],
    ["a.ts:2-0", "was not found"],
  ])("reports %s as one that %s", async (target, reason) => {
    const reference = { kind: "file", target, label: "" } as Parameters<typeof locate>[0];
    const roots = { workingFolder: "/none", transcriptPath: "/none/chat.md", home: "/none" };
    expect(await locate(reference, roots)).toEqual({ type: "nowhere", reason });
  });
});
