/** Servers that end, are stopped and started again. */

import { describe, expect, it, onTestFinished } from "vitest";
import { createClientFeatures } from "../../src/mcp/asking/client-features.ts";
import { createMcpHost } from "../../src/mcp/mcp-host.ts";
import { eventually } from "../support/eventually.ts";
import {
  call,
  configuration,
  namesOf,
  noFeatures,
  noMemory,
  start,
} from "../support/mcp-server.ts";

describe("a server", () => {
  it("is off, then ready with its tools, then stopped until it is restarted", async () => {
    const { server } = start("good");
    expect(server.status()).toMatchObject({ state: "off", tools: null, problem: null });
    await namesOf(server);
    expect(server.status()).toMatchObject({ state: "ready", tools: ["echo", "a.b/c d"] });
    await server.stop();
    expect(server.status().state).toBe("stopped");
    expect(await server.tools(5000)).toEqual({ tools: [], problems: [] });
    expect((await call(server, "echo")).text).toMatch(/It was stopped; :Parley mcp restart bad/);
    await server.restart();
    expect(server.status().state).toBe("ready");
    expect((await call(server, "echo", { text: "hi" })).status).toBe("ok");
  });

  it("is not started any more after five starts that failed, until a user says so", async () => {
    const { server } = start("exit", { firstBackoffMs: 1 });
    const problems = async () => (await server.tools(5000)).problems.join();
    for (let attempt = 0; attempt < 5; attempt += 1) {
      expect(await problems()).toMatch(/no license found/);
    }
    expect(await problems()).toMatch(/no longer starts it; fix it, then :Parley mcp restart bad/);
    expect(server.status()).toMatchObject({ state: "failed" });
    await server.restart();
    expect(await problems()).toMatch(/^It could not be used. It ended with exit code 3/);
  });

  it("is not tried again when its command is not there, until a user says so", async () => {
    const { server } = start({ command: "uvx-that-is-missing" });
    const problems = async () => (await server.tools(5000)).problems.join();
    expect(await problems()).toMatch(/was not found on PATH .*; install it or correct/);
    expect(await problems()).toMatch(/not be started again before :Parley mcp restart bad/);
    expect((await call(server, "echo")).text).toMatch(/not be started again before/);
    await server.restart();
    expect(await problems()).toMatch(/not be started again/);
    // A program has no such command.
    const { server: other } = start(
      { command: "uvx-that-is-missing" },
      { restartWords: "a new X" },
    );
    for (let time = 0; time < 2; time += 1) await other.tools(5000);
    const said = [(await other.tools(5000)).problems.join(), (await call(other, "echo")).text];
    expect(said.join()).toMatch(/not be started again before a new X\./);
    expect(said.join()).not.toContain(":Parley");
  });

  it("is given up with its last words when it never answers, and then left alone", async () => {
    const told: string[] = [];
    const features = createClientFeatures({
      ...noFeatures,
      notify: (_, text) => void told.push(text),
    });
    const { server } = start("silent-with-words", { startTimeoutMs: 3000, features });
    expect((await server.tools(1)).problems).toEqual([
      expect.stringMatching(/^It is still starting.* missing from this answer/),
    ]);
    await expect.poll(() => told, { timeout: 30_000 }).toHaveLength(1);
    expect(told[0]).toMatch(
      /^MCP server bad could not be started. It did not answer within 3 s.[\s\S]*downloading/,
    );
    expect((await server.tools(5000)).problems.join()).toMatch(/not be started again before/);
    expect(server.status()).toMatchObject({ state: "failed", startedAt: null });
  });

  it("does not hold an answer while it is left alone", async () => {
    const { server } = start("exit", { firstBackoffMs: 20_000 });
    await server.tools(5000);
    // Held until it is tried again, the answer would have no such words.
    expect((await server.tools(60_000)).problems.join()).toMatch(/in 20 s at the earliest/);
  });

  it("does not start, nor count as ended, while its command is not known", async () => {
    let isKnown = false;
    const find = async () => {
      if (!isKnown) throw new Error("The variable X is not set.");
      return configuration("good");
    };
    const server = started(find);
    for (let attempt = 0; attempt < 6; attempt += 1) {
      const { notices } = await server.list("bad", "a/b");
      expect(notices).toEqual(
        attempt > 0 ? [] : ["MCP server bad: It could not be used. The variable X is not set."],
      );
    }
    isKnown = true;
    expect((await server.list("bad", "a/b")).tools).toHaveLength(2);
  });

  it("says with its state why its tools could not be listed, once, until they can be", async () => {
    const server = started(async () => configuration("unlistable"));
    const why = "Its tools could not be listed. fetch failed";
    const first = await server.list(null, "a/b");
    expect(first).toMatchObject({
      notices: [`MCP server bad: It could not be used. ${why}`],
      unlisted: [{ server: "bad", state: "unusable", why }],
      isPassing: true,
    });
    expect((await server.status()).servers[0]).toMatchObject({ state: "ready", problem: why });
    expect((await server.list(null, "a/b")).notices).toEqual([]);
    expect(await server.list(null, "a/b")).toMatchObject({ unlisted: [], isPassing: false });
    expect((await server.status()).servers[0]).toMatchObject({ problem: null });
  });

  it("that could not list its tools is not waited for as long again, nor told again", async () => {
    const told: string[] = [];
    const notify = (_: string, text: string) => void told.push(text);
    const features = createClientFeatures({ ...noFeatures, notify });
    const options = { connectTimeoutMs: 2000, features };
    const { server } = start("unlistable-then-silent", options);
    const why = "It could not be used. Its tools could not be listed. fetch failed";
    // A key waits for each of these.
    for (let key = 0; key < 3; key += 1) {
      expect(await server.tools(60_000)).toEqual({ tools: [], problems: [why] });
    }
    await expect.poll(() => server.status().problem, { timeout: 5000 }).toMatch(/within 2 s/);
    expect(told).toEqual([]);
  });

  it("ends while it waits for a user", async () => {
    const server = started(() => new Promise(() => {}));
    const listed = server.list("bad", "a/b");
    await eventually(async () =>
      expect((await server.status()).servers[0]?.state).toBe("starting"),
    );
    await server.close();
    expect((await listed).tools).toEqual([]);
  });
});

