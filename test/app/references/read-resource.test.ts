import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readReferences } from "../../../src/app/references/read-references.ts";
import type { ResourceSource } from "../../../src/app/references/read-resource.ts";
import type { ResourcePart } from "../../../src/mcp/catalog/resources.ts";
import type { Reference } from "../../../src/transcript/transcript.ts";
import { aroundFiles } from "../sources.ts";

const png = Buffer.from("89504e470d0a1a0a0000000d", "hex");
let chats: string;
beforeEach(() => {
  chats = realpathSync(mkdtempSync(join(tmpdir(), "parley-resource-")));
});
afterEach(() => rmSync(chats, { recursive: true }));

/** What the server docs gives, by URI. */
let parts: Readonly<Record<string, readonly ResourcePart[]>> = {};
const docs: ResourceSource = {
  names: async () => ["docs"],
  async read(server, uri) {
    const found = parts[uri];
    if (server !== "docs" || found === undefined) throw new Error("It has no such resource.");
    return found;
  },
};
const resource = (uri: string): Reference => ({
  kind: "resource",
  source: `@docs:${uri}`,
  target: uri,
  label: "docs",
  line: 0,
});

async function read(references: readonly Reference[]) {
  const asked: string[] = [];
  const confirm = async (question: string) => {
    asked.push(question);
    return false;
  };
  const roots = { workingFolder: chats, transcriptPath: join(chats, "a.md"), home: chats };
  const { signal } = new AbortController();
  return {
    ...(await readReferences(references, roots, {
      confirm,
      decided: new Map(),
      resources: docs,
      around: aroundFiles(),
      online: true,
      signal,
    })),
    asked,
  };
}

describe("resources", () => {
  const blob = (uri: string, mime: string, bytes: Buffer | null): ResourcePart => ({
    uri,
    mime,
    data: bytes?.toString("base64") ?? null,
  });

  it("are copied as the text or the image that they are, without a question", async () => {
    parts = {
      "x:text": [{ uri: "x:text", text: "one\ntwo" }],
      "x:png": [blob("x:png", "text/html", png)],
      "x:json": [blob("x:json", "application/json", Buffer.from("{}"))],
    };
    const uris = Object.keys(parts);
    const { copies, files, read: named, notices, asked } = await read(uris.map(resource));
    expect([...files.values()]).toEqual([
      { kind: "text", text: "one\ntwo" },
      { kind: "image", mime: "image/png", data: png.toString("base64") },
      { kind: "text", text: "{}" },
    ]);
    expect(Object.keys(copies)).toEqual(["@docs:x:text", "@docs:x:png", "@docs:x:json"]);
    expect(Object.values(copies).map((name) => name.slice(64))).toEqual([".txt", ".png", ".txt"]);
    expect([named.map(({ name }) => name), notices, asked]).toEqual([
      ["@docs:x:text", "@docs:x:png", "@docs:x:json"],
      [],
      [],
    ]);
  });

  it("of several parts are one text, with what is not text kept beside and named", async () => {
    const pdf = Buffer.from([0x25, 0x50, 0x44, 0x46, 0]);
    parts = {
      "x:all": [
        { uri: "x:a", text: "first" },
        blob("x:b", "text/plain", Buffer.from("second")),
        blob("x:c", "application/pdf", pdf),
        blob("x:d", "image/png", null),
      ],
      "x:pdf": [blob("x:pdf", "application/pdf", pdf)],
    };
    const { files } = await read([resource("x:all"), resource("x:pdf")]);
    const [all, alone] = [...files.values()];
    const text = all?.kind === "text" ? all.text : "";
    expect(text).toMatch(
      /^\[x:a\]\nfirst\n\n\[x:b\]\nsecond\n\n\[x:c: application\/pdf, 5 bytes, not sent; kept beside the chat as [0-9a-f]{64}\.pdf\]\n\n\[x:d: image\/png, its data is not base64\]$/,
    );
    const [name = ""] = /[0-9a-f]{64}\.pdf/.exec(text) ?? [];
    expect(readFileSync(join(chats, "a.md.files", name))).toEqual(pdf);
    expect(alone).toMatchObject({
      text: expect.stringContaining(`kept beside the chat as ${name}`),
    });
  });

  it("of several parts keep their images beside the text, in their order", async () => {
    const [one, two] = [png, Buffer.concat([png, Buffer.from("two")])];
    parts = {
      "x:all": [
        blob("x:a", "image/png", one),
        { uri: "x:b", text: "between" },
        blob("x:c", "image/png", two),
      ],
    };
    const { copies, files } = await read([resource("x:all")]);
    expect(Object.keys(copies)).toEqual(["@docs:x:all", "@docs:x:all 1", "@docs:x:all 2"]);
    const [text, ...images] = Object.values(copies).map((name) => files.get(name));
    expect(text).toEqual({
      kind: "text",
      text: "[x:a: image 1, below]\n\n[x:b]\nbetween\n\n[x:c: image 2, below]",
    });
    expect(images).toEqual(
      [one, two].map((bytes) => ({
        kind: "image",
        mime: "image/png",
        data: bytes.toString("base64"),
      })),
    );
  });

  it("of many images send the first ten and keep the others", async () => {
    const many = Array.from({ length: 12 }, (_, index) =>
      blob(`x:${index}`, "image/png", Buffer.concat([png, Buffer.from([index])])),
    );
    parts = { "x:many": many };
    const { copies, files } = await read([resource("x:many")]);
    expect(Object.keys(copies)).toHaveLength(11);
    const [text] = [...files.values()];
    expect(text?.kind === "text" ? text.text : "").toMatch(
      /\[x:11: image\/png, [\d.]+ (?:bytes|kB), not sent; kept beside the chat as [0-9a-f]{64}\.png\]$/,
    );
  });

  it("that cannot be had are named and sent as written", async () => {
    parts = { "x:none": [], "x:big": [{ uri: "x:big", text: "a".repeat(600_000) }] };
    const { copies, notices } = await read(["x:gone", "x:none", "x:big"].map(resource));
    expect(copies).toEqual({});
    expect(notices[0]?.split("\n").slice(1)).toEqual([
      "@docs:x:gone could not be read: It has no such resource",
      "@docs:x:none is empty",
      "@docs:x:big is larger than the 524.3 kB that a text may have",
    ]);
  });
});
