/** Values that are nested deeper than any stack holds, from a server or a model: no text of them is lost, nothing throws. */
import { expect, it } from "vitest";
import { pathFrame, policyOf } from "../../src/app/tools/policy.ts";
import { buildMessages } from "../../src/conversation/request/build-messages.ts";
import { toAnthropicRequest } from "../../src/library/wire-requests.ts";
import { outputOfResult } from "../../src/mcp/client/call-results.ts";
import { parseTranscript } from "../../src/transcript/parse.ts";

const depth = 200_000;
const list = `${"[".repeat(depth)}1${"]".repeat(depth)}`;
const table = `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

it("a result of a server keeps its text", () => {
  const text = (result: unknown) => outputOfResult(result).text;
  expect(text({ content: [{ type: "odd", a: JSON.parse(list) }] })).toContain(list);
  expect(text({ content: [], structuredContent: JSON.parse(table) })).toBe(table);
  // The text beside it says the same.
  const both = { content: [{ type: "text", text: table }], structuredContent: JSON.parse(table) };
  expect(text(both)).toBe(table);
  expect(text(JSON.parse(list))).toBe(list);
});

it("a rule on an argument is asked all the same", () => {
  const tool = { name: "t", description: "", inputSchema: {}, server: "s" };
  const policy = policyOf(
    {
      autoApprove: "none",
      allow: [{ tool: "*", arguments: { a: "1" } }],
      ask: [],
      deny: [{ tool: "*", arguments: { b: "x" } }],
    },
    pathFrame("/tmp"),
  );
  const answer = (json: string) =>
    policy(tool, { id: "1", name: "t", arguments: json }, null).answer;
  expect(answer(`{"a":${list}}`)).toBe("allow");
  expect(answer(`{"a":${table}}`)).toBe("ask");
  expect(answer(`{"a":"1","b":[${list},["x"]]}`)).toBe("deny");
});

it("a call in a chat goes to every model, as text", () => {
  const call = { id: "c", type: "function", function: { name: "t", arguments: table } };
  const transcript = parseTranscript(
    `💬: a\n\n🤖:[m]\n\n❓:[ya] \`${JSON.stringify(call)}\`\n\n🛠️: [t][c]\n\`x\`\n`,
  );
  const [exchange] = transcript.exchanges;
  if (exchange === undefined) throw new Error("There is no exchange.");
  const { messages } = buildMessages(transcript, {
    exchange,
    files: new Map(),
    maxFullExchanges: 2,
  });
  const [, answer] = messages;
  const part = answer?.role === "assistant" ? answer.content[0] : undefined;
  if (part?.type !== "tool-call") throw new Error("There is no call.");
  expect(JSON.parse(part.arguments)).toEqual({ raw: table });
});

it("a call of a program goes to a vendor that gets it as a value", () => {
  const message = {
    role: "assistant",
    content: [{ type: "tool-call", id: "c", name: "t", arguments: table }],
  } as const;
  const body = toAnthropicRequest({
    model: { provider: "anthropic", id: "claude-sonnet-4-5" },
    system: "",
    messages: [message],
    tools: [],
  });
  expect(JSON.stringify(body)).toContain(JSON.stringify({ raw: table }));
});
