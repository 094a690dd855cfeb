/**
 * Models that always think get the opening tag in their prompt (DeepSeek R1, QwQ, Qwen3 Thinking): a server that does not
 * tell thoughts apart gives them as text with a closing tag alone (vllm-project/vllm#31045, ggml-org/llama.cpp#11861).
 */
import { describe, expect, it } from "vitest";
import { createMemoryLessons } from "../../../src/providers/learning/lessons.ts";
import { createModels } from "../../../src/providers/models.ts";
import { ThinkSplitter } from "../../../src/providers/openai-chat/think-tags.ts";
import fc from "../../support/property.ts";
import { ask, callsOf, requestTo, textOf, thoughtsOf, user } from "../parts.ts";
import { serve } from "../served.ts";
import { sse } from "../stream-fixture.ts";

const delta = (content: object, reason: string | null = null) =>
  sse({ choices: [{ index: 0, delta: content, finish_reason: reason }] });

const pieces = (...texts: string[]) => [
  ...texts.map((content) => delta({ content })),
  delta({}, "stop"),
  "data: [DONE]\n\n",
];

const unbegun = pieces("I wonder", ".\n</th", "ink>\n", "\nHello.");

/** What the answers to one question after the other come to. */
async function answers(...bodies: readonly (readonly string[])[]) {
  const server = await serve(...bodies.map((raw) => ({ raw })));
  const models = createModels({
    providers: { vllm: { base_url: `${server.url}/v1` } },
    environment: server.environment,
    retries: { maxRetries: 0 },
    lessons: createMemoryLessons(),
  });
  const found: { text: string; thoughts: string; told: string[]; calls: string[] }[] = [];
  for (const _ of bodies) {
    const parts = await ask(models, requestTo("vllm", "qwq", [user("hi")]));
    found.push({
      text: textOf(parts),
      thoughts: thoughtsOf(parts),
      told: parts.flatMap((part) => (part.type === "notice" ? [part.message] : [])),
      calls: callsOf(parts).map(({ name }) => name),
    });
  }
  return found;
}

