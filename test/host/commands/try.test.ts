/** `:Parley mcp try` with a server whose first start takes longer than an answer waits for it. */
import { describe, expect, it } from "vitest";
import { tryTool } from "../../../src/host/commands/try-command.ts";
import type { OpenHost } from "../../../src/host/context.ts";

/** A host whose server `slow` starts while it is looked at for the third time, or fails then. */
function slowHost(end: "ready" | "failed") {
  const said: string[] = [];
  let looks = 0;
  const state = () => (looks < 3 ? "starting" : end);
  const tool = { name: "mcp__slow__go", server: "slow", serverTool: "go", inputSchema: {} };
  const listed = () => (state() === "ready" ? [tool] : []);
  const about = { startedAt: Date.now(), problem: null, tools: null };
  const mcp = {
    catalogs: { names: async () => ["slow", "other"] },
    status: async () => {
      looks += 1;
      const slow = { ...about, name: "slow", state: state(), tools: listed() };
      return { servers: [slow, { ...about, name: "other", state: "starting" }] };
    },
    list: async () => ({ tools: listed(), notices: [`MCP server slow: ${state()}.`] }),
  };
  const host = {
    app: { now: { mcp }, servers: { agree: async () => {}, disabled: () => new Map() } },
    notify: (_: string, text: string) => said.push(text),
    ask: async () => false,
  };
  // Only what the command uses.
  return { host: host as unknown as OpenHost, said };
}

describe("a tool of a server that starts slowly", () => {
  const waits = ["Starting slow …", "Still starting: slow (0 s) …"];

  it("is found once the server has started", async () => {
    const { host, said } = slowHost("ready");
    await tryTool(host, "slow.go");
    expect(said).toEqual([...waits, "slow.go was not run."]);
  });

  it("is not there when the server fails", async () => {
    const { host, said } = slowHost("failed");
    await tryTool(host, "slow.go");
    expect(said).toEqual([...waits, 'There is no tool "slow.go". MCP server slow: failed.']);
  });
});
