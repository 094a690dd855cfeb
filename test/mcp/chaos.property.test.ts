/** Servers whose answers are good ones with anything wrong: whatever they do, each call ends, with words for people. */
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { Server } from "../../src/mcp/server.ts";
import { createChaos } from "../support/chaos.mjs";
import { chaosBehindAddress } from "../support/chaos-remote.ts";
import { call, start } from "../support/mcp-server.ts";

const script = fileURLToPath(new URL("../support/chaos-server.mjs", import.meta.url));

/** What a library or the language says, and people should not have to read. */
const raw =
  /undefined|\[object |TypeError|Cannot read|is not a function|NaN|invalid_type|\n {4}at /;

const seeds = Array.from({ length: 8 }, (_, index) => index + 1);

const patience = { connectTimeoutMs: 500, startTimeoutMs: 500, timeoutMs: 500 };

async function expectWords(server: Server): Promise<void> {
  const said: string[] = [];
  for (let round = 0; round < 2; round += 1) {
    const { tools, problems } = await server.tools(500);
    said.push(...problems, ...tools.map(({ name, description }) => `${name}: ${description}`));
    const calls = ["a", "b"].map((text) => call(server, "echo", { text }));
    for (const { status, text } of await Promise.all(calls)) {
      expect(["ok", "error", "timeout"]).toContain(status);
      said.push(text);
    }
  }
  expect(said.filter((text) => raw.test(text))).toEqual([]);
  expect(said.filter((text) => text.trim() === "")).toEqual([]);
}

describe("a server that breaks the protocol", () => {
  it.each(seeds)("as a process, in the way of seed %i", { timeout: 60_000 }, async (seed) => {
    const configuration = { command: process.execPath, args: [script, String(seed)] };
    await expectWords(start(configuration, patience).server);
  });

  it.each(seeds)("behind an address, in the way of seed %i", { timeout: 60_000 }, async (seed) => {
    await expectWords(start(await chaosBehindAddress(seed), patience).server);
  });

  it.each(seeds)("can be closed in the middle of anything, in the way of seed %i", async (seed) => {
    const { below } = createChaos(seed + 1000);
    const remote = await chaosBehindAddress(seed);
    const configurations = [
      { command: process.execPath, args: [script, String(seed)] },
      remote,
      { ...remote, transport: "sse" as const },
    ];
    for (const configuration of configurations) {
      const { server } = start(configuration, patience);
      const work = [server.tools(500), call(server, "echo", { text: "a" }), call(server, "echo")];
      await setTimeout(below(60));
      await server.close();
      await Promise.all(work);
    }
  });
});
