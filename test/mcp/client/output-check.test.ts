/** What tools declare of their results, and what they give. */
import { describe, expect, it, vi } from "vitest";
import { createClientFeatures } from "../../../src/mcp/asking/client-features.ts";
import { call, noFeatures, start } from "../../support/mcp-server.ts";

async function open() {
  const notify = vi.fn();
  const features = createClientFeatures({ ...noFeatures, notify });
  const { server, logged } = start("declaring", { features });
  await server.tools(15_000);
  return { server, logged, told: () => notify.mock.calls.map(([, sentence]) => sentence) };
}

describe("a result beside a declared schema", () => {
  it("that fits it is nothing to talk about, and neither is an error", async () => {
    const { server, told } = await open();
    expect((await call(server, "structured")).status).toBe("ok");
    expect((await call(server, "failing")).status).toBe("error");
    expect(told()).toEqual([]);
  });

  it("that does not fit it is kept, reported once, and logged again", async () => {
    const { server, told, logged } = await open();
    const kept = { status: "ok", text: 'no cities\n{"cities":"none"}', media: [] };
    expect(await call(server, "misfit")).toEqual(kept);
    expect(await call(server, "misfit")).toEqual(kept);
    const sentence =
      'its tool misfit gave a result that does not fit the schema it declares: `cities` must be array, but it is "none". It was kept as it is.';
    expect(told()).toEqual([`MCP server bad: ${sentence}`]);
    expect(logged).toEqual([`MCP server bad: ${sentence}`]);
  });

  it("that has no structured content is kept", async () => {
    const { server, told } = await open();
    expect((await call(server, "echo", { text: "hi" })).text).toBe("hi");
    expect(told()).toEqual([
      "MCP server bad: its tool echo declares structured content and gave none. Its result was kept as it is.",
    ]);
  });

  it("is kept where the schema is broken", async () => {
    const { server, told } = await open();
    expect((await call(server, "undeclared")).text).toBe('some\n{"any":"thing"}');
    expect(told()).toEqual([
      expect.stringMatching(
        /its tool undeclared declares a schema .* cannot be used, .*#\/nowhere/,
      ),
    ]);
  });
});
