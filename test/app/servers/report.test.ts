/** What `:Parley mcp` and `parley mcp check` say of each server. */
import { describe, expect, it } from "vitest";
import { serverLine, serverReport } from "../../../src/app/servers/report.ts";
import { createClientFeatures } from "../../../src/mcp/asking/client-features.ts";
import {
  createRegistry,
  type FoundServer,
  type ListedServer,
  registryActions,
} from "../../../src/mcp/registry.ts";
import { LoginNeededError } from "../../../src/mcp/transport/transport.ts";
import { configuration, noFeatures, noMemory } from "../../support/mcp-server.ts";

async function report(servers: readonly FoundServer[]) {
  const patience = {
    connectTimeoutMs: 15_000,
    startTimeoutMs: 15_000,
    timeoutMs: 15_000,
    firstBackoffMs: 10,
  };
  const features = createClientFeatures(noFeatures);
  const options = { version: "0", ...patience, log: () => {}, features };
  const sources = {
    servers: async () => ({ servers, notices: [], remarks: [] }),
    memory: noMemory,
  };
  const registry = createRegistry(sources, options, "mock");
  const actions = registryActions(registry);
  try {
    const before = (await actions.status()).servers.map(serverLine);
    for (const { name } of servers) await actions.restart(name);
    const now = (await actions.status()).servers;
    return { before, after: now.map(serverLine), text: serverReport(now, []).join("\n") };
  } finally {
    await registry.close();
  }
}

const found = (name: string, more: Partial<FoundServer>): FoundServer => ({
  name,
  version: "1",
  leftOut: null,
  transport: "stdio",
  start: configuration("good"),
  ...more,
});

describe("the line of a server", () => {
  it("tells apart what nobody agreed to, what wants a login, and what failed", async () => {
    const login = async () => {
      throw new LoginNeededError("It needs a login: :Parley mcp login far");
    };
    const { before, after, text } = await report([
      found("good", {}),
      found("project", { leftOut: "you have not allowed it yet" }),
      found("far", { transport: "sse", start: login }),
      found("broken", { start: { command: "no-such-command-anywhere" } }),
    ]);
    expect(before).toEqual([
      "good: off (stdio)",
      "project: untrusted (stdio)",
      "far: off (sse)",
      "broken: off (stdio)",
    ]);
    expect(after).toEqual([
      "good: ready, 2 tools (stdio, 2025-11-25)",
      "project: untrusted (stdio)",
      "far: needs-auth (sse)",
      "broken: failed (stdio)",
    ]);
    expect(text).toContain("# project: untrusted (stdio)\n\nyou have not allowed it yet");
  });

  it("has columns that fit a screen of 80", async () => {
    const name = `very${"-long".repeat(10)}`;
    const { text } = await report([
      found(name, {}),
      found("far", { transport: "http", leftOut: "you have not allowed it yet" }),
    ]);
    const table = text.split("\n").filter((line) => line.startsWith("    "));
    expect(table[1]).toMatch(
      /^ {4}very-long-long-l…\s+ready\s+2 tools\s+\d+\.\d s {2}stdio 2025-11-25$/,
    );
    expect(table[2]).toMatch(/^ {4}far\s+untrusted\s+http$/);
    for (const line of table) expect(line.length).toBeLessThanOrEqual(80);
  });

  it("is followed by what was left out of its tools", async () => {
    const { after, text } = await report([found("bad", { start: configuration("invalid") })]);
    expect(after).toEqual(["bad: ready, 2 tools (stdio, 2025-11-25)"]);
    expect(text).toContain("Its tool no_schema has no schema for its arguments and is left out.");
  });

  it("holds no character of a server that a screen would not show as it is", () => {
    const server: ListedServer = {
      name: "odd",
      state: "ready",
      tools: ["two\nlines", "\u202eright"],
      problems: [],
      catalog: null,
      reached: null,
      instructions: null,
      startedAt: null,
      startMs: 1234,
      problem: "first\nsecond\u001b[31m",
      stderr: "",
      leftOut: null,
      transport: "stdio",
    };
    expect(serverReport([server], ["a\nnotice"])).toEqual([
      "    server            state          tools   start  by",
      "    odd               ready        2 tools   1.2 s  stdio",
      "",
      "# odd: ready, 2 tools (stdio)",
      "",
      "first",
      "second\\u{1b}[31m",
      "",
      "two\\nlines, \\u{202e}right",
      "",
      "a\\nnotice",
    ]);
  });
});
