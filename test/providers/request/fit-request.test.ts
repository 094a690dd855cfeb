import { describe, expect, test } from "vitest";
import type { ModelRequest, Tool } from "../../../src/conversation/ports.ts";
import { fitRequest, refusal } from "../../../src/providers/request/fit-request.ts";
import { findVendor, vendors } from "../../../src/providers/vendors/vendors.ts";
import { requestTo, user, webSearch } from "../parts.ts";
import { result, turn } from "../turn.ts";

function fitted(provider: string, id: string, fields: Partial<ModelRequest>) {
  const request = { ...requestTo(provider, id, [user("hi")]), ...fields };
  const fitted = fitRequest(request, vendors.get(provider)!);
  expect(fitRequest(fitted.request, vendors.get(provider)!).request).toEqual(fitted.request);
  return fitted;
}

const tool = (name: string, description = ""): Tool => ({ ...webSearch, name, description });

describe("temperature and top_p", () => {
  const sampling = { sampling: { temperature: 0.2, top_p: 0.9 } };

  test.each([
    ["anthropic", "claude-sonnet-5-5"],
    ["anthropic", "claude-3-5-haiku-latest"],
    ["openai", "gpt-5.5"],
    ["openai", "o4-mini"],
  ])("are not sent to %s/%s, which is said", (provider, id) => {
    const { request, notices } = fitted(provider, id, sampling);
    expect(request).not.toHaveProperty("sampling");
    expect(notices).toHaveLength(2);
    expect(notices[0]).toContain(`${id} does not accept temperature`);
  });

  test.each([
    ["openai", "gpt-4.1"],
    ["openai", "gpt-5-chat-latest"],
    ["mistral", "mistral-large-latest"],
    ["ollama", "llama3.1:8b"],
  ])("are sent to %s/%s", (provider, id) => {
    expect(fitted(provider, id, sampling)).toMatchObject({ request: sampling, notices: [] });
  });
});

describe("a tool choice", () => {
  test("that the vendor has no word for is left out and said, auto silently", () => {
    for (const toolChoice of ["required", { tool: "web_search" }] as const) {
      const { request, notices } = fitted("cerebras", "gpt-oss-120b", { toolChoice });
      expect(request).not.toHaveProperty("toolChoice");
      expect(notices).toEqual([expect.stringContaining("Cerebras does not support tool_choice")]);
    }
    const { request, notices } = fitted("ollama", "qwen3:8b", { toolChoice: "auto" });
    expect(request).not.toHaveProperty("toolChoice");
    expect(notices).toEqual([]);
  });

  test("of none leaves the tools out if the API has no word for it", () => {
    const { request, notices } = fitted("ollama", "qwen3:8b", { toolChoice: "none" });
    expect(request).toMatchObject({ tools: [] });
    expect(request).not.toHaveProperty("toolChoice");
    expect(notices).toEqual([]);
  });

  test("of a tool that is not offered is left out and said", () => {
    const { request, notices } = fitted("openai", "gpt-5", { toolChoice: { tool: "other" } });
    expect(request).not.toHaveProperty("toolChoice");
    expect(notices).toEqual([expect.stringContaining("No tool “other”")]);
  });
});

test("reports that one call at a time is not sent if it cannot be asked for", () => {
  const { request, notices } = fitted("google", "gemini-3.8-flash", { parallelToolCalls: false });
  expect(request).not.toHaveProperty("parallelToolCalls");
  expect(notices).toEqual([expect.stringContaining("turning parallel calls off")]);
  expect(fitted("google", "gemini-3.8-flash", { parallelToolCalls: true }).notices).toEqual([]);
  expect(fitted("xai", "grok-4.5", { parallelToolCalls: false }).notices).toEqual([]);
});

describe("tools", () => {
  test("with a name that the vendor refuses are left out and named", () => {
    const tools = [tool("3d_print"), tool("ok"), tool("two words")];
    const { request, notices } = fitted("google", "gemini-3.8-flash", { tools });
    expect(request.tools.map(({ name }) => name)).toEqual(["ok"]);
    expect(notices).toEqual([expect.stringContaining("3d_print, two words")]);
  });

  test("with a long description are named, and sent without its end", () => {
    const tools = [tool("long", "d".repeat(1025)), tool("short", "d".repeat(1024))];
    const { request, notices } = fitted("openai", "gpt-5", { tools });
    expect(request.tools).toEqual(tools);
    expect(notices).toEqual([expect.stringMatching(/1024 characters.*: long\.$/)]);
  });

  test("of more than the vendor takes are refused, with their names", () => {
    const tools = Array.from({ length: 130 }, (_, index) =>
      tool(`t${String(index).padStart(3, "0")}`),
    );
    const failure = refusal({ tools: [...tools].reverse() }, vendors.get("openai")!);
    expect(failure?.kind).toBe("invalid-request");
    expect(failure?.message).toContain("t128, t129 would be too many");
    expect(failure?.message).toContain("Choose fewer with tools: in the header; tool_search: 128");
    const of = (server: string, count: number) =>
      Array.from({ length: count }, (_, index) => ({ ...tool(`${server}${index}`), server }));
    const servers = [...of("small", 20), ...of("large", 90), ...of("middle", 40)];
    expect(refusal({ tools: servers }, vendors.get("openai")!)?.message).toContain(
      "In the header, tools: -large would leave 60; tool_search: 128",
    );
    expect(refusal({ tools: tools.slice(0, 128) }, vendors.get("openai")!)).toBeNull();
    expect(refusal({ tools }, vendors.get("anthropic")!)).toBeNull();
  });
});

describe("images", () => {
  const image = { type: "image" as const, mime: "image/png", data: "aGk=" };
  const shown = { ...result("call_1", ""), content: [image] };
  const messages = [
    { role: "user" as const, content: [image] },
    ...turn.slice(1, 2),
    { role: "tool" as const, results: [shown, result("call_2", "ok")] },
  ];

  test("become a remark for a model that sees none", () => {
    const { request, notices } = fitted("deepseek", "deepseek-v4-pro", { messages });
    expect(JSON.stringify(request)).not.toContain("aGk=");
    expect(JSON.stringify(request).match(/this model sees none/g)).toHaveLength(2);
    expect(notices).toEqual([expect.stringContaining("2 are replaced by a remark")]);
  });

  test("stay for one that does, also by configuration", () => {
    expect(fitted("openai", "gpt-5", { messages }).request.messages).toEqual(messages);
    const settings = { compat: { vision: "^deepseek-vl" } };
    const vendor = findVendor("deepseek", settings)!;
    const seeing = requestTo("deepseek", "deepseek-vl3", messages);
    expect(fitRequest(seeing, vendor).request.messages).toEqual(messages);
  });

  test("stay as far as all of them are no larger than any vendor takes, the newest first", () => {
    const large = (name: string) => ({ ...image, data: name.repeat(20_000_000) });
    const many = [
      { role: "user" as const, content: [large("a"), ...Array(3000).fill(large("b"))] },
      ...turn.slice(1, 2),
      { role: "tool" as const, results: [{ ...shown, content: [large("c")] }] },
      { role: "user" as const, content: [large("d")] },
    ];
    const { request, notices } = fitted("openai", "gpt-5", { messages: many });
    const [first, , tool, last] = request.messages;
    expect([tool, last]).toEqual(many.slice(2));
    const kept = first?.role === "user" ? first.content.map(({ type }) => type) : [];
    expect(kept.filter((type) => type === "image")).toHaveLength(1);
    expect(notices).toEqual([
      "The images of this request have more than 64.0 MB in all, so 3000 of them are left out, the oldest first.",
    ]);
  });
});
