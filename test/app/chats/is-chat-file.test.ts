import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isChatFile } from "../../../src/app/chats/is-chat-file.ts";
import { parseTranscript } from "../../../src/transcript/parse.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "parley-chats-")));
  mkdirSync(join(root, "real"));
  symlinkSync(join(root, "real"), join(root, "link"));
});
afterEach(() => rmSync(root, { recursive: true }));

describe("a file is a chat", () => {
  const chat = parseTranscript("💬: hello\n");
  const isIn = (path: string, ...chatDirs: string[]) =>
    isChatFile(chat, { path, chatDirs, attached: false });

  it("when it lies in a chat folder, by either name of the folder", async () => {
    expect(await isIn(join(root, "link", "a.md"), join(root, "link"))).toBe(true);
    expect(await isIn(join(root, "real", "a.md"), "/nowhere", join(root, "link"))).toBe(true);
    expect(await isIn(join(root, "real", "sub", "a.md"), join(root, "real"))).toBe(true);
  });

  it("not when it lies elsewhere", async () => {
    expect(await isIn(join(root, "a.md"), join(root, "link"))).toBe(false);
    expect(await isIn(join(root, "real.md"), join(root, "real"))).toBe(false);
  });
});
