import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { largestFile } from "../../../src/app/files/file-content.ts";
import { loadFiles } from "../../../src/app/references/files.ts";
import { readReferences } from "../../../src/app/references/read-references.ts";
import { locate } from "../../../src/app/references/targets.ts";
import type { Reference } from "../../../src/transcript/transcript.ts";
import { aroundFiles } from "../sources.ts";

const png = Buffer.from("89504e470d0a1a0a0000000d", "hex");
let root: string;
let work: string;
let chats: string;
let server: Server | null = null;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "parley-refs-")));
  work = join(root, "project");
  chats = join(root, "chats");
  for (const folder of [work, chats, join(root, "home")]) mkdirSync(folder);
});
afterEach(async () => {
  rmSync(root, { recursive: true });
  server?.closeAllConnections();
  await new Promise((resolve) => (server === null ? resolve(null) : server.close(resolve)));
  server = null;
});

const file = (target: string): Reference => ({
  kind: "file",
  source: `@@${target}@@`,
  target,
  label: "",
  line: 0,
});
const image = (target: string): Reference => ({
  kind: "image",
  source: target,
  target,
  label: "x",
  line: 0,
});

const noResources = { names: async () => [], read: async () => [] };

async function read(references: readonly Reference[], says = false) {
  const asked: string[] = [];
  const confirm = async (question: string) => {
    asked.push(question);
    return says;
  };
  const roots = {
    workingFolder: work,
    transcriptPath: join(chats, "a.md"),
    home: join(root, "home"),
  };
  const signal = new AbortController().signal;
  const ports = {
    confirm,
    decided: new Map(),
    signal,
    resources: noResources,
    around: aroundFiles(),
    online: true,
  };
  return { ...(await readReferences(references, roots, ports)), asked };
}

async function listen(listener: RequestListener): Promise<string> {
  const listening = createServer(listener);
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  const address = listening.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return `http://127.0.0.1:${address.port}`;
}

describe("references", () => {
  it("in the working folder are read, named and copied", async () => {
    writeFileSync(join(work, "a.ts"), "const a = 1;");
    const { copies, files, read: named, notices, asked } = await read([file("./a.ts")]);
    const name = copies["@@./a.ts@@"] ?? "";
    expect(name).toMatch(/^[0-9a-f]{64}\.txt$/);
    expect(files.get(name)).toEqual({ kind: "text", text: "const a = 1;" });
    expect((await loadFiles(join(chats, "a.md"), [name])).files).toEqual(files);
    expect([named.map(({ name }) => name), notices, asked]).toEqual([[join(work, "a.ts")], [], []]);
  });

  it("beside the transcript are read too; a file prefers the working folder, an image the transcript's", async () => {
    for (const folder of [work, chats]) {
      writeFileSync(join(folder, "both.txt"), folder);
      writeFileSync(join(folder, "both.png"), png);
    }
    writeFileSync(join(chats, "here.txt"), "here");
    const { read: named } = await read([file("./both.txt"), file("./here.txt"), image("both.png")]);
    expect(named.map(({ name }) => name)).toEqual([
      join(work, "both.txt"),
      join(chats, "here.txt"),
      join(chats, "both.png"),
    ]);
  });

  it("of images may be written as Markdown writes a space", async () => {
    writeFileSync(join(chats, "two words.png"), png);
    const { copies } = await read([image("two%20words.png"), image("100%.png")]);
    expect(copies["two%20words.png"]).toMatch(/\.png$/);
  });

  it("outside wait for one yes, which names them all by their real paths", async () => {
    writeFileSync(join(root, "home", "notes.txt"), "private");
    symlinkSync(join(root, "home", "notes.txt"), join(work, "innocent.txt"));
    writeFileSync(join(work, "a.txt"), "fine");
    const references = [file("./innocent.txt"), file("~/notes.txt"), file("./a.txt")];
    const no = await read(references, false);
    const real = join(root, "home", "notes.txt");
    expect(no.asked).toHaveLength(1);
    expect(no.asked[0]?.split("\n").slice(1)).toEqual([real, real]);
    expect(Object.keys(no.copies)).toEqual(["@@./a.txt@@"]);
    expect(no.notices).toHaveLength(1);
    expect(no.notices[0]?.match(/was not allowed/g)).toHaveLength(2);
    const yes = await read(references, true);
    expect(Object.keys(yes.copies)).toEqual(references.map(({ source }) => source));
  });

  it("beside a folder with a similar name are outside", async () => {
    mkdirSync(`${work}-two`);
    writeFileSync(join(`${work}-two`, "a.txt"), "x");
    expect((await read([file("../project-two/a.txt")])).asked).toHaveLength(1);
  });

  it("need a yes when the working folder is the home folder, which holds everything", async () => {
    const home = join(root, "home");
    writeFileSync(join(home, "key.txt"), "private");
    const reference = file("~/key.txt");
    const place = (workingFolder: string) =>
      locate(reference, { workingFolder, transcriptPath: join(work, "chat.md"), home });
    expect(await place(home)).toMatchObject({ type: "file", outside: true });
    expect(await place(root)).toMatchObject({ type: "file", outside: true });
  });

  it("that cannot be sent are named, each with its reason", async () => {
    mkdirSync(join(work, "folder"));
    writeFileSync(join(work, "binary"), Buffer.from([0, 1, 2]));
    writeFileSync(join(work, "large"), Buffer.alloc(largestFile + 1, "a"));
    const targets = ["./folder", "./binary", "./large", "./missing"];
    const { copies, notices } = await read([
      ...targets.map(file),
      image("data:image/png;base64,x"),
    ]);
    expect(copies).toEqual({});
    expect(notices.map((notice) => notice.replaceAll(root, "").split("\n"))).toEqual([
      [
        "Not read, so sent as written:",
        "/project/folder/* has no matching files",
        "/project/binary is neither text in UTF-8 nor a PNG, JPEG, GIF or WebP image",
        "/project/large is larger than the 3.8 MB that are read",
        "./missing was not found",
        "data:image/png;base64,x is an address that cannot be read; only http and https can",
      ],
    ]);
  });
});