describe("the servers of a configuration that changes", () => {
  it("stay as they are when theirs did not, and end when it did", async () => {
    let version = "1";
    let leftOut: string | null = null;
    const server = createMcpHost({
      memory: noMemory,
      ...common,
      servers: async () => ({
        servers: [{ name: "bad", version, leftOut, start: configuration("good") }],
        notices: ["a notice"],
        remarks: [],
      }),
    });
    onTestFinished(() => server.close());
    const state = async () => (await server.status()).servers[0]?.state;
    expect((await server.list("bad", "a/b")).notices).toEqual(["a notice"]);
    expect(await state()).toBe("ready");
    version = "2";
    expect(await state()).toBe("off");
    leftOut = "Nobody said yes.";
    expect(await server.list("bad", "a/b")).toMatchObject({
      tools: [],
      instructions: [],
      notices: ["a notice", "MCP server bad: Nobody said yes."],
      unlisted: [{ server: "bad", why: "Nobody said yes." }],
    });
    // What nobody said yes to is started by no command.
    const refused = { state: "untrusted", leftOut, startMs: null };
    expect(await server.restart("bad")).toMatchObject(refused);
    expect(await server.restart("other")).toBeNull();
    expect(await server.stop("other")).toBe(false);
  });
});

const common = {
  mock: { enabled: false, command: "", args: [] },
  timeoutMs: 15_000,
  version: "0",
  log: () => {},
  features: noFeatures,
};

function started(find: () => Promise<ReturnType<typeof configuration>>) {
  const host = createMcpHost({
    memory: noMemory,
    ...common,
    servers: async () => ({
      servers: [{ name: "bad", version: "1", leftOut: null, start: find }],
      notices: [],
      remarks: [],
    }),
  });
  onTestFinished(() => host.close());
  return host;
}
