/** Messages about a server that answers late, never, or ends at once: second by second, on a clock of the test. */
import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { reportStarting } from "../../src/conversation/server-waits.ts";
import type { GivenFeatures } from "../../src/mcp/asking/client-features.ts";
import { createMcpHost, type McpHost } from "../../src/mcp/mcp-host.ts";
import { noFeatures, noMemory } from "../support/mcp-server.ts";

// The clock of the test has no hold on Node's own promises of time.
vi.mock("node:timers/promises", () => ({
  setTimeout: (ms: number, value: unknown, { signal }: { signal?: AbortSignal } = {}) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => resolve(value), ms);
      const stop = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", stop, { once: true });
    }),
}));

/** A process without a process: its command is the second at which it answers, or what becomes of it. */
vi.mock("../../src/mcp/transport/stdio-transport.ts", () => ({
  StdioTransport: class {
    onclose?: () => void;
    onmessage?: (message: JSONRPCMessage) => void;
    readonly kind = "stdio";
    readonly hint = "";
    // By this the SDK knows that silence is no outage.
    readonly pid = 1;
    readonly stderr = { text: () => this.#words };
    ending: string | null = null;
    #words = "";
    readonly #command: string;
    #readyAt = Number.POSITIVE_INFINITY;

    constructor({ command }: { readonly command: string }) {
      this.#command = command;
    }

    explain = () => null;
    hide = (text: string) => text;

    async start() {
      begun.push(this.#command);
      this.#words = "downloading 300 packages";
      if (/^\d+$/.test(this.#command)) this.#readyAt = Date.now() + Number(this.#command) * 1000;
      if (this.#command !== "dies") return;
      setTimeout(() => {
        this.#words = "no license found";
        this.ending = "It ended with exit code 3.";
        this.onclose?.();
      }, 400);
    }

    async send(message: JSONRPCMessage) {
      const reply = answerTo(message);
      if (reply === null || !Number.isFinite(this.#readyAt)) return;
      setTimeout(() => this.onmessage?.(reply), Math.max(0, this.#readyAt - Date.now()));
    }

    async close() {
      this.onclose?.();
    }
  },
}));

const begun: string[] = [];

function answerTo(message: JSONRPCMessage): JSONRPCMessage | null {
  if (!("id" in message) || !("method" in message)) return null;
  const { id } = message;
  const result =
    message.method === "initialize"
      ? {
          protocolVersion: "2025-11-25",
          capabilities: { tools: {} },
          serverInfo: { name: "slow", version: "1" },
        }
      : message.method === "tools/list"
        ? { tools: [{ name: "echo", inputSchema: { type: "object" } }] }
        : null;
  return result === null
    ? { jsonrpc: "2.0", id, error: { code: -32_601, message: "Method not found" } }
    : { jsonrpc: "2.0", id, result };
}

let host: McpHost;
/** Everything that was said, with its second. */
let said: string[];
let start = 0;

function say(text: string) {
  said.push(`${Math.round((Date.now() - start) / 1000)}: ${text.split("\n").join(" / ")}`);
}

/** Somebody who could be asked, and who can ask again. */
const askedUser: NonNullable<GivenFeatures["user"]> = {
  fill: async () => null,
  select: async () => null,
  input: async () => null,
  openAddress: async () => null,
};

function open(command: string, user: GivenFeatures["user"] = askedUser) {
  host = createMcpHost({
    servers: async () => ({
      servers: [{ name: "github", version: "1", leftOut: null, start: { command, args: [] } }],
      notices: [],
      remarks: [],
    }),
    mock: { enabled: false, command: "", args: [] },
    timeoutMs: 60_000,
    memory: noMemory,
    version: "0",
    log: () => {},
    features: { ...noFeatures, user, notify: (_, text) => say(text) },
  });
}

/** A question, as a chat puts it: it ends when its request may go out. */
async function question() {
  const told = reportStarting(() => host.starting(), say);
  const { tools, notices } = await host.list(null, "a/b");
  told.end();
  for (const notice of notices) say(notice);
  say(`sent with ${tools.length} tools`);
}

/** One that has nothing to wait for. */
async function askedNow() {
  const asked = question();
  await vi.advanceTimersByTimeAsync(1);
  await asked;
}

const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000);
const at = (second: number) => said.filter((line) => line.startsWith(`${second}: `));

beforeEach(async () => {
  // They are loaded on first use, which takes time of the real clock.
  await import("../../src/mcp/client/connection.ts");
  vi.useFakeTimers();
  start = Date.now();
  said = [];
  begun.length = 0;
});
afterEach(async () => {
  const closed = host.close();
  await seconds(5);
  await closed;
  vi.useRealTimers();
});

const leftOut = (second: number) =>
  `MCP server github: It is still starting (${second} s), so its tools are missing from this answer; they are offered as soon as it is ready.`;

describe("a server", () => {
  it("that answers after 45 s holds the first question for 10 s, no other, and is there when it is ready", async () => {
    open("45");
    const first = question();
    await seconds(1);
    expect(at(1)).toEqual(["1: starting github, 1 s"]);
    await seconds(8);
    expect(said).toHaveLength(9);
    expect(at(9)).toEqual(["9: starting github, 9 s"]);
    await seconds(1);
    await first;
    expect(at(10).slice(-2)).toEqual([`10: ${leftOut(10)}`, "10: sent with 0 tools"]);
    const before = said.length;
    await seconds(20);
    // The answer is under way: nothing more is said of it.
    expect(said).toHaveLength(before);
    await askedNow();
    expect(at(30)).toEqual([`30: ${leftOut(30)}`, "30: sent with 0 tools"]);
    await seconds(16);
    await askedNow();
    expect(at(46)).toEqual(["46: sent with 1 tools"]);
    expect(begun).toEqual(["45"]);
  });

  it("that answers after 45 s holds a program that nobody watches until then", async () => {
    open("45", null);
    const first = question();
    await seconds(44);
    expect(at(44)).toEqual(["44: starting github, 44 s"]);
    await seconds(2);
    await first;
    expect(said.at(-1)).toBe("45: sent with 1 tools");
  });

  it("that never answers holds such a program until it is given up", async () => {
    open("never", null);
    const first = question();
    await seconds(121);
    await first;
    expect(said.slice(-2)).toEqual([
      expect.stringMatching(/^120: MCP server github: .*did not answer within 120 s/),
      "120: sent with 0 tools",
    ]);
  });

  it("that never answers is given up after 120 s, with its last words, and not started from nothing", async () => {
    open("never");
    const first = question();
    await seconds(10);
    await first;
    expect(at(1)).toEqual(["1: starting github, 1 s"]);
    expect(at(10)).toContain(`10: ${leftOut(10)}`);
    await seconds(20);
    await askedNow();
    expect(at(30)).toEqual([`30: ${leftOut(30)}`, "30: sent with 0 tools"]);
    await seconds(95);
    const end = said.slice(said.indexOf("30: sent with 0 tools") + 1);
    expect(end).toEqual([
      expect.stringMatching(
        /^120: MCP server github could not be started\. It did not answer within 120 s.*downloading 300 packages/,
      ),
    ]);
    said = [];
    await askedNow();
    await askedNow();
    expect(said.filter((line) => line.includes("not be started again before"))).toHaveLength(1);
    expect(said.at(-1)).toBe("125: sent with 0 tools");
    expect(begun).toEqual(["never"]);
  });

  it("that ends in the first second holds nothing, and says why once", async () => {
    open("dies");
    const first = question();
    await seconds(1);
    await first;
    expect(said).toHaveLength(2);
    expect(said[0]).toMatch(
      /^1: MCP server github: It could not be used\. It ended with exit code 3\..*no license found/,
    );
    await seconds(9);
    // It is tried again, since somebody may have repaired it, and ends the same way: the user knows.
    const second = question();
    await seconds(1);
    await second;
    expect(said.slice(2)).toEqual([expect.stringMatching(/^1\d: sent with 0 tools$/)]);
    await seconds(19);
    expect(said).toHaveLength(3);
  });
});
