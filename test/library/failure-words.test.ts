/** Failure messages for programs: what happened, without the keys and headers of a chat. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { type ModelOptions, openModel, scriptedModel } from "../../src/library/open-model.ts";
import { runTurn } from "../../src/library/run-turn.ts";
import { streamText } from "../../src/library/stream-text.ts";
import { defineTool } from "../../src/tools/define-tool.ts";

const chatWords = /respond again|header|:Parley|providers\./;

async function failureMessage(model: Parameters<typeof runTurn>[0]["model"], count = 0) {
  const tools = Array.from({ length: count }, (_, index) =>
    defineTool({ name: `tool${index}`, description: "", input: z.object({}), run: () => "" }),
  );
  const { failure } = await runTurn({ model, messages: ["hi"], tools, approve: () => true });
  expect(failure?.message).not.toMatch(chatWords);
  return failure?.message;
}

const openai = (options: ModelOptions) =>
  openModel("openai/gpt-4.1", { maxRetries: 0, ...options });

/** The address of a server that redirects, or of no server when there is no location. */
async function serverAddress(location?: string): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(302, { location }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => new Promise((resolve) => server.close(resolve));
  if (location === undefined) await close();
  else onTestFinished(async () => void (await close()));
  return `http://127.0.0.1:${port}`;
}

it("reports where a redirect points and that it was not followed", async () => {
  const baseUrl = await serverAddress("https://login.example.org/in");
  expect(await failureMessage(openai({ apiKey: "sk-test", baseUrl }))).toMatch(
    /redirected the request to https:\/\/login\.example\.org\/in, status 302, which was not followed\.$/,
  );
});

it("reports the address when no server listens there", async () => {
  const baseUrl = await serverAddress();
  expect(await failureMessage(openai({ apiKey: "sk-test", baseUrl }))).toContain(baseUrl);
});

it("reports too many tools with the limit, before anything is sent", async () => {
  expect(await failureMessage(openai({ apiKey: "sk-test" }), 129)).toMatch(
    /accepts 128 tools in one request, and there are 129: tool99 would be too many, so nothing was sent\.$/,
  );
});

it("reports why a request with tools was not sent", async () => {
  const model = openModel("ollama/gemma3", { baseUrl: "http://127.0.0.1:9" });
  const tool = defineTool({ name: "t", description: "", input: z.object({}) });
  const request = { messages: [], tools: [tool], toolProtocol: "native" } as const;
  const { failure } = await streamText(model, request).result();
  expect(failure?.message).toBe(
    "ollama/gemma3: it does not accept tools through its API, and the tool protocol is native, so nothing was sent.",
  );
});

it("reports the failure of a single request without chat commands or headers", async () => {
  const model = openai({ apiKey: "sk-test", baseUrl: await serverAddress() });
  const { failure } = await streamText(model, { messages: [] }).result();
  expect(failure?.message).toMatch(/^openai\/gpt-4\.1: /);
  expect(failure?.message).not.toMatch(chatWords);
});

it("reports an API key that begins with “Bearer” as wrong", async () => {
  expect(await failureMessage(openai({ apiKey: "Bearer sk-test" }))).toMatch(
    /The API key for OpenAI cannot be right: it begins with “Bearer”/,
  );
});

it("reports what is wrong with a script", async () => {
  expect(await failureMessage(scriptedModel([{ text: "hi" }]))).toMatch(
    /^mock\/script: The script is not one: the whole: /,
  );
});

it("reports an address that is not a web address", async () => {
  const baseUrl = "localhost:8080/v1";
  expect(await failureMessage(openai({ apiKey: "sk-test", baseUrl }))).toBe(
    "openai/gpt-4.1: The address of OpenAI is not valid: localhost:8080/v1.",
  );
});

it("reports how an answer broke off", async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end('data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => void (await new Promise((resolve) => server.close(resolve))));
  const { port } = server.address() as AddressInfo;
  const model = openModel("own/m", { baseUrl: `http://127.0.0.1:${port}/v1` });
  expect(await failureMessage(model)).toBe(
    "own/m: The answer of own ended without saying why, so it may be incomplete.",
  );
});

it("reports that a scripted model has no more turns", async () => {
  expect(await failureMessage(scriptedModel({ turns: [] }))).toMatch(
    /has 0 turns, and the chat asks for number 1\.$/,
  );
});
