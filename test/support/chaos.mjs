/** What servers that break the protocol have in common: good results of MCP, and what can be wrong with anything. */
import { createRandom } from "./random.mjs";

const tools = [
  {
    name: "echo",
    description: "gives back a text",
    inputSchema: { type: "object", properties: { text: { type: "string" } } },
  },
  { name: "other", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } },
];

/**
 * The good result of a request.
 *
 * @param {{ method: string, params?: { protocolVersion?: unknown, arguments?: { text?: unknown } } }} request
 * @returns {object}
 */
export function resultOf({ method, params }) {
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

/**
 * Mutations that look random and are the same for the same seed.
 *
 * @param {number} seed
 */
export function createChaos(seed) {
  const { below, of } = createRandom(seed);

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

  /**
   * Replaces, removes, repeats or adds something somewhere in the value.
   *
   * @param {unknown} value
   * @returns {unknown}
   */
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

  return { below, of, values, mutated };
}
