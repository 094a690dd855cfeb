import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { build, isStale } from "../../scripts/lib/build.mjs";
import { folderWith, writeInto } from "./folder.ts";

/** Loads a program as Node does. */
const start = (name: string) =>
  `import { createRequire } from "node:module"; createRequire(import.meta.url)("./${name}.cjs");`;

/** The smallest project that can be built: all entry points, one of which loads a chunk. */
function project(): string {
  const inputs = [
    "scripts/build.mjs",
    "scripts/lib/build.mjs",
    "scripts/lib/bundle.mjs",
    "scripts/lib/common-js.mjs",
    "scripts/stubs/winston.mjs",
    "scripts/stubs/zod-locales.mjs",
  ];
  return folderWith({
    ...Object.fromEntries(inputs.map((path) => [path, ""])),
    "package.json": JSON.stringify({ version: "1.2.3", type: "module" }),
    "package-lock.json": "{}",
    "src/host/start.ts": start("host"),
    "src/host/main.ts": 'void import("../lazy.ts").then(({ word }) => console.log(word));',
    "src/cli/start.ts": start("cli"),
    "src/cli/main.ts": "const text: string = 'mapped';\nthrow new Error(text);",
    "src/mcp/mock/start.ts": start("mock-server"),
    "src/mcp/mock/mock-server.ts": "console.log(typeof require);",
    "src/index.ts": "export const one = 1;",
    "src/agent.ts": "export const two = 2;",
    "src/lazy.ts": 'export const word = "first";',
  });
}

function runBuilt(root: string, name: string): string {
  const args = ["--enable-source-maps", join(root, "dist", name)];
  return execFileSync(process.execPath, args, { encoding: "utf8", stdio: "pipe" }).trim();
}

function lazyChunks(root: string): string[] {
  return readdirSync(join(root, "dist", "chunks")).filter((name) => name.startsWith("lazy-"));
}

describe("the build", () => {
  it("builds every entry point and puts what import() loads into a separate file", async () => {
    const root = project();
    await build({ root });
    expect(runBuilt(root, "host.js")).toBe("first");
    expect(readFileSync(join(root, "dist", "host.cjs"), "utf8")).not.toContain('"first"');
    expect(runBuilt(root, "mock-server.js")).toBe("function");
    expect(() => execFileSync(join(root, "dist", "cli.js"), { stdio: "pipe" })).toThrow("mapped");
    expect(existsSync(join(root, "dist", "index.js"))).toBe(true);
  });

  it("maps the stack trace of an executable to its source, despite the added first line", async () => {
    const root = project();
    await build({ root });
    expect(() => runBuilt(root, "cli.js")).toThrow(/src\/cli\/main\.ts:2/);
  });

  it("keeps the old dist/ when it fails", async () => {
    const root = project();
    await build({ root });
    writeInto(root, "src/lazy.ts", "export const word = ;");
    await expect(build({ root })).rejects.toThrow(
      /the old dist\/ was kept\.\nsrc\/lazy\.ts:1:21: Unexpected ";"/,
    );
    expect(runBuilt(root, "host.js")).toBe("first");
  });

  it("reports the entry points that are missing", async () => {
    const root = project();
    const other = folderWith({ "src/index.ts": "" });
    await build({ root });
    await expect(build({ root: other })).rejects.toThrow("src/host/main.ts and src/cli/main.ts");
  });

  it("keeps the chunks of the previous build, which a running host may still load, and removes older ones", async () => {
    const root = project();
    await build({ root });
    const first = lazyChunks(root);
    writeInto(root, "src/lazy.ts", 'export const word = "second";');
    await build({ root });
    expect(runBuilt(root, "host.js")).toBe("second");
    expect(lazyChunks(root)).toEqual(expect.arrayContaining(first));
    writeInto(root, "src/lazy.ts", 'export const word = "third";');
    await build({ root });
    expect(lazyChunks(root).filter((name) => first.includes(name))).toEqual([]);
  });
});

describe("isStale", () => {
  it("is true without a build and false right after one", async () => {
    const root = project();
    expect(await isStale(root)).toBe(true);
    await build({ root });
    expect(await isStale(root)).toBe(false);
  });

  it("compares the contents of the sources, not their times", async () => {
    const root = project();
    await build({ root });
    utimesSync(join(root, "src", "lazy.ts"), 1, 1);
    expect(await isStale(root)).toBe(false);
    writeInto(root, "src/lazy.ts", 'export const word = "other";');
    expect(await isStale(root)).toBe(true);
  });

  it("is true after a source was added", async () => {
    const root = project();
    await build({ root });
    writeInto(root, "src/added.ts", "");
    expect(await isStale(root)).toBe(true);
  });

  it("can rely on a record that also has sizes and times, for readers that cannot hash", async () => {
    const root = project();
    await build({ root });
    const record = JSON.parse(readFileSync(join(root, "dist", "build.json"), "utf8"));
    expect(record).toMatchObject({ version: "1.2.3", node: process.versions.node });
    expect(record.sources["src/index.ts"]).toMatchObject({ size: 21, mtimeMs: expect.any(Number) });
    expect(Object.keys(record.sources)).toContain("package-lock.json");
  });
});
