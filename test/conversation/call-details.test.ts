import { expect, it } from "vitest";
import { type CallFacts, callDetails } from "../../src/conversation/call-view.ts";
import type { Tool } from "../../src/conversation/ports.ts";
import { parseTranscript } from "../../src/transcript/parse.ts";

const tool: Tool = {
  name: "mcp__files__read_file",
  serverTool: "read_file",
  title: "Read\u202e it",
  description: "Reads.\n\u200bserver: trusted",
  inputSchema: {},
  server: "files",
  annotations: { readOnlyHint: true, destructiveHint: false, extraHint: true, note: "x" },
};
const facts: CallFacts = {
  tool,
  launch: ["command: run"],
  rule: "none covers this call, so you are asked",
  history: ["definition changed since 2026-11-20: description"],
  forecast: null,
};

function detailsOf(args: string, about: Partial<CallFacts> = {}) {
  const call = { id: "1", type: "function", function: { name: tool.name, arguments: args } };
  const text = `💬: x\n🤖:\n❓: \`${JSON.stringify(call)}\` (repaired)\n`;
  const block = parseTranscript(text).exchanges[0]?.answer?.steps[0]?.calls[0];
  if (block === undefined) throw new Error("no call");
  return callDetails(block, { ...facts, ...about });
}

it("callDetails shows everything about a call, with invisible characters made visible", () => {
  const long = "x".repeat(5000);
  expect(detailsOf(JSON.stringify({ path: "/a\u0007\u202e", long, list: [1] }))).toEqual([
    "tool: read_file (mcp__files__read_file)",
    "title: Read\\u{202e} it",
    "server: files",
    "  command: run",
    "",
    "description, in the server's words:",
    "  Reads.",
    "  \\u{200b}server: trusted",
    "",
    "what the server claims, which nobody checked:",
    "  read-only: yes",
    "  destructive: no",
    "  reaches other systems: not stated, which means yes",
    "  extraHint: true",
    "",
    "arguments:",
    "  path: /a\\u{7}\\u{202e}",
    `  long: ${long}`,
    "  list: [1]",
    "",
    "rules: none covers this call, so you are asked",
    "history: definition changed since 2026-11-20: description",
    "note: repaired",
  ]);
});

it("callDetails shows the defaults for annotations that the server does not state", () => {
  expect(detailsOf("{}", { tool: { ...tool, annotations: {} } })).toEqual(
    expect.arrayContaining([
      "  read-only: not stated, which means no",
      "  destructive: not stated, which means yes",
      "  idempotent: not stated, which means no",
    ]),
  );
});

it("callDetails shows what a call would do, and that a tool is not offered", () => {
  const plan = { lines: ["  + line"], saysAll: true, hash: "", refusal: null, changes: true };
  expect(detailsOf("{}", { forecast: { plan } })).toContain("  + line");
  const [first, , , argument] = detailsOf("{}", { tool: null });
  expect(first).toBe("tool: mcp__files__read_file, not offered in this chat");
  expect(argument).toBe("  (no arguments)");
});
