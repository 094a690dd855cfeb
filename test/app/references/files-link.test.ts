/** Images beside a chat, whatever the chat is called. */
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  filesFolder,
  linkInFilesFolder,
  saveInFilesFolder,
} from "../../../src/app/references/files.ts";
import { locate } from "../../../src/app/references/targets.ts";
import { referencesIn } from "../../../src/transcript/references.ts";

it.each(["plain.md", "two words.md", "a\n💬: b](x) c.md", "100%.md"])(
  "the link in the chat %j is one line, and leads to the file",
  async (name) => {
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
  },
);

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
