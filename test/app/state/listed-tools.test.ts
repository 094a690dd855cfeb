/** A chat is shown with the tools that its servers listed last; nothing is started for it. */
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createServerMemory } from "../../../src/app/state/listed-tools.ts";
import { createMcpHost } from "../../../src/mcp/mcp-host.ts";
import type { FoundServer } from "../../../src/mcp/registry.ts";
import { configuration, noFeatures } from "../../support/mcp-server.ts";
import { processesWith } from "../../support/processes.ts";

const marker = `remembered-${process.pid}`;

async function place() {
  const folder = await mkdtemp(join(tmpdir(), "parley-tools-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const open = (more: Partial<FoundServer> = {}) => {
    const given = configuration("good");
    const start = "command" in given ? { ...given, args: [...(given.args ?? []), marker] } : given;
    const found: FoundServer = { name: "s", version: "1", leftOut: null, start, ...more };
    const host = createMcpHost({
      servers: async () => ({ servers: [found], notices: [], remarks: [] }),
      memory: createServerMemory(folder, () => {}),
      mock: { enabled: false, command: "", args: [] },
      timeoutMs: 15_000,
      version: "0",
      log: () => {},
      features: noFeatures,
    });
    onTestFinished(() => host.close());
    const names = async (asRemembered: boolean) =>
      (await host.list(null, "a/b", { asRemembered })).tools.map(({ serverTool }) => serverTool);
    return { host, names };
  };
  return { folder, open };
}

it("starts nothing, before a server ran and after", async () => {
  const { open, folder } = await place();
  const first = open();
  expect(await first.names(true)).toEqual([]);
  expect(processesWith(marker)).toEqual([]);
  expect(await first.names(false)).toEqual(["echo", "a.b/c d"]);
  await first.host.close();
  const next = open();
  expect(await next.names(true)).toEqual(["echo", "a.b/c d"]);
  expect(processesWith(marker)).toEqual([]);
  const [file = ""] = await readdir(join(folder, "mcp-tools"));
  expect((await stat(join(folder, "mcp-tools", file))).mode & 0o777).toBe(0o600);
});

it("remembers nothing of a server that is configured otherwise, not agreed to, or not offered", async () => {
  const { open } = await place();
  await open().names(false);
  expect(await open({ version: "2" }).names(true)).toEqual([]);
  expect(await open({ leftOut: "you have not allowed it yet" }).names(true)).toEqual([]);
  expect(await open({ includes: (tool) => tool === "echo" }).names(true)).toEqual(["echo"]);
});

it("passes over what is not as it was written", async () => {
  const { open, folder } = await place();
  await open().names(false);
  const [file = ""] = await readdir(join(folder, "mcp-tools"));
  await writeFile(
    join(folder, "mcp-tools", file),
    '{"tools":[{"name":"x"},{"name":"y","inputSchema":{}}]}',
  );
  expect(await open().names(true)).toEqual(["y"]);
  await writeFile(join(folder, "mcp-tools", file), "{");
  expect(await open().names(true)).toEqual([]);
});
