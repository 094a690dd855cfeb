/** Images beside a chat, whatever the chat is called. */
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
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
