import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, it, onTestFinished } from "vitest";
import { programTexts } from "../../scripts/lib/program-text.mjs";
import { eventually } from "../support/eventually.ts";
import { badServer } from "../support/mcp-server.ts";
import { processesWith } from "../support/processes.ts";

/**
 * A program that starts a server which nothing but a signal ends, says so, and exits without
 * closing it.
 */
function program(modulePath: string, marker: string, end: string): string {
  const shell = `'${process.execPath}' '${badServer}' stubborn ${marker}; true`;
  return `
    import { Server } from ${JSON.stringify(modulePath)};
    const configuration = { command: "sh", args: ["-c", ${JSON.stringify(shell)}] };
    const features = { sampling: "off", notify() {}, toolsChanged() {}, toolsMayHaveChanged() {}, roots: async () => [] };
    const options = { version: "0", features, connectTimeoutMs: 15000, startTimeoutMs: 15000, timeoutMs: 15000, log: console.error };
    const { tools } = await new Server("stubborn", configuration, options).tools(15000);
    process.stdout.write(String(tools.length), () => ${end});
  `;
}

it.each([
  ["exits without closing its servers", "process.exit(0)"],
  ["is killed", 'process.kill(process.pid, "SIGKILL")'],
])("a program that %s leaves none of them", async (_, end) => {
  const folder = await mkdtemp(join(tmpdir(), "parley-exit-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await build({
    entryPoints: [fileURLToPath(new URL("../../src/mcp/server.ts", import.meta.url))],
    outfile: join(folder, "server.mjs"),
    bundle: true,
    format: "esm",
    platform: "node",
    mainFields: ["module", "main"],
    plugins: [programTexts],
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    logLevel: "silent",
  });
  const marker = `exit-${process.pid}-${end.length}`;
  await writeFile(join(folder, "program.mjs"), program("./server.mjs", marker, end));
  const child = spawn(process.execPath, [join(folder, "program.mjs")]);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  await new Promise((resolve) => child.once("close", resolve));
  expect(output).toBe("2");
  await eventually(() => expect(processesWith(marker)).toEqual([]));
});
