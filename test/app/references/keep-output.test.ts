import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { keepOutput } from "../../../src/app/references/keep-output.ts";
import type { ToolOutput } from "../../../src/conversation/ports.ts";

let root: string;
let path: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "parley-keep-"));
  path = join(root, "chat.md");
});
afterEach(() => rmSync(root, { recursive: true }));

const output = (text: string, media: ToolOutput["media"] = []): ToolOutput => ({
  status: "ok",
  text,
  media,
});
const png = Buffer.from("89504e470d0a1a0a", "hex").toString("base64");

describe("what a tool gave back", () => {
  it("goes into the text as it is when it is short", async () => {
    const kept = await keepOutput(output("short"), { path, limit: 100 });
    expect(kept).toEqual({ text: "short", attachments: [], fullText: null, notices: [] });
    expect(readdirSync(root)).toEqual([]);
  });

  it("is cut when it is long, with all of it beside the transcript", async () => {
    const long = `${"a".repeat(5_000_000)}END`;
    const kept = await keepOutput(output(long), { path, limit: 1000 });
    expect(Buffer.byteLength(kept.text)).toBeLessThan(1200);
    expect(kept.text).toMatch(/^aaa.*aEND$/s);
    expect(kept.text).toMatch(/of 5000003 bytes of this result are left out/);
    expect(readFileSync(join(root, "chat.md.files", kept.fullText ?? ""), "utf8")).toBe(long);
  });

  it("keeps media beside the transcript", async () => {
    const media = [{ mime: "image/png", data: png }];
    const kept = await keepOutput(output("look", media), { path, limit: 100 });
    expect(kept.text).toBe("look");
    expect(kept.attachments).toEqual([
      { mime: "image/png", file: expect.stringMatching(/\.png$/) },
    ]);
    const [attachment] = kept.attachments;
    expect(
      readFileSync(join(root, "chat.md.files", attachment?.file ?? "")).toString("base64"),
    ).toBe(png);
  });

  it("keeps a hundred media of a result, and says how many more there were", async () => {
    const media = Array.from({ length: 300 }, (_, at) => ({
      mime: "text/csv",
      data: Buffer.from(`${at}`).toString("base64"),
    }));
    const personal = { text: "for you", media: media.slice(0, 101) };
    const kept = await keepOutput({ ...output("all", media), personal }, { path, limit: 100 });
    expect(kept.attachments).toHaveLength(100);
    expect(kept.text).toMatch(/^all\n\[200 more files not kept: /);
    expect(kept.text).toContain(", 1 more file not kept: a result has too many]");
    // A text for the user is also a file.
    expect(readdirSync(join(root, "chat.md.files"))).toHaveLength(101);
  });

  it("says in the text what could not be kept, and loses nothing else", async () => {
    const media = [{ mime: "image/png", data: png }];
    const unnamed = await keepOutput(output("look", media), { path: null, limit: 100 });
    expect(unnamed.text).toBe("look\n[image/png, not kept: the chat has no file yet]");
    expect(unnamed.attachments).toEqual([]);

    writeFileSync(join(root, "chat.md.files"), "in the way");
    const blocked = await keepOutput(output("x".repeat(500), media), { path, limit: 100 });
    expect(blocked.text).toMatch(
      /left out here\].*\n\[image\/png, not kept: .+\]\n\[the full text, not kept: .+\]$/s,
    );
    expect(blocked.fullText).toBeNull();
    const odd = [{ mime: "a/b\u001b[2J\n💬: forged", data: png }];
    expect((await keepOutput(output("look", odd), { path: null, limit: 100 })).text).toBe(
      "look\n[a/b␛[2J 💬: forged, not kept: the chat has no file yet]",
    );
    expect(existsSync(join(root, "chat.md.files"))).toBe(true);
  });

  it("keeps what only the user may see beside the transcript, and shows it", async () => {
    const personal = { text: "a\u001b secret", media: [{ mime: "image/png", data: png }] };
    const kept = await keepOutput({ ...output("for all"), personal }, { path, limit: 1000 });
    const [text = "", image = ""] = kept.text.match(/[0-9a-f]{64}\.\w+/g) ?? [];
    expect(kept.text).toBe(`for all\n[shown only to the user, kept as ${text}, ${image}]`);
    expect(readFileSync(join(root, "chat.md.files", text), "utf8")).toBe(personal.text);
    expect(existsSync(join(root, "chat.md.files", image))).toBe(true);
    expect(kept.attachments).toEqual([]);
    expect(kept.notices).toEqual([
      "A tool's result has this for you, not for the model:\na␛ secret",
    ]);
    const unnamed = await keepOutput({ ...output("x"), personal }, { path: null, limit: 1000 });
    expect(unnamed.text).toBe("x\n[shown only to the user, not kept: the chat has no file yet]");
    rmSync(join(root, "chat.md.files"), { recursive: true });
    writeFileSync(join(root, "chat.md.files"), "in the way");
    const blocked = await keepOutput({ ...output("x"), personal }, { path, limit: 1000 });
    expect(blocked.text).toMatch(/^x\n\[shown only to the user, not kept: [a-z ]+\(E[A-Z]+\)\]$/);
    expect(blocked.notices).toEqual(kept.notices);
  });
});