describe("addresses", () => {
  it("are fetched after a yes and never without", async () => {
    let requests = 0;
    const base = await listen((_, response) => {
      requests += 1;
      response.end("page");
    });
    const no = await read([file(`${base}/a?token=secret`)], false);
    expect([requests, no.copies]).toEqual([0, {}]);
    expect(no.asked[0]).toContain(`${base}/a`);
    expect(no.asked[0]).not.toContain("secret");
    const { files } = await read([file(`${base}/a?token=secret`)], true);
    expect([...files.values()]).toEqual([{ kind: "text", text: "page" }]);
  });

  it("that redirect are followed within their place and no further", async () => {
    let elsewhere = 0;
    const other = await listen((_, response) => {
      elsewhere += 1;
      response.end("not meant");
    });
    const base = await listen((request, response) => {
      if (request.url === "/page") response.end("page");
      else if (request.url === "/moved") response.writeHead(301, { location: "/page" }).end();
      else if (request.url === "/away") response.writeHead(302, { location: `${other}/x` }).end();
      else response.writeHead(302, { location: "/round" }).end();
    });
    const targets = [`${base}/moved`, `${base}/away`, `${base}/round`];
    const { files, notices } = await read(targets.map(file), true);
    expect([...files.values()]).toEqual([{ kind: "text", text: "page" }]);
    expect(notices[0]?.split("\n").slice(1)).toEqual([
      expect.stringContaining(`redirects to ${other}, which was not allowed`),
      expect.stringContaining("redirects more than"),
    ]);
    expect(elsewhere).toBe(0);
  });

  it("that fail are named, without what may be secret in them", async () => {
    const base = await listen((request, response) => {
      if (request.url?.startsWith("/large")) {
        response.end(Buffer.alloc(largestFile + 1, "a"));
      } else response.writeHead(404).end();
    });
    const targets = [`${base}/none?key=secret`, `${base}/large`, "http://127.0.0.1:1/x?key=secret"];
    const { notices, copies } = await read([...targets.map(file), file("https://[")], true);
    expect(copies).toEqual({});
    expect(notices[0]?.split("\n").slice(1)).toEqual([
      `${base}/none?… (a query of 10 characters) answered with status 404`,
      expect.stringContaining(`${base}/large is larger than`),
      expect.stringMatching(/^http:\/\/127\.0\.0\.1:1\/x\?… .* could not be fetched/),
      "https://[ is not a readable address",
    ]);
    expect(notices.join()).not.toContain("secret");
  });
});
