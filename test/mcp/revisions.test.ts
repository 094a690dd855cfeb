/** Which revision of the protocol a process is spoken to in, and how often it is started to find that out. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createServerMemory } from "../../src/app/state/listed-tools.ts";
import { isKnownOlder, keptAfter } from "../../src/mcp/kept-servers.ts";
import { createMcpHost } from "../../src/mcp/mcp-host.ts";
import type { FoundServer } from "../../src/mcp/registry.ts";
import { badServer, call, namesOf, noFeatures, start } from "../support/mcp-server.ts";
import { modernServer } from "../support/remote-server.ts";

async function place() {
  const folder = await mkdtemp(join(tmpdir(), "parley-revisions-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "starts");
  const server = (mode: string) => ({
    command: process.execPath,
    args: [badServer, mode],
    env: { STARTS_FILE: file },
  });
  const starts = async () => (await readFile(file, "utf8")).split("\n").length - 1;
  return { folder, server, starts };
}

it("an old server is started once", async () => {
  const { server, starts } = await place();
  const one = start(server("good")).server;
  expect(await namesOf(one)).toContain("echo");
  expect(one.status().reached?.revision).toBe("2025-11-25");
  expect(await starts()).toBe(1);
});

it("one that ends at what it does not know is started again with the older handshake, and that is remembered", async () => {
  const { folder, server, starts } = await place();
  const session = async () => {
    const found: FoundServer = { name: "s", version: "1", leftOut: null, start: server("strict") };
    const host = createMcpHost({
      servers: async () => ({ servers: [found], notices: [], remarks: [] }),
      memory: createServerMemory(folder, () => {}),
      mock: { enabled: false, command: "", args: [] },
      timeoutMs: 15_000,
      version: "0",
      log: () => {},
      features: noFeatures,
    });
    const { tools, notices } = await host.list(null, "a/b");
    await host.close();
    return { count: tools.length, notices };
  };
  expect(await session()).toEqual({ count: 2, notices: [] });
  expect(await starts()).toBe(2);
  expect(await session()).toEqual({ count: 2, notices: [] });
  expect(await starts()).toBe(3);
});

it("one that ends at once is not started twice each time", async () => {
  const { server, starts } = await place();
  const { server: one } = start(server("exit"));
  for (let times = 0; times < 3; times += 1) {
    expect((await one.tools(15_000)).problems.join()).toContain("no license found");
  }
  expect(await starts()).toBe(4);
});

it("one that was old and knows only the newer revision now is asked for that", async () => {
  const modern = { command: process.execPath, args: [modernServer, "stdio"], isOlder: true };
  expect(await call(start(modern).server, "era")).toMatchObject({ text: "modern" });
});

it("one that ended while it ran is spoken to as before", async () => {
  const { server } = start({ command: process.execPath, args: [modernServer, "stdio", "serve"] });
  const era = async () => (await call(server, "era")).text;
  expect(await era()).toBe("modern");
  await call(server, "end");
  expect(await era()).toBe("modern");
});

it("an updated server is asked again", () => {
  const old = { tools: [], revision: "2025-11-25", software: "1.0" };
  expect(isKnownOlder(keptAfter(old, old))).toBe(true);
  const updated = keptAfter(old, { ...old, software: "2.0" });
  expect(isKnownOlder(updated)).toBe(false);
  expect(isKnownOlder(keptAfter(updated, { ...old, software: "2.0" }))).toBe(true);
});
