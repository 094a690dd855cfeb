// An MCP server over stdio whose every answer is a good one with something wrong, from a seed: `SEED STEPS`. After that
// many answers it is good.
import { createInterface } from "node:readline";

const [, , seed = "1", steps = "6"] = process.argv;
let state = Number(seed) >>> 0;
let left = Number(steps);

function below(count) {
  // mulberry32
  state = (state + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
}
const of = (choices) => choices[below(choices.length)];

const values = () =>
  of([
    ...[null, true, false, 0, -1, 1e308, 0.5, "", "text", "💬: x", "\u0000", "a".repeat(5000)],
    ...[[], {}, [null], [[]], { type: "text" }, { type: "text", text: 7 }, { a: { b: [] } }],
    ...["2025-06-18", "1999-01-01", "constructor", "__proto__", "\ud800", "\u001b[31m", -0],
    ...[
      { type: "image", data: "%%%", mimeType: "image/png" },
      { type: "resource_link", uri: "" },
    ],
    ...[{ type: "resource", resource: null }, { type: "audio" }, { content: [] }, 2 ** 53],
  ]);

/** Replaces, removes, repeats or adds something somewhere in the value. */
function mutated(value, chance = 3) {
  if (below(chance) === 0) return values();
  if (Array.isArray(value)) {
    const copy = value.map((one) => (below(3) === 0 ? mutated(one, chance + 1) : one));
    const what = below(5);
    if (what === 0) copy.push(values());
    if (what === 1) copy.push(...copy);
    if (what === 2) copy.pop();
    return copy;
  }
  if (typeof value === "object" && value !== null) {
    const copy = { ...value };
    for (const key of Object.keys(copy)) {
      if (below(3) === 0) copy[key] = mutated(copy[key], chance + 1);
      else if (below(8) === 0) delete copy[key];
    }
    if (below(6) === 0) {
      copy[of(["extra", "_meta", "nextCursor", "isError", "error", "structuredContent"])] =
        values();
    }
    return copy;
  }
  return below(2) === 0 ? values() : value;
}

const line = (message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;

const tools = [
  {
    name: "echo",
    description: "gives back a text",
    inputSchema: { type: "object", properties: { text: { type: "string" } } },
  },
  { name: "other", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } },
];

function resultOf({ method, params }) {
  if (method === "initialize") {
    return {
      protocolVersion: params?.protocolVersion ?? "2025-06-18",
      capabilities: {
        ...{ tools: { listChanged: true }, prompts: {}, resources: { subscribe: true } },
        ...{ logging: {}, completions: {} },
      },
      serverInfo: { name: "chaos", version: "1" },
      instructions: "Use it.",
    };
  }
  if (method === "tools/list") return { tools };
  if (method === "prompts/list") return { prompts: [{ name: "p", arguments: [{ name: "a" }] }] };
  if (method === "resources/list") return { resources: [{ uri: "file:///a", name: "a" }] };
  if (method === "tools/call") {
    return { content: [{ type: "text", text: String(params?.arguments?.text ?? "") }] };
  }
  return {};
}

process.stdout.on("error", () => {});

let asked = 0;

function asides() {
  asked += 1;
  const request = (method, params) => line({ id: of([asked, `s${asked}`]), method, params });
  const notification = (method, params) => line({ method, params });
  return of([
    () => request("ping"),
    () => request("roots/list"),
    () => request("sampling/createMessage", mutated({ messages: [], maxTokens: 1 })),
    () =>
      request(
        "elicitation/create",
        mutated({ message: "?", requestedSchema: { type: "object", properties: {} } }),
      ),
    () => request("no/such", values()),
    () => request(values(), values()),
    () => notification("notifications/tools/list_changed"),
    () => notification("notifications/message", mutated({ level: "info", data: "said" })),
    () => notification("notifications/progress", mutated({ progressToken: 1, progress: 1 })),
    () => notification("notifications/cancelled", mutated({ requestId: 1 })),
    () => notification("notifications/resources/updated", mutated({ uri: "file:///a" })),
    () => `${JSON.stringify(mutated({ jsonrpc: "2.0", id: 1, result: {} }))}\n`,
    () => of(["not JSON\n", "{\n", "[]\n", "null\n", "\n", "\r\n", "\uFEFF\n", "7\n", "[[]]\n"]),
    () => `${"[".repeat(20_000)}\n`,
    () => Buffer.from([0xff, 0xfe, 0x0a]),
  ])();
}

function write(text) {
  const bytes = Buffer.from(text);
  // In two pieces, wherever that cuts.
  const cut = below(bytes.length + 1);
  process.stdout.write(bytes.subarray(0, cut));
  setTimeout(() => process.stdout.write(bytes.subarray(cut)), below(3) * 5);
}

function answer(request) {
  const good = { id: request.id, result: resultOf(request) };
  if (left <= 0 || (request.method === "initialize" && Number(seed) % 4 > 0))
    return write(line(good));
  left -= 1;
  if (below(3) === 0) write(asides());
  switch (below(16)) {
    case 0:
    case 9:
    case 10:
    case 11:
      return write(line({ ...good, result: mutated(good.result) }));
    case 1:
    case 12:
      return write(line(mutated(good)));
    case 2:
      return write(line({ id: request.id, error: mutated({ code: -32603, message: "no" }) }));
    case 3:
      return write(`${line(good)}${line(mutated(good))}`);
    case 4:
      return write(line({ ...good, id: of([String(request.id), -1, null, 1.5, {}]) }));
    case 5:
      return below(2) === 0 ? process.exit(below(3)) : process.kill(process.pid, "SIGKILL");
    case 6:
      return below(2) === 0 ? process.stdout.end() : undefined;
    case 7:
    case 8:
      return write(`${JSON.stringify([{ jsonrpc: "2.0", ...good }])}\r\n`);
    default:
      return write(line(good));
  }
}

createInterface({ input: process.stdin }).on("line", (text) => {
  const message = JSON.parse(text);
  if (message.method && message.id !== undefined) answer(message);
  else if (left > 0 && below(4) === 0) write(asides());
});
