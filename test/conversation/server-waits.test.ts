/** What is shown at a call whose server is not available. */
import { expect, test } from "vitest";
import type { Tool, UnlistedServer } from "../../src/conversation/ports.ts";
import { absentServerText, unusableText, waitOf } from "../../src/conversation/server-waits.ts";

const unlisted = (state: UnlistedServer["state"], why = ""): readonly UnlistedServer[] => [
  { server: "git", toolsBegin: "mcp__git__", state, why },
];
const tool: Tool = { name: "mcp__git__log", description: "", inputSchema: {}, server: "git" };

test.each([
  ["off", { text: "server git, not started here yet", isPending: true }],
  ["starting", { text: "server git, not started here yet", isPending: true }],
  ["unasked", { text: "server git waits for your approval", isPending: true }],
  ["unusable", { text: "server git cannot be used now", isPending: false }],
] as const)("waitOf describes a server that is %s", (state, wait) => {
  expect(waitOf("mcp__git__log", null, unlisted(state), [])).toEqual(wait);
  expect(waitOf("mcp__gitlab__log", null, unlisted(state), [])).toBeNull();
});

test("waitOf shows the seconds of a start, and a call whose tool is known is not pending", () => {
  const starting = [{ name: "git", seconds: 6 }];
  const text = "starting, 6 s";
  expect(waitOf(tool.name, null, unlisted("starting"), starting)).toEqual({
    text,
    isPending: true,
  });
  expect(waitOf(tool.name, tool, [], starting)).toEqual({ text, isPending: false });
  expect(waitOf("web_search", { ...tool, server: null }, [], starting)).toBeNull();
});

test("unusableText explains in one line, without control characters, why a call cannot be approved", () => {
  const why = "It ended: \u001b[31mno license\nat line 3";
  const text = unusableText(tool.name, unlisted("unusable", why));
  expect(text).toMatch(/^MCP server git cannot be used now, so nothing was decided\. It ended: /);
  expect(text).not.toMatch(/\p{Cc}|line 3/u);
  expect(unusableText("web_search", unlisted("unusable"))).toBeNull();
});

test.each([
  ["off", "", "It was not started yet."],
  ["starting", "", "It is still starting; its tools are offered as soon as it is ready."],
  ["unasked", "", "The user has not approved its start yet."],
  ["unusable", "It ended: \u001b[31mno license\nat line 3", "It ended: \\u{1b}[31mno license"],
] as const)("absentServerText explains to the model that a server is %s", (state, why, told) => {
  expect(absentServerText(tool.name, unlisted(state, why))).toBe(
    `MCP server git, which has this tool, cannot be used now, so the tool was not run. ${told}`,
  );
  expect(absentServerText("web_search", unlisted(state, why))).toBeNull();
});
