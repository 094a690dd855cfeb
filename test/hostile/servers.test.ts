/** What a repository could do through the user's own servers: real programs are started, none runs what it holds. */
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, dirname } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createClientFeatures } from "../../src/mcp/asking/client-features.ts";
import { Server } from "../../src/mcp/server.ts";
import { haveFolders, open, path } from "../app/servers-scene.ts";
import { noFeatures } from "../support/mcp-server.ts";

haveFolders();

const trap = () => path("ran");

/** Programs and modules by the names that servers have, which leave a mark when they run. */
async function hostileRepository(): Promise<void> {
  const folder = path("project", "src");
  const bin = path("project", "src", "node_modules", ".bin");
  const script = `#!/bin/sh\ntouch ${trap()}\n`;
  await mkdir(bin, { recursive: true });
  for (const file of [`${bin}/weather-server`, `${folder}/run-me`, `${folder}/python3`]) {
    await writeFile(file, script);
    await chmod(file, 0o755);
  }
  await writeFile(`${folder}/weather_server.py`, `open(${JSON.stringify(trap())}, "w")\n`);
  await writeFile(`${folder}/json.py`, `open(${JSON.stringify(trap())}, "w")\n`);
  await writeFile(`${folder}/Makefile`, `mcp:\n\ttouch ${trap()}\n`);
  const manifest = { name: "x", version: "1.0.0", scripts: { mcp: `touch ${trap()}` } };
  await writeFile(`${folder}/package.json`, JSON.stringify(manifest));
}

async function start(value: object) {
  const { find, servers } = open({ configured: { x: value } });
  await servers.agree(null);
  const found = await find("x");
  expect(found.leftOut).toBeNull();
  const server = new Server("x", found.start as () => Promise<never>, {
    version: "0",
    connectTimeoutMs: 30_000,
    startTimeoutMs: 30_000,
    timeoutMs: 1000,
    log: () => {},
    features: createClientFeatures(noFeatures),
  });
  onTestFinished(() => server.close());
  const { problems } = await server.tools(30_000);
  return problems.join("\n");
}

describe("a repository gets no power through the user's own servers", () => {
  it.each([
    [{ command: "npx", args: ["--no-install", "weather-server"] }],
    [{ command: "npm", args: ["run", "mcp"] }],
    [{ command: "python3", args: ["-m", "weather_server"] }],
    [{ command: "python3", args: ["-c", "import json"] }],
    [{ command: "make", args: ["mcp"] }],
    [{ command: "sh", args: ["-c", "exec ./run-me"] }],
  ])("by %j, which says why it did not start", async (value) => {
    await hostileRepository();
    const problem = await start(value);
    await expect(readFile(trap())).rejects.toThrow("ENOENT");
    expect(problem).toContain(`It was started in an empty folder, since ${value.command} runs`);
  });

  it("by a relative folder in PATH", async () => {
    await hostileRepository();
    const before = process.env.PATH;
    onTestFinished(() => {
      process.env.PATH = before;
    });
    process.env.PATH = [".", "./node_modules/.bin", dirname(process.execPath)].join(delimiter);
    const problem = await start({ command: "run-me" });
    await expect(readFile(trap())).rejects.toThrow("ENOENT");
    expect(problem).toContain("was not found on PATH");
  });
});
