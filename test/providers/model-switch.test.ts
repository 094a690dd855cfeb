import { describe, expect, test } from "vitest";
import type { AssistantMessage, Message, ModelName } from "../../src/conversation/ports.ts";
import { streamText, toAssistantMessage } from "../../src/library/stream-text.ts";
import { createModels } from "../../src/providers/models.ts";
import { vendors } from "../../src/providers/vendors/vendors.ts";
import { startModelServer, type Turn } from "../support/model-server.ts";
import { user, webSearch } from "./parts.ts";
import { streamFixtures } from "./stream-fixtures.ts";
import { result } from "./turn.ts";

/** A model of each vendor, OpenAI's by chat completions, and a server of the user's own with the Responses API. */
const models: readonly ModelName[] = [
  ...[...vendors.values()].map(({ id, models }) => ({
    provider: id,
    id: id === "openai" ? "gpt-4.1" : models[0]!,
  })),
  { provider: "responses", id: "test-model" },
];

/** A response with calls in the vendor's own wire format. */
function calling(provider: string): Turn {
  const fixture = streamFixtures.find(
    ({ provider: of, outline }) => of === provider && outline.at(-1) === "finish tool-calls",
  );
  if (fixture === undefined) throw new Error(`No stream of ${provider} ends with calls.`);
  return { raw: [fixture.body] };
}

function resultsOf({ content }: AssistantMessage, says: string): Message {
  const calls = content.filter((part) => part.type === "tool-call");
  const results = calls.map(({ id }, index) => result(id, `${says} ${index + 1}`));
  return { role: "tool", results };
}

describe.each(models)("a turn that $provider begins", (first) => {
  test("is taken over by every vendor, and back, between two rounds", async () => {
    const server = await startModelServer({
      turns: models.flatMap(({ provider }) => [
        calling(first.provider),
        calling(provider),
        { text: "Done." },
      ]),
    });
    const all = createModels({
      providers: { responses: { base_url: `${server.url}/v1`, api: "openai-responses" } },
      environment: server.environment,
    });
    const step = async (name: ModelName, messages: readonly Message[]) => {
      const model = { name, stream: all.stream };
      const step = await streamText(model, { messages, tools: [webSearch] }).result();
      expect(step.failure, `${first.provider} → ${name.provider}`).toBeNull();
      return step;
    };
    for (const second of models) {
      const question = user("prices?");
      const begun = toAssistantMessage(await step(first, [question]));
      const found = resultsOf(begun, "found");
      const going = await step(second, [question, begun, found]);
      const gone = toAssistantMessage(going);
      expect(going.calls.length).toBeGreaterThan(0);
      const last = await step(first, [question, begun, found, gone, resultsOf(gone, "more")]);
      expect(last.text).toBe("Done.");
      expect(server.requests.at(-2)?.vendor).toBe(second.provider);
      const sent = server.requests.at(-1)?.raw ?? "";
      for (const told of ["found 1", "more 1"]) expect(sent).toContain(told);
    }
    expect(server.requests.map(({ violation }) => violation)).toEqual(
      server.requests.map(() => null),
    );
    await server.close();
  });
});
