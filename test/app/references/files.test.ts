import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { largestImage, largestText, readContent } from "../../../src/app/files/file-content.ts";
import { filesFolder, loadFiles, saveInFilesFolder } from "../../../src/app/references/files.ts";

const png = Buffer.from("89504e470d0a1a0a0000000d", "hex");
let root: string;
let chat: string;
let folder: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "parley-files-")));
  chat = join(root, "chat.md");
  folder = filesFolder(chat);
});
afterEach(() => rmSync(root, { recursive: true }));

describe("the files folder", () => {
  it("keeps bytes under their hash, once", async () => {
    const name = await saveInFilesFolder(chat, Buffer.from("hello"), "txt");
    expect(name).toBe("2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824.txt");
    expect(await saveInFilesFolder(chat, Buffer.from("hello"), "txt")).toBe(name);
    expect(readdirSync(folder)).toEqual([name]);
    expect(readFileSync(join(folder, name), "utf8")).toBe("hello");
  });

  it("makes no name of what it was given", async () => {
    const name = await saveInFilesFolder(chat, Buffer.from("x"), "../../sh");
    expect(name).toMatch(/^[0-9a-f]{64}\.bin$/);
  });

  it("gives back what it keeps", async () => {
    const text = await saveInFilesFolder(chat, Buffer.from("a\r\nb"), "txt");
    const image = await saveInFilesFolder(chat, png, "png");
    const { files, notices } = await loadFiles(chat, [text, image, "missing.txt"]);
    expect(Object.fromEntries(files)).toEqual({
      [text]: { kind: "text", text: "a\nb" },
      [image]: { kind: "image", mime: "image/png", data: png.toString("base64") },
    });
    expect(notices).toEqual([]);
  });

  it("that does not exist holds nothing", async () => {
    expect(await loadFiles(chat, ["a.txt"])).toEqual({ files: new Map(), notices: [] });
    expect(existsSync(folder)).toBe(false);
  });

  it("lets no name out of it", async () => {
    mkdirSync(folder);
    mkdirSync(join(folder, "sub"));
    writeFileSync(join(folder, "sub", "a.txt"), "inner");
    writeFileSync(join(root, "secret.txt"), "secret");
    const names = ["../secret.txt", join(root, "secret.txt"), "sub/a.txt", "..", "", "sub"];
    const { files, notices } = await loadFiles(chat, names);
    expect(files.size).toBe(0);
    expect(notices).toHaveLength(names.length);
    expect(notices.join()).not.toContain("inner");
  });

  it("gives the last ones of more files than memory should hold, and says so", async () => {
    mkdirSync(folder);
    const names = Array.from({ length: 40 }, (_, at) => `${at}.png`);
    for (const name of names) {
      writeFileSync(join(folder, name), png);
      truncateSync(join(folder, name), largestImage);
    }
    const { files, notices } = await loadFiles(chat, names);
    expect([...files.keys()]).toEqual(names.slice(-files.size).toReversed());
    expect(files.size).toBeGreaterThan(20);
    expect(files.size).toBeLessThan(30);
    const left = names.length - files.size;
    expect(notices).toEqual([
      `The files of this chat have more than 128.0 MB, so ${left} older files are left out.`,
    ]);
  });

  it("follows no link in it", async () => {
    mkdirSync(folder);
    writeFileSync(join(root, "secret.txt"), "secret");
    symlinkSync(join(root, "secret.txt"), join(folder, "a.txt"));
    const { files, notices } = await loadFiles(chat, ["a.txt"]);
    expect(files.size).toBe(0);
    expect(notices).toEqual([expect.stringContaining("is a link")]);
  });

  it("is not used when it is a link itself", async () => {
    const elsewhere = join(root, "elsewhere");
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, "id.txt"), "secret");
    symlinkSync(elsewhere, folder);
    expect((await loadFiles(chat, ["id.txt"])).files.size).toBe(0);
    await expect(saveInFilesFolder(chat, png, "png")).rejects.toThrow("is a link, not a folder");
    expect(readdirSync(elsewhere)).toEqual(["id.txt"]);
  });

  it("replaces a link under the name of what it keeps, and writes nothing through it", async () => {
    const name = await saveInFilesFolder(chat, png, "png");
    rmSync(join(folder, name));
    writeFileSync(join(root, "target"), "untouched");
    symlinkSync(join(root, "target"), join(folder, name));
    await saveInFilesFolder(chat, png, "png");
    expect(readFileSync(join(root, "target"), "utf8")).toBe("untouched");
    expect(readFileSync(join(folder, name))).toEqual(png);
  });
});

describe("the content of a file", () => {
  it("is an image by its bytes, whatever its name", () => {
    const kinds = ["ffd8ffe0", "474946383961", "52494646000000005745425056503820"].map((hex) =>
      readContent(Buffer.from(hex, "hex")),
    );
    expect(kinds).toMatchObject([
      { mime: "image/jpeg" },
      { mime: "image/gif" },
      { mime: "image/webp" },
    ]);
  });

  it("is text only when it is UTF-8 without a NUL", () => {
    expect(readContent(Buffer.from("\ufeffä"))).toEqual({ kind: "text", text: "ä" });
    expect(readContent(new Uint8Array())).toEqual({ kind: "text", text: "" });
    expect(readContent(Buffer.from([0x61, 0]))).toContain("neither text in UTF-8 nor");
    expect(readContent(Buffer.from([0x61, 0xff]))).toContain("neither text in UTF-8 nor");
  });

  it("has a limit for each kind", () => {
    expect(readContent(Buffer.alloc(largestText, "a"))).toMatchObject({ kind: "text" });
    expect(readContent(Buffer.alloc(largestText + 1, "a"))).toContain("larger than");
    const large = Buffer.concat([png, Buffer.alloc(largestImage)]);
    expect(readContent(large)).toContain("larger than");
  });
});
