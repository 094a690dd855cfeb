import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createRehearsedFetch } from "../../src/net/rehearsed-fetch.ts";
import { createModels } from "../../src/providers/models.ts";

describe("a first request that reaches nobody", () => {
  let sockets = 0;
  /** What Node's client was given to send. */
  const requests: string[] = [];
  const countSocket = () => {
    sockets += 1;
  };
  const noteRequest = (message: unknown) => {
    requests.push(String(Reflect.get(Reflect.get(Object(message), "request"), "path")));
  };
  beforeEach(() => {
    sockets = 0;
    requests.length = 0;
    subscribe("net.client.socket", countSocket);
    subscribe("http.client.request.start", noteRequest);
  });
  afterEach(() => {
    unsubscribe("net.client.socket", countSocket);
    unsubscribe("http.client.request.start", noteRequest);
  });

  it.each([
    { api: "openai-chat", provider: "deepseek" },
    { api: "openai-responses", provider: "openai" },
    { api: "anthropic-messages", provider: "anthropic" },
  ])(
    "reads a whole answer of $api, without a connection and without the key",
    async ({ provider }) => {
      const logged: string[] = [];
      const commands = { api_key: ["sh", "-c", "exit 3"] };
      const models = createModels({
        providers: { [provider]: commands },
        environment: {},
        log: (line) => logged.push(line),
      });
      const messages = [{ role: "user", content: [{ type: "text", text: "hi" }] }] as const;
      await models.warm({ model: { provider, id: "any" }, system: "", messages, tools: [] });
      // What could not be read would be logged, and a command for the key, too.
      expect(logged).toEqual([]);
      expect(requests).toEqual([
        expect.stringMatching(/\/(chat\/completions|responses|messages)$/),
      ]);
      expect(sockets).toBe(0);
    },
  );

  it("has its answer from memory, and sees what was asked out to the end", async () => {
    const send = createRehearsedFetch("data: one\n\n");
    const request = { method: "POST", body: new Uint8Array(300_000) };
    const { status, body } = await send("https://example.invalid/v1", request);
    expect([status, await text(Readable.from(body ?? []))]).toEqual([200, "data: one\n\n"]);
    expect(sockets).toBe(0);
  });
});
