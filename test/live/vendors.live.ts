import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Message } from "../../src/conversation/ports.ts";
import { runTurn } from "../../src/library/run-turn.ts";
import { vendors } from "../../src/providers/vendors/vendors.ts";
import { defineTool } from "../../src/tools/define-tool.ts";

/** A vendor without a key is asked when its address is given. `PARLEY_LIVE_MODEL_XAI` and the like name another model. */
const table = [...vendors.values()].map((vendor) => ({
  provider: vendor.id,
  model: process.env[`PARLEY_LIVE_MODEL_${vendor.id.toUpperCase()}`] ?? vendor.models[0],
  env: vendor.needsKey ? vendor.keyVariable : vendor.baseUrlVariable,
}));

const stock = defineTool({
  name: "get_stock",
  description: "How many of an article are in the warehouse. There is no other way to know.",
  input: z.object({ article: z.string().describe("The article's number, such as A-17") }),
  run: ({ article }) => ({ article, count: article === "A-17" ? 4711 : 803 }),
});

describe.each(table)("$provider/$model", ({ provider, model, env }) => {
  test.skipIf(!process.env[env])(`uses a tool, and again in a second turn ($${env})`, async () => {
    const ask = (messages: readonly Message[], text: string) =>
      runTurn({
        model: `${provider}/${model}`,
        system: "Answer in one short sentence, with the number as digits alone.",
        messages: [...messages, { role: "user", content: [{ type: "text", text }] }],
        tools: [stock],
        approve: () => true,
        maxSteps: 4,
      });
    const first = await ask([], "How many of article A-17 are there? Use the tool.");
    expect(first).toMatchObject({ end: "done", failure: null });
    expect(first.text.replace(/\D/g, "")).toContain("4711");
    expect(first.usage.output).toBeGreaterThan(0);
    const second = await ask(first.messages, "And of B-2? Use the tool again.");
    expect(second).toMatchObject({ end: "done", failure: null });
    expect(second.text.replace(/\D/g, "")).toContain("803");
  });
});
