/** Resources and prompts of real servers, and of one that gets them wrong. */
import { describe, expect, it, onTestFinished } from "vitest";
import { createMcpHost } from "../../../src/mcp/mcp-host.ts";
import type { FoundServer } from "../../../src/mcp/registry.ts";
import { noFeatures, noMemory } from "../../support/mcp-server.ts";
import { everythingServer, memoryServer } from "../../support/real-servers.ts";

const offersServer = new URL("../../support/offers-server.mjs", import.meta.url).pathname;
const { signal } = new AbortController();

function host(servers: Readonly<Record<string, string>>, leftOut: string | null = null) {
  const found = Object.entries(servers).map(
    ([name, script]): FoundServer => ({
      name,
      version: "1",
      leftOut,
      transport: "stdio",
      start: { command: process.execPath, args: [script] },
    }),
  );
  const mcp = createMcpHost({
    memory: noMemory,
    servers: async () => ({ servers: found, notices: [], remarks: [] }),
    mock: { enabled: false, command: process.execPath, args: [] },
    timeoutMs: 15_000,
    version: "0",
    log: () => {},
    features: noFeatures,
  });
  onTestFinished(() => mcp.close());
  return mcp;
}

describe("a server with resources and prompts", () => {
  it("lists, reads, fills in and proposes", async () => {
    const { catalogs, ...mcp } = host({ all: everythingServer, memory: memoryServer });
    const { resources, templates } = await catalogs.resources("all", signal);
    expect(resources.length).toBeGreaterThan(3);
    expect(templates.map(({ uriTemplate }) => uriTemplate)).toContain(
      "demo://resource/dynamic/text/{resourceId}",
    );
    const text = await catalogs.read("all", "demo://resource/dynamic/text/1", signal);
    expect(text).toMatchObject(
      [{ uri: "demo://resource/dynamic/text/1", text: /.+/ }].map(() => ({
        uri: "demo://resource/dynamic/text/1",
        text: expect.stringContaining("Resource 1"),
      })),
    );
    expect(await catalogs.read("all", "demo://resource/dynamic/blob/1", signal)).toMatchObject([
      { mime: "text/plain", data: expect.stringMatching(/^[A-Za-z0-9+/=]+$/) },
    ]);

    const { prompts, notices } = await catalogs.prompts(null, signal);
    expect(notices).toEqual([]);
    const prompt = prompts.find(({ name }) => name === "completable-prompt");
    if (prompt === undefined) throw new Error("the server has no such prompt");
    expect(prompt.server).toBe("all");
    const [first, second] = prompt.arguments.map(({ name }) => name);
    const departments = await catalogs.complete(prompt, first ?? "", {}, signal);
    expect(departments).toContain("Engineering");
    const given = { [first ?? ""]: "Engineering" };
    const people = await catalogs.complete(prompt, second ?? "", given, signal);
    expect(people.length).toBeGreaterThan(0);
    const messages = await catalogs.prompt(prompt, { ...given, [second ?? ""]: "Ann" }, signal);
    expect(messages).toEqual([
      { role: "user", content: { type: "text", text: expect.stringContaining("Ann") } },
    ]);

    const { servers } = await mcp.status();
    const [all, memory] = servers;
    expect(all).toMatchObject({
      transport: "stdio",
      catalog: { resources: resources.length + templates.length, prompts: prompts.length },
    });
    expect(memory).toMatchObject({ catalog: { resources: null, prompts: 0 } });
    await expect(catalogs.read("memory", "x:y", signal)).rejects.toThrow(
      "It answered: Resource x:y not found",
    );
  });

  it("fails with a sentence for what is not there or not used", async () => {
    const { catalogs } = host({ all: everythingServer });
    await expect(catalogs.read("all", "nowhere://x", signal)).rejects.toThrow(/not found/);
    await expect(catalogs.read("none", "x:y", signal)).rejects.toThrow('no MCP server "none"');
    const untrusted = host({ all: everythingServer }, "Nobody said yes.").catalogs;
    await expect(untrusted.read("all", "x:y", signal)).rejects.toThrow("Nobody said yes.");
    expect(await untrusted.prompts(null, signal)).toEqual({
      prompts: [],
      notices: [],
    });
    expect(await untrusted.prompts("all", signal)).toEqual({
      prompts: [],
      notices: ["MCP server all: Nobody said yes."],
    });
  });

  it("costs only what is wrong in its lists, and is asked again when it says that they changed", async () => {
    const { catalogs, ...mcp } = host({ odd: offersServer });
    const list = await catalogs.resources("odd", signal);
    expect(list.resources.map(({ uri }) => uri)).toEqual([
      "note://one",
      "note://two words",
      "note://three",
    ]);
    expect(list.templates).toEqual([{ uriTemplate: "note://{name}", name: "", description: "" }]);
    const { prompts } = await catalogs.prompts("odd", signal);
    expect(prompts.map(({ name }) => name)).toEqual(["greet", "forge"]);
    const { tools } = await mcp.list(null, "mock/demo");
    const call = { id: "1", name: tools[0]?.name ?? "", arguments: "{}" };
    expect(await mcp.run(call, { signal, progress: () => {} })).toMatchObject({ status: "ok" });
    const now = await catalogs.resources("odd", signal);
    expect(now.resources.map(({ uri }) => uri)).toContain("note://new");
  });
});

describe("a result of a server", () => {
  const run = async (tool: string) => {
    const mcp = host({ odd: offersServer });
    const { tools } = await mcp.list(null, "mock/demo");
    const name = tools.find(({ serverTool }) => serverTool === tool)?.name ?? "";
    return mcp.run({ id: "1", name, arguments: "{}" }, { signal, progress: () => {} });
  };

  it.each([
    ["mismatched", 'kept words\n{"n":"seven"}'],
    ["broken_schema", 'kept words\n{"n":7}'],
    ["unstructured", "kept words"],
  ])("keeps its text when its structure is %s", async (tool, text) => {
    expect(await run(tool)).toEqual({ status: "ok", text, media: [] });
  });

  it("has everything that is in it", async () => {
    const output = await run("everything");
    expect(output.text).toBe(
      "some words\n[image: image/png, 70 bytes]\n[audio: audio/wav, 4 bytes]\n[note://inside]\ntext inside\n" +
        "[note://b: application/pdf, 3 bytes]\n[link: one, note://one]",
    );
    expect(output.media.map(({ mime }) => mime)).toEqual([
      "image/png",
      "audio/wav",
      "application/pdf",
    ]);
    expect(output.personal).toEqual({ text: "a word for the user", media: [] });
  });
});
