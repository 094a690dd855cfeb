/** What the Lua half remembers in the state folder, one small file for each thing. */
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Editor, neovims, startEditor } from "./editor.ts";

describe.each(neovims)("a note on Neovim $version", (neovim) => {
  let editor: Editor;
  beforeAll(async () => {
    editor = await startEditor(neovim);
  });
  afterAll(() => editor.quit());
  const write = (path: string, ...lines: readonly string[]) =>
    editor.lua(`require("parley.text.chats.notes").write(...)`, path, lines);
  const read = (path: string, count = 9) =>
    editor.lua(`return require("parley.text.chats.notes").read(...)`, path, count);

  it("is read as it was written, only the user can read it, and no draft is left", async () => {
    const path = join(editor.folder, "one", "note.txt");
    expect(await read(path)).toBeNull();
    await write(path, "file", "/chats/a b.md");
    await write(path, "folder", "/chats/ä.md");
    expect(await read(path)).toEqual(["folder", "/chats/ä.md"]);
    expect(await read(path, 1)).toEqual(["folder"]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(editor.folder, "one"))).toEqual(["note.txt"]);
  });

  it("is written in the place of a link, not where it leads", async () => {
    const [path, target] = [join(editor.folder, "link.txt"), join(editor.folder, "target")];
    writeFileSync(target, "precious");
    symlinkSync(target, path);
    await write(path, "new");
    expect(readFileSync(target, "utf8")).toBe("precious");
    expect(await read(path)).toEqual(["new"]);
  });

  it("that cannot be written is left alone, without an error", async () => {
    const folder = join(editor.folder, "taken");
    mkdirSync(join(folder, "note.txt", "inside"), { recursive: true });
    await write(join(folder, "note.txt"), "new");
    expect(readdirSync(folder)).toEqual(["note.txt"]);
    writeFileSync(join(editor.folder, "plain"), "");
    await write(join(editor.folder, "plain", "note.txt"), "new");
    expect(await read(join(editor.folder, "plain", "note.txt"))).toBeNull();
  });
});
