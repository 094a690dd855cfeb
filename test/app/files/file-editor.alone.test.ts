import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { open, rename } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FileEditor } from "../../../src/app/files/file-editor.ts";
import { replaceFile } from "../../../src/app/files/replace-file.ts";
import { sha256 } from "../../../src/shared/hash.ts";
import { setRights } from "../../../src/system/replace.ts";

vi.mock("node:fs/promises", { spy: true });

let root: string;
let file: string;
let state: string;
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), "parley-state-"));
  root = realpathSync(mkdtempSync(join(tmpdir(), "parley-editor-")));
  file = join(root, "chat.md");
  writeFileSync(file, "one\ntwo\n");
});
afterEach(() => {
  for (const folder of [root, state]) rmSync(folder, { recursive: true });
});

async function addLine(editor: FileEditor, text: string): Promise<void> {
  const { lines, tick } = await editor.read();
  await editor.apply({ tick }, [{ start: lines.length, end: lines.length, lines: [text] }]);
}

describe("the editor over a file", () => {
  it("writes behind a symbolic link, with the mode the file has", async () => {
    mkdirSync(join(root, "links"));
    const link = join(root, "links", "link.md");
    symlinkSync("../chat.md", link);
    chmodSync(file, 0o640);
    const editor = await FileEditor.open(link, state);
    expect(editor.path).toBe(file);
    await addLine(editor, "three");
    chmodSync(file, 0o604);
    expect(await editor.save()).toBe("saved");
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(file, "utf8")).toBe("one\ntwo\nthree\n");
    expect(statSync(file).mode & 0o777).toBe(0o604);
    expect(readdirSync(root).sort()).toEqual(["chat.md", "links"]);
  });

  it("does not touch a file it did not change", async () => {
    const before = statSync(file).ino;
    expect(await (await FileEditor.open(file, state)).save()).toBe("saved");
    expect(statSync(file).ino).toBe(before);
  });

  it.each([
    ["beside it", () => {}],
    ["in place", () => linkSync(file, join(root, "second.md"))],
  ])("does not overwrite what somebody else writes while it writes %s", async (_, prepare) => {
    prepare();
    const editor = await FileEditor.open(file, state);
    await addLine(editor, "three");
    const actual = await vi.importActual<typeof import("node:fs/promises")>("node:fs/promises");
    vi.mocked(open).mockImplementationOnce((...given) => {
      writeFileSync(file, "theirs\n");
      return actual.open(...given);
    });
    expect(await editor.save()).toBe("conflict");
    expect(readFileSync(file, "utf8")).toBe("theirs\n");
    expect(readdirSync(root).filter((name) => name.startsWith("."))).toEqual([]);
  });

  it.each([
    ["changed", () => writeFileSync(file, "one\nTWO\n")],
    ["removed", () => rmSync(file)],
  ])("does not overwrite a file that somebody else %s", async (_, interfere) => {
    const editor = await FileEditor.open(file, state);
    await addLine(editor, "three");
    interfere();
    const left = readdirSync(root).map((name) => readFileSync(join(root, name), "utf8"));
    expect(await editor.save()).toBe("conflict");
    expect(readdirSync(root).map((name) => readFileSync(join(root, name), "utf8"))).toEqual(left);
  });

  it("goes on from what it wrote itself", async () => {
    const editor = await FileEditor.open(file, state);
    await addLine(editor, "three");
    await editor.save();
    await addLine(editor, "four");
    expect(await editor.save()).toBe("saved");
    expect(readFileSync(file, "utf8")).toBe("one\ntwo\nthree\nfour\n");
  });

  it("refuses edits of an older text, and gives the same lines as long as nothing changed", async () => {
    const editor = await FileEditor.open(file, state);
    const { lines, tick } = await editor.read();
    expect((await editor.read()).lines).toBe(lines);
    await addLine(editor, "three");
    expect(await editor.apply({ tick }, [{ start: 0, end: 1, lines: [] }])).toBe("stale");
    expect(await editor.openTip({ tick }, { edits: [], tip: { line: 0 } })).toBe("stale");
    expect((await editor.read()).lines).toEqual(["one", "two", "three"]);
  });

  it("tells each splice in lines that are still where it says", async () => {
    const editor = await FileEditor.open(file, state);
    const mirror = ["one", "two"];
    editor.onSplice(({ start, end, lines }) => mirror.splice(start, end - start, ...lines));
    await editor.apply({ tick: 0 }, [
      { start: 0, end: 0, lines: ["zero", "half"] },
      { start: 1, end: 2, lines: ["TWO", "three"] },
    ]);
    expect(mirror).toEqual(["zero", "half", "one", "TWO", "three"]);
    expect((await editor.read()).lines).toEqual(mirror);
  });

  it("writes every name of a file that has two, and leaves nothing beside it", async () => {
    const other = join(root, "other.md");
    linkSync(file, other);
    const editor = await FileEditor.open(file, state);
    await addLine(editor, "three");
    expect(await editor.save()).toBe("saved");
    expect(readFileSync(other, "utf8")).toBe("one\ntwo\nthree\n");
    expect(statSync(file).ino).toBe(statSync(other).ino);
    expect(readdirSync(root).sort()).toEqual(["chat.md", "other.md"]);
  });

  it("keeps the text of a write in place that is broken off where Neovim offers it, and goes on after that", async () => {
    linkSync(file, join(root, "other.md"));
    const copy = join(state, "saving", sha256(file));
    mkdirSync(join(state, "saving"));
    writeFileSync(copy, "one\ntwo\nthree\n");
    await expect(FileEditor.open(file, state)).rejects.toThrow(`the whole text is in ${copy}`);
    writeFileSync(file, "one\ntwo\nthree\n");
    const editor = await FileEditor.open(file, state);
    expect(readdirSync(join(state, "saving"))).toEqual([]);
    await addLine(editor, "four");
    expect(await editor.save()).toBe("saved");
    expect(readdirSync(join(state, "saving"))).toEqual([]);
  });

  it.runIf(process.getuid?.() !== 0)("writes a file in a folder that takes no other", async () => {
    const editor = await FileEditor.open(file, state);
    await addLine(editor, "three");
    chmodSync(root, 0o500);
    expect(await editor.save()).toBe("saved");
    chmodSync(root, 0o700);
    expect(readFileSync(file, "utf8")).toBe("one\ntwo\nthree\n");
  });

  const refusal = (code: string, syscall: string) =>
    Object.assign(new Error(code), { code, syscall });

  it("writes a file that no other can take the place of, as one that is mounted itself", async () => {
    const editor = await FileEditor.open(file, state);
    await addLine(editor, "three");
    vi.mocked(rename).mockRejectedValueOnce(refusal("EBUSY", "rename"));
    expect(await editor.save()).toBe("saved");
    expect(readFileSync(file, "utf8")).toBe("one\ntwo\nthree\n");
    expect(readdirSync(root)).toEqual(["chat.md"]);
    expect(readdirSync(join(state, "saving"))).toEqual([]);
    await addLine(editor, "four");
    vi.mocked(rename).mockRejectedValueOnce(refusal("EIO", "rename"));
    await expect(editor.save()).rejects.toThrow(/as it was: the disk failed \(EIO\)$/);
    expect(readdirSync(root)).toEqual(["chat.md"]);
  });

  it("writes in place all of a text that the system takes a part of, as a disk does that is nearly full", async () => {
    linkSync(file, join(root, "other.md"));
    const system = await vi.importActual<typeof import("node:fs/promises")>("node:fs/promises");
    vi.mocked(open).mockImplementationOnce(async (...how) => {
      const handle = await system.open(...how);
      const write = handle.write.bind(handle);
      const part = (bytes: Uint8Array, _: number, length: number, at: number) =>
        write(bytes, 0, Math.min(length, 3), at);
      return Object.assign(handle, { write: part });
    });
    await replaceFile(file, Buffer.from("one\ntwo\nthree\n"), join(state, "saving"));
    expect(readFileSync(file, "utf8")).toBe("one\ntwo\nthree\n");
  });

  it("sets rights only where a new file has others", async () => {
    const file = { stat: async () => ({ mode: 0o100600 }), chmod: vi.fn() };
    await setRights(file, 0o100600);
    expect(file.chmod).not.toHaveBeenCalled();
    await setRights(file, 0o100644);
    expect(file.chmod).toHaveBeenCalledWith(0o644);
  });

  const opening = { edits: [], tip: { line: 1 } };

  it.each([
    ["changed", () => writeFileSync(file, "one\nTWO\n")],
    ["removed", () => rmSync(file)],
  ])("has nothing asked about a text that somebody else %s", async (_, interfere) => {
    const editor = await FileEditor.open(file, state);
    interfere();
    const tip = await editor.openTip({ tick: 0 }, opening, undefined, true);
    expect(tip).toEqual({ unsaved: "conflict" });
  });

  it.runIf(process.getuid?.() !== 0)("has nothing asked for a read-only file", async () => {
    const editor = await FileEditor.open(file, state);
    chmodSync(file, 0o400);
    await expect(editor.openTip({ tick: 0 }, opening, undefined, true)).rejects.toThrow(
      /chat\.md cannot be written, so nothing was sent: you have no permission \(EACCES\)$/,
    );
  });

  it("leaves no copy of a write in place that did not begin", async () => {
    linkSync(file, join(root, "other.md"));
    const denied = Object.assign(new Error("EACCES"), { code: "EACCES", syscall: "open" });
    vi.mocked(open).mockRejectedValueOnce(denied);
    await expect(replaceFile(file, Buffer.from("x"), join(state, "saving"))).rejects.toThrow(
      /chat\.md could not be written, so it is as it was: you have no permission \(EACCES\)$/,
    );
    expect(readdirSync(state)).toEqual([]);
  });

  it("says what it could not read or write", async () => {
    await expect(FileEditor.open(join(root, "none.md"), state)).rejects.toThrow(
      /none\.md could not be read, so nothing was done: there is no such file or folder \(ENOENT\)\.$/,
    );
    await expect(FileEditor.open(root, state)).rejects.toThrow(
      /could not be read.*not a regular file/,
    );
    await expect(replaceFile(join(root, "none.md"), Buffer.from("x"), state)).rejects.toThrow(
      /none\.md could not be written, so it is as it was: .*\(ENOENT\)$/,
    );
    expect(readdirSync(root)).toEqual(["chat.md"]);
  });
});
