/** The typed values that a program gets from the tools of a turn, besides the text for the model. */
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { scriptedModel } from "../../src/library/open-model.ts";
import { runTurn } from "../../src/library/run-turn.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { fromJSONSchema } from "../../src/tools/from-json-schema.ts";

const call = (id: string, name: string, args: unknown) => ({ id, name, arguments: args });

describe("the value of a tool result", () => {
  const counted = { total: 3, rows: ["a"] };
  const count = defineTool({
    name: "count",
    description: "Counts.",
    input: z.object({ table: z.string() }),
    run: async ({ table }) => {
      if (table === "lost") throw new Error("There is no such table.");
      return counted;
    },
  });
  const plain = fromJSONSchema({
    name: "plain",
    description: "Gives a number.",
    inputSchema: { type: "object" },
    run: () => 7,
  });
  const outside = defineTool({ name: "outside", description: "", input: z.object({}) });

  it("is typed by tool, and set only for calls that succeed", async () => {
    const values: unknown[] = [];
    await runTurn({
      model: scriptedModel({
        turns: [
          {
            calls: [
              call("a", "count", { table: "lost" }),
              call("b", "count", { table: "kept" }),
              call("b", "count", {}),
              call("c", "plain", {}),
              call("d", "count", { table: "no" }),
            ],
          },
          { text: "3" },
        ],
      }),
      messages: ["count"],
      tools: [count, plain, outside],
      approve: ({ id }) => id !== "d",
      onEvent(event) {
        if (event.type !== "result") return;
        const { result } = event;
        if (result.name === "outside") expectTypeOf(result.value).toEqualTypeOf<unknown>();
        if (result.name === "plain" && result.status === "ok") {
          expectTypeOf(result.value).toEqualTypeOf<number>();
        }
        if (result.name === "count" && !result.isError) {
          expectTypeOf(result.value).toEqualTypeOf<{ total: number; rows: string[] }>();
          expect(result.value).toBe(counted);
        }
        values.push([result.id, result.status, result.value]);
      },
    });
    expect(new Set(values)).toEqual(
      new Set([
        ["a", "error", undefined],
        ["b", "ok", counted],
        ["b", "error", undefined],
        ["c", "ok", 7],
        ["d", "declined", undefined],
      ]),
    );
  });
});
