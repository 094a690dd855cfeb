/** Servers whose answers are good ones with anything wrong: whatever they do, each call ends, with words for people. */
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { call, start } from "../support/mcp-server.ts";

const script = fileURLToPath(new URL("../support/chaos-server.mjs", import.meta.url));

/** What a library or the language says, and people should not have to read. */
const raw =
  /undefined|\[object |TypeError|Cannot read|is not a function|NaN|invalid_type|\n {4}at /;

const seeds = Array.from({ length: 20 }, (_, index) => index + 1);

describe.concurrent("a server that breaks the protocol", () => {
  it.each(seeds)("in the way of seed %i", { timeout: 60_000 }, async (seed) => {
    const patience = { connectTimeoutMs: 700, startTimeoutMs: 700, timeoutMs: 700 };
    const configuration = { command: process.execPath, args: [script, String(seed)] };
    const { server } = start(configuration, patience);
    const said: string[] = [];
    for (let round = 0; round < 2; round += 1) {
      const { tools, problems } = await server.tools(700);
      said.push(...problems, ...tools.map(({ name, description }) => `${name}: ${description}`));
      const calls = ["a", "b"].map((text) => call(server, "echo", { text }));
      for (const { status, text } of await Promise.all(calls)) {
        expect(["ok", "error", "timeout"]).toContain(status);
        said.push(text);
      }
    }
    expect(said.filter((text) => raw.test(text))).toEqual([]);
    expect(said.filter((text) => text.trim() === "")).toEqual([]);
  });
});
