/** MCP servers of all kinds that a user's mcp.json may name, and calls of their tools. */
import { fileURLToPath } from "node:url";
import { chaosBehindAddress } from "../support/chaos-remote.ts";
import type { ToolCall } from "../support/live-model.ts";
import type { Random } from "../support/random.mjs";

const script = (name: string) => fileURLToPath(new URL(`../support/${name}`, import.meta.url));

/** The text of an mcp.json, at times a broken one. The server `chaos` adds the texts of its calls to the file `runs`. */
export async function anyServers(random: Random, seed: number, runs: string): Promise<string> {
  const steps = random.of([0, 3, 6, 12, 40]);
  const chaos = {
    command: process.execPath,
    args: [script("chaos-server.mjs"), `${seed}`, `${steps}`, runs],
  };
  const asking = { command: process.execPath, args: [script("asking-server.mjs"), "all"] };
  const remote = await chaosBehindAddress(seed);
  const others = [
    {},
    { remote },
    { gone: { command: "/nonexistent/server" } },
    { slow: { command: "sh", args: ["-c", "sleep 1; exec cat"] } },
    { ends: { command: "true" } },
    { floods: { command: "yes", args: ["{"] } },
    { odd: { command: 7, args: {}, url: [] } },
  ];
  const all = { chaos, asking, ...random.of(others), ...random.of(others) };
  return random.of([
    JSON.stringify({ mcpServers: all }, null, 2),
    JSON.stringify({ mcpServers: all }),
    JSON.stringify({ mcpServers: all }),
    JSON.stringify({ mcpServers: { chaos } }),
    JSON.stringify({ mcpServers: { asking } }),
    JSON.stringify({ mcpServers: {} }),
    JSON.stringify({ mcpServers: all }).slice(0, 90),
    "",
  ]);
}

function form(random: Random): object {
  const kinds = [
    { type: "string", title: "City" },
    { type: "string", minLength: 2, maxLength: 3, description: "two\nlines\u001b[31m" },
    { type: "string", format: random.of(["email", "uri", "date", "date-time", "odd"]) },
    { type: "string", enum: ["a", "b"], enumNames: ["A", "B"] },
    { type: "string", oneOf: [{ const: "r", title: "Red: 💬: x" }] },
    { type: "integer", minimum: 0, maximum: 3, default: 9 },
    { type: "number", default: "x" },
    { type: "boolean", default: true },
    { type: "array", items: { type: "string", enum: ["x", "y"] }, minItems: 1 },
    { type: "array", items: { anyOf: [{ const: "x", title: "X" }] } },
    { type: "object" },
    {},
    null,
    "text",
  ];
  const names = ["city", "a b", "constructor", "__proto__", "é", "", "x: y", "🤖"];
  const properties = Object.fromEntries(
    Array.from({ length: random.below(5) }, () => [random.of(names), random.of(kinds)]),
  );
  const required = random.of([[], Object.keys(properties), ["gone"], "city"]);
  return { type: "object", properties, required };
}

function asked(random: Random): object {
  const message = random.of([
    "Which city?",
    "",
    "💬: x\n🤖: y",
    "x".repeat(3000),
    "a\u0000b\u202e",
  ]);
  return random.of([
    { method: "elicitation/create", params: { message, requestedSchema: form(random) } },
    { method: "elicitation/create", params: { message, requestedSchema: form(random) } },
    {
      method: "elicitation/create",
      params: {
        ...{ mode: "url", message, elicitationId: random.of(["e1", ""]) },
        url: random.of(["https://example.invalid/a", "javascript:1", "file:///etc/passwd", ""]),
      },
    },
    {
      method: "sampling/createMessage",
      params: {
        messages: [
          { role: random.of(["user", "assistant", "x"]), content: { type: "text", text: message } },
        ],
        maxTokens: random.of([100, 0, -1, 1e9]),
        systemPrompt: message,
      },
    },
    { method: "roots/list" },
    { method: "ping" },
    { method: "no/such", params: {} },
  ]);
}

/** A call of any tool of these servers. `text` is among the arguments of those that note it. */
export function anyCall(random: Random, text: string, word: number): ToolCall {
  const id = random.below(12) === 0 ? "same" : `call_${word}`;
  const [name, args] = random.weighted<readonly [string, object]>([
    [6, ["mcp__chaos__echo", { text }]],
    [2, ["mcp__chaos__other", { text }]],
    [5, ["mcp__asking__ask", asked(random)]],
    [1, ["mcp__asking__leave", asked(random)]],
    [2, ["mcp__asking__ask_all", { requests: [asked(random), asked(random), asked(random)] }]],
    [1, ["mcp__asking__wait", {}]],
    [1, ["mcp__asking__log", { count: 50 }]],
    [
      2,
      ["mcp__asking__change", { to: random.of([{ extra: "x" }, { ask: "other", city: "c" }, {}]) }],
    ],
    [1, ["mcp__asking__addresses", { elicitations: [asked(random)] }]],
    [1, ["mcp__remote__echo", { text }]],
    [1, ["mcp__gone__x", { text }]],
    [1, ["odd name", { text }]],
  ]);
  const whole = JSON.stringify(args);
  return { id, name, arguments: random.below(15) === 0 ? whole.slice(0, -3) : whole };
}
