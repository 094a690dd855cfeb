/** What stands at a call whose server is not there. */
import { expect, test } from "vitest";
import type { Tool, UnlistedServer } from "../../src/conversation/ports.ts";
import { unusableText, waitOf } from "../../src/conversation/server-waits.ts";

const unlisted = (state: UnlistedServer["state"], why = ""): readonly UnlistedServer[] => [
  { server: "git", toolsBegin: "mcp__git__", state, why },
];
const tool: Tool = { name: "mcp__git__log", description: "", inputSchema: {}, server: "git" };

test.each([
  ["off", { text: "server git, not started here yet", isPending: true }],
  ["starting", { text: "server git, not started here yet", isPending: true }],
  ["unasked", { text: "server git waits for your yes", isPending: true }],
  ["unusable", { text: "server git cannot be used now", isPending: false }],
] as const)("a server that is %s is said", (state, wait) => {
  expect(waitOf("mcp__git__log", null, unlisted(state), [])).toEqual(wait);
  expect(waitOf("mcp__gitlab__log", null, unlisted(state), [])).toBeNull();
});

test("the seconds of a start are said, and a call that is shown with its tool is not pending", () => {
  const starting = [{ name: "git", seconds: 6 }];
  const text = "starting, 6 s";
  expect(waitOf(tool.name, null, unlisted("starting"), starting)).toEqual({
    text,
    isPending: true,
  });
  expect(waitOf(tool.name, tool, [], starting)).toEqual({ text, isPending: false });
  expect(waitOf("web_search", { ...tool, server: null }, [], starting)).toBeNull();
});

test("why a yes cannot be taken is one line without control characters", () => {
  const why = "It ended: \u001b[31mno license\nat line 3";
  const text = unusableText(tool.name, unlisted("unusable", why));
  expect(text).toMatch(/^MCP server git cannot be used now, so nothing was decided\. It ended: /);
  expect(text).not.toMatch(/\p{Cc}|line 3/u);
  expect(unusableText("web_search", unlisted("unusable"))).toBeNull();
});
