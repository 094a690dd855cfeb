/** What a vendor's cache is found by stays the same, byte for byte, from request to request. */

import { describe, expect, test } from "vitest";
import type { Tool } from "../../src/conversation/ports.ts";
import { createModels } from "../../src/providers/models.ts";
import { vendors } from "../../src/providers/vendors/vendors.ts";
import fc from "../support/property.ts";
import { requestTo, user } from "./parts.ts";

const models = createModels({ providers: {}, environment: {} });

const tool = fc.record({
  name: fc.stringMatching(/^[a-z_]{1,12}$/),
  description: fc.string({ unit: "grapheme" }),
  inputSchema: fc.constantFrom(
    { type: "object", properties: {} },
    {
      type: "object",
      properties: { b: { type: "string" }, a: { $ref: "#/$defs/x" } },
      $defs: { x: {} },
    },
  ),
  server: fc.constant(null),
});
const tools: fc.Arbitrary<readonly Tool[]> = fc.uniqueArray(tool, {
  minLength: 1,
  maxLength: 6,
  selector: ({ name }) => name,
});

// biome-ignore lint/suspicious/noExplicitAny: a test reads single fields of what goes over the wire.
function bodyOf(provider: string, system: string, offered: readonly Tool[], turns: number): any {
  const said = Array.from({ length: turns }, (_, index) => user(`question ${index}`));
  const request = requestTo(provider, "some-model", said);
  const wire = models.wire({ ...request, system, tools: offered, cacheKey: "0123abcd" });
  if ("failure" in wire) throw new Error(wire.failure.message);
  return wire.body;
}

describe.each([...vendors.keys()])("%s", (provider) => {
  test("tools and system text, in whatever order tools are listed", () => {
    const shuffled = tools.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray([...list], { minLength: list.length })),
    );
    fc.assert(
      fc.property(shuffled, fc.string({ unit: "grapheme" }), ([list, again], system) => {
        const first = bodyOf(provider, system, list, 1);
        const later = bodyOf(provider, system, again, 3);
        const { messages: _, input: __, ...fixed } = first;
        const { messages: ___, input: ____, ...fixedLater } = later;
        expect(JSON.stringify(fixedLater)).toBe(JSON.stringify(fixed));
        const texts = (body: typeof first) => body.messages ?? body.input;
        const isSystem = ({ role }: { role: string }) => role !== "user" && role !== "assistant";
        expect(JSON.stringify(texts(later).filter(isSystem))).toBe(
          JSON.stringify(texts(first).filter(isSystem)),
        );
      }),
      { numRuns: 40 },
    );
  });
});

test("Anthropic is told to cache, OpenAI gets the key of the chat, others get no unknown field", () => {
  const body = (provider: string) => bodyOf(provider, "Be short.", [], 1);
  expect(body("anthropic").cache_control).toEqual({ type: "ephemeral" });
  expect(body("openai").prompt_cache_key).toBe("0123abcd");
  for (const provider of ["anthropic", "mistral", "cerebras", "ollama"]) {
    expect(JSON.stringify(body(provider))).not.toContain("0123abcd");
  }
});
