/** DeepSeek behind a gateway with the Responses API refuses each call that no thoughts come directly before. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { Message } from "../../../src/conversation/ports.ts";
import { createModels } from "../../../src/providers/models.ts";
import { isObject, objectOf, objectsOf, parseJson, textOf } from "../../../src/shared/json.ts";
import { ask, callsOf, requestTo, textOf as textIn, user } from "../parts.ts";
import { sse } from "../stream-fixture.ts";
import { result } from "../turn.ts";

const refusal =
  "Error from provider: Upstream request failed: [invalid_request_error] The `reasoning_text` in the thinking mode must be passed back to the API.";

/** As the gateway says it (rikkahub/rikkahub#1690). */
function isComplete(input: unknown): boolean {
  const items = objectsOf(input);
  return items.every(({ type }, index) => {
    const before = items[index - 1];
    const [part] = objectsOf(before?.content);
    return type !== "function_call" || (before?.type === "reasoning" && textOf(part?.text) !== "");
  });
}

const thoughts = {
  type: "reasoning",
  id: "rs_1",
  summary: [],
  content: [{ type: "reasoning_text", text: "Twice." }],
};
const call = (id: string) => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: id,
  name: "web_search",
  arguments: "{}",
});

/** Answers a question with two calls, and their results with a text. */
async function gateway() {
  const inputs: unknown[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const piece of request) text += String(piece);
    const { input } = objectOf(parseJson(text));
    inputs.push(input);
    if (!isComplete(input)) {
      response.writeHead(400, { "content-type": "application/json" });
      return response.end(JSON.stringify({ error: { message: refusal } }));
    }
    const isAsked = objectsOf(input).at(-1)?.role === "user";
    const said = { type: "message", content: [{ type: "output_text", text: "Done." }] };
    const output = isAsked ? [thoughts, call("a"), call("b")] : [said];
    const completed = { type: "response.completed", response: { status: "completed", output } };
    response.writeHead(200, { "content-type": "text/event-stream" });
    return response.end(sse(completed));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => void (await new Promise((resolve) => server.close(resolve))));
  const { port } = server.address() as AddressInfo;
  const zen = { base_url: `http://127.0.0.1:${port}/v1`, api: "openai-responses" } as const;
  return { inputs, models: createModels({ providers: { zen }, environment: {} }) };
}

const reasoningIn = (input: unknown) => objectsOf(input).filter(({ type }) => type === "reasoning");

test("its calls go back with their thoughts, or with a blank where they were not kept", async () => {
  const { inputs, models } = await gateway();
  const turn: Message[] = [user("prices?")];
  const step = async () => {
    const parts = await ask(models, requestTo("zen", "deepseek-v4-flash", turn));
    const last = parts.at(-1);
    const calls = callsOf(parts);
    turn.push({
      role: "assistant",
      content: calls.map((each) => ({ type: "tool-call" as const, ...each })),
      state: last?.type === "finish" ? last.state : undefined,
    });
    turn.push({ role: "tool", results: calls.map(({ id }) => result(id, "$911")) });
    return parts;
  };
  await step();
  const refused = await ask(models, requestTo("zen", "deepseek-v4-flash", turn));
  expect(textIn(refused)).toBe("Done.");
  expect(refused[0]).toMatchObject({ type: "notice" });
  expect(inputs).toHaveLength(3);
  expect(reasoningIn(inputs.at(-1)).map(({ content }) => content)).toEqual(
    [" ", " "].map((text) => [{ type: "reasoning_text", text }]),
  );
  turn.push({ role: "assistant", content: [{ type: "text", text: "Done." }] }, user("again?"));
  await step();
  await ask(models, requestTo("zen", "deepseek-v4-flash", turn));
  // Its own before both of its calls; an id would be there twice.
  const own = reasoningIn(inputs.at(-1)).slice(-2);
  expect(own.map(({ content }) => content)).toEqual([thoughts.content, thoughts.content]);
  expect(own.filter((item) => isObject(item) && "id" in item)).toHaveLength(1);
  expect(inputs).toHaveLength(5);
});
