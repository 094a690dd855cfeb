/** How the user is asked for the inputs of a server. */
import { expect, it } from "vitest";
import { createInputs } from "../../../src/app/servers/inputs.ts";
import type { DeclaredInput } from "../../../src/mcp/configured/config-file.ts";

const typed: DeclaredInput = {
  ...{ id: "key", prompt: "The key", options: null, preset: null, isSecret: true },
};

/** Asks for one input; `answer` is what the user types or picks. */
async function ask(input: DeclaredInput, answer: string | number | null) {
  const asked: unknown[] = [];
  const reply = async (question: unknown) => {
    asked.push(question);
    return answer as never;
  };
  const inputs = createInputs({
    confirm: async () => true,
    secret: reply,
    input: reply,
    select: reply,
  });
  const server = { entry: { name: "shop" }, inputs: [input], from: "mcp.json" };
  const value = await inputs.ask(server as never, input.id);
  return { asked, value };
}

it("shortens a long prompt, and makes its invisible characters visible", async () => {
  const { asked, value } = await ask({ ...typed, prompt: `a\u202e${"x".repeat(300)}` }, "typed");
  expect(value).toBe("typed");
  expect(asked).toEqual([expect.stringMatching(/^a\\u\{202e\}x{190,199}… \(MCP server shop\): $/)]);
});

it("lists the preset first, and returns the option that was picked", async () => {
  const { asked, value } = await ask({ ...typed, options: ["us", "eu"], preset: "eu" }, 1);
  expect(value).toBe("us");
  expect(asked).toEqual([expect.objectContaining({ items: ["eu", "us"] })]);
});

it("uses the preset if nothing is typed", async () => {
  expect(await ask({ ...typed, preset: "eu" }, "")).toEqual({
    asked: ["The key (MCP server shop): (Enter: eu) "],
    value: "eu",
  });
});

it("takes no answer for a refusal, and says how to be asked again", async () => {
  await expect(ask(typed, null)).rejects.toThrow(
    "Its input key was not entered. :Parley mcp restart shop asks again.",
  );
});
