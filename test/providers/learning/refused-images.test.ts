/** A chat with an image that its vendor refuses goes on without it; each request would be refused else. */
import { expect, test } from "vitest";
import type { Message } from "../../../src/conversation/ports.ts";
import { createMemoryLessons } from "../../../src/providers/learning/lessons.ts";
import { createModels } from "../../../src/providers/models.ts";
import { ask, failureOf, requestTo, textOf, user } from "../parts.ts";
import { serve } from "../served.ts";
import { result } from "../turn.ts";
import { afterCalls, image } from "./refusal-cases.ts";

const seen = (text: string): Message => ({
  role: "user",
  content: [{ type: "text", text }, image],
});
const shot: Message = {
  role: "tool",
  results: [{ ...result("call_1", "here"), content: [image] }],
};
/** A question with an image, a call whose result has one, and an answer. */
const looked: readonly Message[] = [
  seen("What is this?"),
  ...afterCalls.slice(1, 2),
  shot,
  { role: "assistant", content: [{ type: "text", text: "A cat." }] },
];

const count = (raw: string) => raw.match(/"AAAA"|base64,AAAA/g)?.length ?? 0;

test.each([
  [
    "anthropic",
    "claude-opus-5",
    400,
    "messages.2.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels",
  ],
  ["anthropic", "claude-opus-5", 400, "Could not process image"],
  ["anthropic", "claude-opus-5", 413, "Request exceeds the maximum size"],
  ["openai", "gpt-4.1", 400, "Invalid image data. The image is corrupt."],
  ["openrouter", "qwen/qwen3-vl", 400, "At most 1 image(s) may be provided in one request."],
  ["openrouter", "llama-4", 400, "This model does not support multiple images."],
  ["openrouter", "llama-4", 400, "Too many images: over 5 are not allowed."],
  [
    "openrouter",
    "llama-4",
    400,
    "Requests with more than 3 images are not supported for this model",
  ],
  [
    "openrouter",
    "llama-4",
    400,
    "image count exceeds the limit: only 1 is allowed, others are unsupported",
  ],
])("%s/%s: %i %s", async (provider, model, status, message) => {
  const server = await serve({ status, message }, { text: "A dog." }, { text: "Again." });
  const lessons = createMemoryLessons();
  const models = createModels({ providers: {}, environment: server.environment, lessons });
  const request = requestTo(provider, model, [...looked, seen("And this?")]);
  const parts = await ask(models, request);
  expect(textOf(parts)).toBe("A dog.");
  expect(parts[0]).toMatchObject({ type: "notice", message: expect.stringContaining("an image") });
  // What is asked about stays.
  expect(server.requests.map(({ raw }) => count(raw))).toEqual([3, 1]);
  expect(server.requests[1]?.raw).toContain("was left out");
  expect(server.requests[1]?.violation).toBeNull();
  // It says nothing of the model.
  expect(lessons.all()).toEqual([]);
  await ask(models, request);
  expect(count(server.requests[2]?.raw ?? "")).toBe(3);
});

test("the user decides whether to remove the image that is asked about", async () => {
  const message = "Could not process image";
  const server = await serve(
    { status: 400, message },
    { status: 400, message },
    { status: 400, message },
  );
  const models = createModels({ providers: {}, environment: server.environment });
  const about = requestTo("anthropic", "claude-opus-5", [seen("What is this?")]);
  expect(failureOf(await ask(models, about)).said).toBe(message);
  expect(server.requests).toHaveLength(1);
  const again = requestTo("anthropic", "claude-opus-5", [...looked, seen("And this?")]);
  expect(failureOf(await ask(models, again)).said).toBe(message);
  expect(server.requests).toHaveLength(3);
});

test("a refusal about something else keeps them", async () => {
  const server = await serve({ status: 400, message: "messages: too many of them" });
  const models = createModels({ providers: {}, environment: server.environment });
  const request = requestTo("anthropic", "claude-opus-5", [...looked, user("And now?")]);
  expect(failureOf(await ask(models, request)).status).toBe(400);
  expect(server.requests).toHaveLength(1);
});
