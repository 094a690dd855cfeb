import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { ToolHost } from "../../src/conversation/ports.ts";
import type { ServerConfiguration } from "../../src/mcp/configured/launch-configuration.ts";
import { createMcpHost, type MockOptions } from "../../src/mcp/mcp-host.ts";
import { assignWireNames } from "../../src/mcp/names.ts";
import { type BuiltServer, buildMockServer } from "../support/build-mock.ts";
import { badServer, configuration, noFeatures, noMemory } from "../support/mcp-server.ts";
import { processesWith } from "../support/processes.ts";

let mock: BuiltServer;
beforeAll(async () => {
  mock = await buildMockServer();
});
afterAll(() => mock.remove());

function host(
  configured: Readonly<Record<string, ServerConfiguration>> = {},
  enabled: MockOptions["enabled"] = "mock-models-only",
): ToolHost {
  const { command, args } = mock;
  const servers = Object.entries(configured).map(([name, start]) => ({
    name,
    version: "1",
    start,
    leftOut: null,
  }));
  const made = createMcpHost({
    memory: noMemory,
    servers: async () => ({ servers, notices: [], remarks: [] }),
    mock: { enabled, command, args },
    timeoutMs: 15_000,
    version: "0",
    log: () => {},
    features: noFeatures,
  });
  onTestFinished(() => made.close());
  return made;
}

function wireName(server: string, tool: string): string {
  return [...assignWireNames([{ server, tool }]).keys()].join();
}

async function offered(tools: ToolHost, selection: string | null, model: string) {
  return (await tools.list(selection, model)).tools.map((tool) => tool.name);
}

function run(tools: ToolHost, name: string, args: string) {
  const signal = new AbortController().signal;
  return tools.run({ id: "call_1", name, arguments: args }, { signal, progress: () => {} });
}

describe("the built-in mock server", () => {
  it("answers a web search with canned results that say so", async () => {
    const tools = host();
    const [tool] = (await tools.list(null, "mock/demo")).tools;
    expect(tool).toMatchObject({ name: "web_search", server: "mock" });
    expect(tool?.inputSchema).toMatchObject({ type: "object", required: ["query"] });
    const google = await run(tools, "web_search", '{"query":"google stock price"}');
    expect(google.status).toBe("ok");
    expect(JSON.parse(google.text)).toEqual({
      matches: [{ title: "GOOGL", snippet: "$911 as of today" }],
      note: expect.stringContaining("Canned"),
    });
    const microsoft = await run(tools, "web_search", '{"query":"MSFT stock"}');
    expect(JSON.parse(microsoft.text).matches).toEqual([
      { title: "MSFT", snippet: "$544 as of today" },
    ]);
  });

  it("refuses wrong arguments with an error", async () => {
    const tools = host();
    await tools.list(null, "mock/demo");
    const output = await run(tools, "web_search", '{"question":"?"}');
    expect(output.status).toBe("error");
    expect(output.text).toContain("query");
  });

  const cases: readonly [MockOptions["enabled"], string | null, string, boolean][] = [
    ["mock-models-only", null, "mock/demo", true],
    ["mock-models-only", null, "openai/gpt-5", false],
    ["mock-models-only", "mock", "openai/gpt-5", true],
    ["mock-models-only", "mock.web_search", "openai/gpt-5", true],
    ["mock-models-only", "web_search", "openai/gpt-5", true],
    ["mock-models-only", "*", "openai/gpt-5", false],
    ["mock-models-only", "-other", "openai/gpt-5", false],
    ["mock-models-only", "none", "mock/demo", false],
    ["mock-models-only", "-mock", "mock/demo", false],
    ["mock-models-only", "other", "mock/demo", false],
    [true, null, "openai/gpt-5", true],
    [true, "none", "openai/gpt-5", false],
    [false, null, "mock/demo", false],
    [false, "mock", "mock/demo", false],
  ];
  for (const [enabled, selection, model, isOffered] of cases) {
    it(`${isOffered ? "is" : "is not"} offered to ${model} with ${enabled}, tools: ${selection}`, async () => {
      expect(await offered(host({}, enabled), selection, model)).toEqual(
        isOffered ? ["web_search"] : [],
      );
    });
  }

  it("keeps its name from a configured server", async () => {
    const { tools, notices } = await host({ mock: configuration("good") }).list(null, "mock/demo");
    expect(tools.map((tool) => tool.name)).toEqual(["web_search"]);
    expect(notices).toEqual([
      "The configured MCP server mock is left out: the name is that of the built-in mock server. Give yours another name.",
    ]);
  });
});

describe("configured servers", () => {
  it("have their tools under names that every provider takes, and get the calls", async () => {
    const tools = host({ "my server": configuration("good"), other: configuration("good") });
    expect(await offered(tools, null, "openai/gpt-5")).toEqual([
      wireName("my server", "echo"),
      wireName("my server", "a.b/c d"),
      "mcp__other__echo",
      wireName("other", "a.b/c d"),
    ]);
    expect((await run(tools, wireName("other", "a.b/c d"), "{}")).text).toBe("odd name");
    expect((await run(tools, wireName("my server", "echo"), '{"text":"x"}')).text).toBe("x");
  });

  it("are chosen by the selection, by the server's own names too", async () => {
    const tools = host({ one: configuration("good"), two: configuration("good") });
    expect(await offered(tools, "one.ec*", "openai/gpt-5")).toEqual(["mcp__one__echo"]);
    expect(await offered(tools, "-one", "openai/gpt-5")).toEqual([
      "mcp__two__echo",
      wireName("two", "a.b/c d"),
    ]);
  });

  it("are not started when nothing of them can be wanted", async () => {
    const marker = `unwanted-${process.pid}`;
    const unwanted = configuration("good", { args: [badServer, "good", marker] });
    const tools = host({ one: configuration("good"), unwanted });
    for (const selection of ["one", "one.e*", "none", "one,-unwanted", "mock"]) {
      await tools.list(selection, "openai/gpt-5");
      expect(processesWith(marker)).toEqual([]);
    }
    await tools.list("mcp__unw*", "openai/gpt-5");
    expect(processesWith(marker).length).toBe(1);
  });

  it("cost nobody else anything when they are broken", async () => {
    const tools = host({ broken: configuration("exit"), good: configuration("good") });
    const { tools: listed, notices } = await tools.list(null, "mock/demo");
    expect(listed.map((tool) => tool.name)).toEqual([
      "web_search",
      "mcp__good__echo",
      wireName("good", "a.b/c d"),
    ]);
    expect(notices).toEqual([
      "MCP server broken: It could not be used. It ended with exit code 3. It gets PATH, HOME and the like, and no keys: name what it needs in env or envPass. Its last lines on stderr:\nno license found",
    ]);
  });
});

describe("a call", () => {
  it("of a name that was never listed is an error", async () => {
    expect(await run(host(), "web_search", "{}")).toEqual({
      status: "error",
      text: expect.stringContaining('There is no tool "web_search"'),
      media: [],
    });
  });

  it("with arguments that are no object is an error", async () => {
    const tools = host();
    await tools.list(null, "mock/demo");
    expect((await run(tools, "web_search", "[1]")).status).toBe("error");
  });
});