describe("thoughts without their beginning", () => {
  it("are told once, and are thoughts from the next answer on", async () => {
    const [first, second, third] = await answers(unbegun, unbegun, unbegun);
    expect(first?.text).toBe("I wonder.\n</think>\n\nHello.");
    expect(first?.told).toEqual([expect.stringContaining("From its next answer on")]);
    for (const later of [second, third])
      expect(later).toEqual({ text: "Hello.", thoughts: "I wonder.\n", told: [], calls: [] });
  });

  it.each([
    ["in one piece", pieces("I wonder.\n</think>\n\nHello.")],
    ["with an opening tag after all", pieces("<think>\nI wonder.\n</think>\n\nHello.")],
    ["with none at all", pieces("\n</think>\n\nHello.")],
  ])("are known later %s", async (_, body) => {
    const [, later] = await answers(unbegun, body);
    expect(later?.text).toBe("Hello.");
    expect(later?.told).toEqual([]);
  });

  it("lose no answer of a server that marks none any more", async () => {
    const plain = pieces("Hel", "lo.");
    const [, second, third] = await answers(unbegun, plain, plain);
    expect(second).toMatchObject({ text: "Hello.", thoughts: "Hello." });
    expect(second?.told).toEqual([expect.stringContaining("did not mark any thoughts")]);
    expect(third).toEqual({ text: "Hello.", thoughts: "", told: [], calls: [] });
  });

  it("are no longer looked for where the server tells them apart", async () => {
    const apart = [delta({ reasoning_content: "Hm." }), ...pieces("Hello.")];
    const [, second, third] = await answers(unbegun, apart, pieces("Hello."));
    expect(second).toEqual({ text: "Hello.", thoughts: "Hm.", told: [], calls: [] });
    expect(third).toEqual({ text: "Hello.", thoughts: "", told: [], calls: [] });
  });

  it("are not learned of a line of the answer where the server tells them apart", async () => {
    const [first] = await answers([delta({ reasoning_content: "Hm." }), ...unbegun]);
    expect(first).toMatchObject({ text: "I wonder.\n</think>\n\nHello.", told: [] });
  });

  it.each([
    ["behind a blank of the text", [delta({ content: "\n" }), delta({ reasoning_content: "Hm." })]],
    ["in parts of the text", [delta({ content: [{ type: "thinking", thinking: "Hm." }] })]],
  ])("lose no answer of a server that tells them apart %s", async (_, apart) => {
    const [, second, third] = await answers(
      unbegun,
      [...apart, ...pieces("Hello.")],
      pieces("Hello."),
    );
    expect(second).toEqual({
      text: expect.stringMatching(/^\n?Hello\.$/),
      ...{ thoughts: "Hm.", told: [], calls: [] },
    });
    expect(third).toEqual({ text: "Hello.", thoughts: "", told: [], calls: [] });
  });

  it("lose no answer whose thoughts are told apart behind it", async () => {
    const behind = [delta({ content: "Hello." }), delta({ reasoning: "Hm." }), ...pieces()];
    const [, second, third] = await answers(unbegun, behind, pieces("Hello."));
    expect(second?.text).toBe("Hello.");
    expect(third).toEqual({ text: "Hello.", thoughts: "", told: [], calls: [] });
  });

  it("are not told of an end behind thoughts that have one", async () => {
    const twice = pieces("<think>\nHm.\n</think>\n\nNo,\n</think>\nHello.");
    const [first, second] = await answers(twice, pieces("Hello."));
    expect(first).toMatchObject({ text: "No,\n</think>\nHello.", told: [] });
    expect(second).toMatchObject({ text: "Hello.", thoughts: "" });
  });

  it("are thoughts alone where the answer was cut in them", async () => {
    const cut = [delta({ content: "I wonder" }), delta({}, "length"), "data: [DONE]\n\n"];
    const [, second, third] = await answers(unbegun, cut, unbegun);
    expect(second).toEqual({ text: "", thoughts: "I wonder", told: [], calls: [] });
    expect(third?.text).toBe("Hello.");
  });

  it("are before a call", async () => {
    const call = { index: 0, id: "c1", function: { name: "web_search", arguments: "{}" } };
    const calling = [
      delta({ content: "I search." }),
      delta({ tool_calls: [call] }),
      delta({}, "tool_calls"),
      "data: [DONE]\n\n",
    ];
    const [, second] = await answers(unbegun, calling);
    expect(second).toEqual({ text: "", thoughts: "I search.", told: [], calls: ["web_search"] });
  });

  it.each([
    ["a tag in a sentence", "Models end thoughts with </think>\n\nand go on."],
    ["an example of both tags", "Write\n<think>\nthoughts\n</think>\nfirst."],
    ["an example in a fence", "Write\n```\nthoughts\n</think>\n```\nfirst."],
    ["a tag in a line of others", "\n</think> ends it.\n"],
  ])("are not seen in %s", async (_, text) => {
    const [first, second] = await answers(pieces(text), pieces("Hello."));
    expect(first?.told).toEqual([]);
    expect(second).toMatchObject({ text: "Hello.", thoughts: "" });
  });
});

it("a text is split as the same, however it comes", () => {
  const word = fc.constantFrom("a", "\n", " ", "<think>", "</think>", "</thi", "nk>", "```", "é");
  fc.assert(
    fc.property(
      fc.array(word),
      fc.boolean(),
      fc.array(fc.nat({ max: 6 })),
      (words, begins, cuts) => {
        const text = words.join("");
        const split = (texts: readonly string[]) => {
          const splitter = new ThinkSplitter(begins);
          const parts = [...texts.flatMap((each) => splitter.push(each)), ...splitter.end()];
          return {
            text: textOf(parts),
            thoughts: thoughtsOf(parts).trim(),
            unended: splitter.unended?.trim(),
            hasUnbegun: splitter.hasUnbegun,
          };
        };
        let rest = text;
        const texts = cuts.map((length) => {
          const piece = rest.slice(0, length);
          rest = rest.slice(length);
          return piece;
        });
        expect(split([...texts, rest])).toEqual(split([text]));
      },
    ),
    { numRuns: 2000 },
  );
});
