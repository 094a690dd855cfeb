/** A server's refusal of any words is looked through at once, for everything that it may teach. */
import { describe, expect, it } from "vitest";
import type { ModelRequest } from "../../src/conversation/ports.ts";
import { lessonOf } from "../../src/providers/learning/refusals.ts";
import { apiOf, findVendor } from "../../src/providers/vendors/vendors.ts";
import { afterCalls, image } from "../providers/learning/refusal-cases.ts";

/** As much as is read of a refusal. */
const longest = 64 * 1024;

const tool = { name: "find", description: "", inputSchema: { type: "object" }, server: null };

/** It has all that a refusal can be about. */
const request = (provider: string): ModelRequest => ({
  model: { provider, id: "model-1" },
  system: "Be short.",
  messages: [...afterCalls, { role: "user", content: [image] }],
  tools: [tool],
  toolChoice: "required",
  parallelToolCalls: false,
  reasoningEffort: "high",
  sampling: { temperature: 0.5 },
});

/** What a refusal repeats without end, and what it begins with. */
const pieces = [
  ..."1a .-_[]'\"`{}:(,",
  ...["1 a", "a.", "tool ", "tool_call id", "content ", "tools.", "function_declarations[", "null"],
  ...["reasoning effort ", "supported values ", "'high', ", "path '", "max ", "1-", "only a "],
];
const beginnings = ["", "max_tokens ", "reasoning_effort ", "tools[0] ", "content ", "path 'a"];

describe.each(["openai", "anthropic", "google", "mistral"])("a refusal of %s", (provider) => {
  const vendor = findVendor(provider);
  if (vendor === null) throw new Error(`There is no vendor ${provider}.`);
  const asked = request(provider);
  const sent = { request: asked, vendor, api: apiOf(vendor, asked), isApiChosen: true };

  it.each(beginnings)("that begins with “%s” and does not end", (beginning) => {
    for (const piece of pieces) {
      const said = `${beginning}${piece.repeat(longest / piece.length)}\u2028`;
      const failure = { kind: "invalid-request", message: "", status: 400, said } as const;
      // A square of the words would take seconds each, and the test's time would be over.
      expect(() => lessonOf(failure, sent)).not.toThrow();
    }
  });
});
