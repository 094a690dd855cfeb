/** The cache of compiled code: used when it is intact and matches the sources, and optional in every case. */
import { execFile } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { codePath, hashOf, readCode, writeCode } from "../../../src/system/start/compiled-code.ts";

const run = promisify(execFile);

let loader = "";

beforeAll(async () => {
  const source = fileURLToPath(
    new URL("../../../src/system/start/load-program.ts", import.meta.url),
  );
  const { outputFiles } = await build({
    entryPoints: [source],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "silent",
  });
  loader = outputFiles.map(({ text }) => text).join("");
});

/** Prints for each compiled file whether V8 accepted the cached code. */
const watch = `const vm = require("node:vm");
const { basename } = require("node:path");
vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options);
    console.log(basename(options.filename), options.cachedData ? !this.cachedDataRejected : "new");
  }
};
require("node:module").syncBuiltinESMExports();
`;

const main = `"use strict"; const { word } = require("./chunks/one.cjs"); console.log(word());
(module.import ?? ((name) => import(name)))("node:path").then(({ sep }) => console.log(typeof sep));`;
const chunk = (word: string) =>
  `"use strict"; exports.word = () => { const inner = () => "${word}"; return inner(); };`;

function program() {
  const root = mkdtempSync(join(tmpdir(), "parley-code-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const [dist, cache] = [join(root, "dist"), join(root, "cache")];
  mkdirSync(join(dist, "chunks"), { recursive: true });
  const write = (name: string, text: string) => writeFileSync(join(dist, name), text);
  write("package.json", '{"type":"module"}');
  write("load-program.js", loader);
  write(
    "start.js",
    `import { loadProgram } from "./load-program.js";
const { keepCode } = loadProgram("program", import.meta.url);
process.once("exit", keepCode);`,
  );
  write("program.cjs", main);
  write("chunks/one.cjs", chunk("one"));
  const hook = join(root, "watch.cjs");
  writeFileSync(hook, watch);
  return {
    dist,
    write,
    folder: join(cache, "parley", "code"),
    /** The path of a file's cached code. */
    codeOf(name: string): string {
      const folder = join(cache, "parley", "code");
      return join(folder, readdirSync(folder).find((each) => each.includes(`-${name}-`)) ?? "none");
    },
    async start(
      environment: Readonly<Record<string, string>> = {},
      flags: readonly string[] = [],
    ): Promise<string> {
      const args = [...flags, "--require", hook, join(dist, "start.js")];
      const env = { PATH: process.env.PATH, HOME: root, NODE_COMPILE_CACHE: cache, ...environment };
      const { stdout, stderr } = await run(process.execPath, args, { env });
      expect(stderr).toBe("");
      return stdout.trim().split("\n").join(", ");
    },
  };
}

const cold = "program.cjs new, one.cjs new, one, string";
const warm = "program.cjs true, one.cjs true, one, string";

describe("the compiled code of a program", () => {
  it("is used from the second start on and is private to the user", async () => {
    const { start, folder, codeOf } = program();
    expect(await start()).toBe(cold);
    expect(await start()).toBe(warm);
    if (process.platform !== "win32") {
      expect(statSync(folder).mode & 0o777).toBe(0o700);
      expect(statSync(codeOf("one.cjs")).mode & 0o777).toBe(0o600);
    }
    expect(readdirSync(folder)).toHaveLength(2);
  });

  it("is written by the first three starts, then once a day", async () => {
    const { start, codeOf } = program();
    const long = new Date(Date.now() - 25 * 60 * 60 * 1000);
    const wrote = async () => {
      const before = new Date(Date.now() - 60_000);
      if (existsSync(codeOf("one.cjs"))) utimesSync(codeOf("one.cjs"), before, before);
      await start();
      return Date.now() - statSync(codeOf("one.cjs")).mtimeMs < 30_000;
    };
    await start();
    expect([await wrote(), await wrote(), await wrote()]).toEqual([true, true, false]);
    utimesSync(codeOf("one.cjs"), long, long);
    await start();
    expect(Date.now() - statSync(codeOf("one.cjs")).mtimeMs).toBeLessThan(30_000);
  });

  it("reports a file that an update removed while the program runs, and how to recover", async () => {
    const { start, dist, write } = program();
    rmSync(join(dist, "chunks", "one.cjs"));
    const caught = "try { run() } catch (error) { console.log(error.message) }";
    write("program.cjs", `function run() {${main}}\n${caught}`);
    expect(await start()).toMatch(
      /one\.cjs is gone: Parley was updated.* :Parley restart helps\.$/,
    );
  });

  it.each([
    { what: "cut", damage: (bytes: Buffer) => bytes.subarray(0, bytes.length - 9) },
    { what: "empty", damage: () => Buffer.alloc(0) },
    {
      what: "changed in one bit",
      damage: (bytes: Buffer) => {
        bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 4, bytes.length >> 1);
        return bytes;
      },
    },
    { what: "replaced with something else", damage: () => Buffer.from("#!/bin/sh\n".repeat(40)) },
  ])("is made again when the cached file is $what", async ({ damage }) => {
    const { start, codeOf } = program();
    await start();
    writeFileSync(codeOf("one.cjs"), damage(readFileSync(codeOf("one.cjs"))));
    expect(await start()).toBe("program.cjs true, one.cjs new, one, string");
    expect(await start()).toBe(warm);
  });

  it("is not used for another file or for other source text of the same length", async () => {
    const { start, folder, codeOf, write } = program();
    await start();
    writeFileSync(codeOf("one.cjs"), readFileSync(codeOf("program.cjs")));
    expect(await start()).toBe("program.cjs true, one.cjs new, one, string");
    const before = readFileSync(codeOf("one.cjs"));
    write("chunks/one.cjs", chunk("two"));
    expect(await start()).toBe("program.cjs true, one.cjs new, two, string");
    for (const name of readdirSync(folder).filter((each) => each.includes("one.cjs"))) {
      writeFileSync(join(folder, name), before);
    }
    expect(await start()).toBe("program.cjs true, one.cjs new, two, string");
  });

  it.runIf(process.platform !== "win32")(
    "is not used when other users could have written it",
    async () => {
      const { start, codeOf } = program();
      await start();
      chmodSync(codeOf("one.cjs"), 0o666);
      expect(await start()).toBe("program.cjs true, one.cjs new, one, string");
      expect(await start()).toBe(warm);
    },
  );

  it("is cached separately for other V8 options", async () => {
    const { start } = program();
    await start();
    expect(await start({}, ["--no-opt"])).toBe(cold);
    expect(await start({}, ["--no-opt"])).toBe(warm);
    expect(await start({ NODE_OPTIONS: "--max-old-space-size=300" })).toBe(cold);
    expect(await start()).toBe(warm);
  });

  it("is not needed: programs start when it cannot be stored or is turned off", async () => {
    const { start, folder } = program();
    mkdirSync(join(folder, ".."), { recursive: true });
    writeFileSync(folder, "a file in its place");
    expect(await start()).toBe(cold);
    rmSync(folder);
    expect(await start({ NODE_DISABLE_COMPILE_CACHE: "1" })).toBe("one, string");
    expect(await start({}, ["--enable-source-maps"])).toBe("one, string");
    expect(existsSync(folder)).toBe(false);
  });

  it("is deleted when it is among the oldest of more than 200 files", async () => {
    const { start, folder, codeOf } = program();
    await start();
    const hour = new Date(Date.now() - 60 * 60 * 1000);
    utimesSync(codeOf("one.cjs"), hour, hour);
    for (let count = 0; count < 300; count += 1) {
      const old = new Date(Date.now() - (count + 61) * 60 * 1000);
      writeFileSync(join(folder, `of-another-${count}`), "");
      utimesSync(join(folder, `of-another-${count}`), old, old);
    }
    expect(await start()).toBe(warm);
    const names = readdirSync(folder);
    expect(names).toHaveLength(200);
    expect(names).toContain("of-another-197");
    expect(names).not.toContain("of-another-198");
    expect(await start()).toBe(warm);
  });

  it("can be written by several starts at once", async () => {
    const { start, folder } = program();
    const found = await Promise.all(Array.from({ length: 6 }, () => start()));
    for (const said of found) expect(said).toMatch(/^program\.cjs \S+, one\.cjs \S+, one, string$/);
    expect(await start()).toBe(warm);
    expect(readdirSync(folder)).toHaveLength(2);
  });
});

it("writeCode keeps the larger code when V8 returns less", () => {
  const folder = mkdtempSync(join(tmpdir(), "parley-code-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const source = hashOf(Buffer.from("source"));
  const path = codePath(folder, "p", "/dist/chunks/a.cjs", source);
  const kept = writeCode(path, source, Buffer.from("much code"), null);
  expect(kept).toMatchObject({ writes: 1, isDue: true });
  expect(writeCode(path, source, Buffer.from("little"), kept)?.writes).toBe(2);
  expect(readCode(path, source)?.code.toString()).toBe("much code");
});
