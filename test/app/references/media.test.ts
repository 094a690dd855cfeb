import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { filesFolder } from "../../../src/app/references/files.ts";
import { saveFullText, saveMedia } from "../../../src/app/references/media.ts";

const png = Buffer.from("89504e470d0a1a0a0000000d", "hex");
let root: string;
let chat: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "parley-media-"));
  chat = join(root, "chat.md");
});
afterEach(() => rmSync(root, { recursive: true }));

describe("media of a result", () => {
  it.each([
    ["image/png", png, "image/png", "png"],
    ["application/x-thing", png, "image/png", "png"],
    ["image/jpeg", Buffer.from("no image"), "application/octet-stream", "bin"],
    ["Audio/WAV; rate=8000", Buffer.from("x"), "audio/wav", "wav"],
    ["image/svg+xml", Buffer.from("<svg/>"), "image/svg+xml", "svg"],
    ["../../evil](x)", Buffer.from("x"), "application/octet-stream", "bin"],
  ])("said to be %s are kept as what they are", async (claimed, bytes, mime, extension) => {
    const kept = await saveMedia(chat, { mime: claimed, data: bytes.toString("base64") });
    expect(kept.mime).toBe(mime);
    expect(kept.file).toMatch(new RegExp(`^[0-9a-f]{64}\\.${extension}$`));
    expect(readFileSync(join(filesFolder(chat), kept.file))).toEqual(bytes);
  });
});

describe("the full text of a result", () => {
  it("is kept as text", async () => {
    const name = await saveFullText(chat, "ä\n");
    expect(name).toMatch(/\.txt$/);
    expect(readFileSync(join(filesFolder(chat), name), "utf8")).toBe("ä\n");
  });
});
