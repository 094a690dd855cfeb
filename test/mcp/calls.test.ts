import { describe, expect, it } from "vitest";
import { call, configuration, start } from "../support/mcp-server.ts";

describe("a call", () => {
  it("gets the arguments and gives the text", async () => {
    const { server } = start("good");
    const output = await call(server, "echo", { text: "💬: no turn\n🛠️: [x][y]" });
    expect(output).toEqual({ status: "ok", text: "💬: no turn\n🛠️: [x][y]", media: [] });
  });

  it("gives the text of a failure as an error", async () => {
    const { server } = start("good");
    expect(await call(server, "failing")).toEqual({
      status: "error",
      text: "the disk is full",
      media: [],
    });
  });

  it("gives a refusal of the server as an error", async () => {
    const { server } = start("good");
    const output = await call(server, "throw");
    expect(output.status).toBe("error");
    expect(output.text).toBe("The server did not accept the call: no such city");
  });

  it("do not call a failure in the middle of one a refusal", async () => {
    const { server } = start("good");
    const said = `${"E1123 memcache.go ".repeat(200)}connection refused`;
    const error = { code: -32603, message: `MCP error -32603: ${said}` };
    const line = JSON.stringify({ jsonrpc: "2.0", id: 0, error }).replace('"id":0', '"id":ID');
    expect((await call(server, "raw", { line })).text).toBe(
      `The server failed in the call: ${said}`,
    );
  });

  it("keeps the text beside structured content that nobody announced", async () => {
    const { server } = start("good");
    expect((await call(server, "structured")).text).toBe('two cities\n{"cities":["Bern","Oslo"]}');
  });

  it.each([
    ['{"jsonrpc":"2.0","id":ID,"result":"two cities"}', "ok", "two cities"],
    ['{"jsonrpc":"2.0","id":ID,"result":["Bern"]}', "ok", '["Bern"]'],
    ['{"jsonrpc":"2.0","id":ID,"result":null}', "ok", "(empty result)"],
    ['{"jsonrpc":"2.0","id":ID,"result":{"content":"a","_meta":null}}', "ok", "a"],
    ['{"id":ID,"result":{"content":[{"type":"text","text":"a"}]}}', "ok", "a"],
    ['{"jsonrpc":"2.0","id":ID,"error":"no such city"}', "error", "no such city"],
    ['{"jsonrpc":"2.0","id":ID,"error":{"message":"no such city"}}', "error", "no such city"],
  ])("takes an answer that is not as the protocol wants it: %s", async (line, status, text) => {
    const { server, logged } = start("good");
    const output = await call(server, "raw", { line });
    expect(output.status).toBe(status);
    expect(output.text).toContain(text);
    expect(logged.join()).toContain("Not a JSON-RPC message");
  });

  it("takes an answer that is one of a list", async () => {
    const { server } = start("good");
    const line = '[{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"a"}]}}]';
    expect((await call(server, "raw", { line })).text).toBe("a");
  });

  it("runs beside others", async () => {
    const { server } = start("good");
    const words = Array.from({ length: 20 }, (_, index) => `word ${index}`);
    const outputs = await Promise.all(words.map((text) => call(server, "echo", { text })));
    expect(outputs.map((output) => output.text)).toEqual(words);
  });

  it("reports progress as one line", async () => {
    const { server } = start("good");
    const stop = new AbortController();
    const report = await new Promise<string>((resolve) => {
      void server.call("progress", {}, { signal: stop.signal, progress: resolve });
    });
    expect(report).toBe("1/2 half way");
    stop.abort();
  });

  it("brings 5 and 11 MB whole", async () => {
    const { server } = start("good");
    expect((await call(server, "big")).text.length).toBe(5 * 1024 * 1024);
    expect((await call(server, "huge")).text.length).toBe(11 * 1024 * 1024);
  });

  it("ends a server that sends more than can be held, and says so", async () => {
    const { server } = start("good");
    const output = await call(server, "enormous");
    expect(output.status).toBe("error");
    expect(output.text).toContain("It sent a message over 64 MB and was stopped.");
    expect((await call(server, "echo", { text: "again" })).text).toBe("again");
  });

  it("survives a flood on stderr", async () => {
    const { server } = start("good");
    expect((await call(server, "flood")).text).toBe("flooded");
  });

  it("is a timeout after its time, and tells the server", async () => {
    const { server } = start(configuration("good", { timeoutMs: 100 }));
    const output = await call(server, "hang");
    expect(output.status).toBe("timeout");
    expect(output.text).toContain("No result within 0.1 s");
    const crash = await call(server, "crash");
    expect(crash.text).toContain("told to cancel");
  });

  it("is a timeout when its answer broke off, and says what is known", async () => {
    const { server, logged } = start("good", { timeoutMs: 300 });
    const output = await call(server, "truncate");
    expect(output.status).toBe("timeout");
    expect(logged.join("\n")).toContain("Not a JSON-RPC message");
    expect((await call(server, "echo", { text: "still there" })).text).toBe("still there");
  });

  it("without any content is an empty result, not an error", async () => {
    const { server } = start("good");
    expect(await call(server, "empty")).toMatchObject({ status: "ok", text: "(empty result)" });
  });

  it("takes longer than its time while it reports progress", async () => {
    const { server } = start(configuration("good", { timeoutMs: 400 }));
    expect((await call(server, "slow")).text).toBe("finished slowly");
  });

  it("is cancelled by a stop", async () => {
    const { server } = start("good");
    await server.tools(15_000);
    const stop = new AbortController();
    const output = call(server, "hang", {}, stop.signal);
    stop.abort();
    expect((await output).status).toBe("cancelled");
  });

  it("is cancelled by a stop while its server starts", async () => {
    const { server } = start("silent");
    const stop = new AbortController();
    const output = call(server, "echo", {}, stop.signal);
    stop.abort();
    expect(await output).toEqual({
      status: "cancelled",
      text: "Stopped before it was run.",
      media: [],
    });
  });

  it("keeps a result written just before the server ended", async () => {
    const { server } = start("good");
    expect((await call(server, "last_words")).text).toBe("written just before the end");
  });
});
