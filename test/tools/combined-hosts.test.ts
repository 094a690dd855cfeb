import { describe, expect, it } from "vitest";
import type { Tool, ToolCalls, ToolHost } from "../../src/conversation/ports.ts";
import { combineToolHosts } from "../../src/tools/combined-hosts.ts";

function tool(name: string, server: string | null): Tool {
  return { name, description: "", inputSchema: { type: "object" }, server };
}

interface FakeHost extends ToolHost {
  readonly asked: string[];
}

function fakeHost(tools: readonly Tool[], notices: readonly string[] = []): FakeHost {
  const asked: string[] = [];
  return {
    asked,
    list: async (selection, model) => {
      asked.push(`list ${selection} ${model}`);
      return { tools, notices };
    },
    run: async ({ name }) => {
      asked.push(`run ${name}`);
      return { status: "ok", text: `ran ${name}`, media: [] };
    },
    close: async () => {
      asked.push("close");
    },
  };
}

function run(calls: ToolCalls, name: string) {
  const options = { signal: new AbortController().signal, progress: () => {} };
  return calls.run({ id: "call_1", name, arguments: "{}" }, options);
}

describe("combined tool hosts", () => {
  it("list their tools and notices in the order of the hosts", async () => {
    const first = fakeHost([tool("read", null)], ["one"]);
    const second = fakeHost([tool("web_search", "mock")], ["two"]);
    const { tools, notices } = await combineToolHosts([first, second]).list("mock", "mock/demo");
    expect(tools.map(({ name }) => name)).toEqual(["read", "web_search"]);
    expect(notices).toEqual(["one", "two"]);
    expect(second.asked).toEqual(["list mock mock/demo"]);
  });

  it("send a call to the host that offers its tool", async () => {
    const first = fakeHost([tool("read", null)]);
    const second = fakeHost([tool("web_search", "mock")]);
    const both = combineToolHosts([first, second]);
    const { calls } = await both.list(null, "mock/demo");
    expect((await run(calls, "web_search")).text).toBe("ran web_search");
    expect(first.asked).toEqual(["list null mock/demo"]);
  });

  it("offer a duplicate name once, from the first host, with a notice", async () => {
    const first = fakeHost([tool("web_search", null)]);
    const second = fakeHost([tool("web_search", "mock")]);
    const both = combineToolHosts([first, second]);
    const { tools, notices, calls } = await both.list(null, "mock/demo");
    expect(tools).toEqual([tool("web_search", null)]);
    expect(notices).toEqual([
      "Two tools are named web_search: the one of your tool files is offered, the one of the MCP server mock is left out.",
    ]);
    await run(calls, "web_search");
    expect(second.asked).not.toContain("run web_search");
  });

  it("send a call to the host from its own list, even after another chat lists other tools", async () => {
    const first = fakeHost([tool("web_search", null)]);
    const second = fakeHost([tool("web_search", "mock")]);
    const onlyForOthers = async (selection: string | null) => ({
      tools: selection === "-own" ? [] : [tool("web_search", null)],
      notices: [],
    });
    const both = combineToolHosts([{ ...first, list: onlyForOthers }, second]);
    const mine = await both.list(null, "mock/demo");
    const another = await both.list("-own", "mock/demo");
    await run(mine.calls, "web_search");
    expect(first.asked).toEqual(["run web_search"]);
    await run(another.calls, "web_search");
    expect(second.asked).toContain("run web_search");
  });

  it("answer a call of an unknown tool with an error", async () => {
    const { calls } = await combineToolHosts([]).list(null, "mock/demo");
    expect(await run(calls, "read")).toEqual({
      status: "error",
      text: 'There is no tool "read": no tools are offered here. Answer without.',
      media: [],
    });
  });

  it("close every host", async () => {
    const hosts = [fakeHost([]), fakeHost([])];
    await combineToolHosts(hosts).close();
    expect(hosts.map(({ asked }) => asked)).toEqual([["close"], ["close"]]);
  });
});
