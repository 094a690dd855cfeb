/** A vendor's connections over the real wire: kept between questions, opened ahead, and never to one that was not asked. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ModelRequest } from "../../src/conversation/ports.ts";
import { createModels } from "../../src/providers/models.ts";
import { given } from "../../src/shared/given.ts";

const { signal } = new AbortController();
const model = { provider: "openai", id: "gpt-4o" };
let server: Server;
let address: string;
let sockets = 0;
let requests = 0;

beforeEach(async () => {
  sockets = 0;
  requests = 0;
  server = createServer((request, response) => {
    requests += 1;
    request.resume().on("end", () => {
      response.setHeader("content-type", "text/event-stream");
      const chunk = { choices: [{ index: 0, delta: { content: "hi" }, finish_reason: "stop" }] };
      response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
    });
  });
  server.keepAliveTimeout = 0;
  server.on("connection", () => {
    sockets += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function open(
  environment: Readonly<Record<string, string>> = {},
  log: (line: string) => void = () => {},
) {
  const providers = { openai: { base_url: address, api_key: "k" } };
  const models = createModels({ providers, environment, log });
  const messages: ModelRequest["messages"] = [
    { role: "user", content: [{ type: "text", text: "hi" }] },
  ];
  const request = { model, messages, system: "", tools: [] } as unknown as ModelRequest;
  const ask = async (ready?: Promise<unknown>) => {
    let text = "";
    for await (const part of models.stream(request, { signal, ...given({ ready }) })) {
      if (part.type === "error") throw new Error(part.failure.message);
      if (part.type === "text-delta") text += part.text;
    }
    for (let turns = 0; turns < 20; turns += 1) await turn();
    return text;
  };
  return { models, ask, request };
}

async function until(what: string, check: () => boolean): Promise<void> {
  for (const end = Date.now() + 10_000; !check(); await turn()) {
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
  }
}

describe("a vendor's connection", () => {
  it("serves one question after the other", async () => {
    const { ask } = open();
    for (let question = 0; question < 3; question += 1) expect(await ask()).toBe("hi");
    expect({ requests, sockets }).toEqual({ requests: 3, sockets: 1 });
  });

  it("takes a question when it may leave, which is made and has its connection by then", async () => {
    const { ask } = open();
    let leave = () => {};
    const asked = ask(
      new Promise<void>((resolve) => {
        leave = resolve;
      }),
    );
    await until("the connection", () => sockets > 0);
    for (let turns = 0; turns < 200; turns += 1) await turn();
    expect({ requests, sockets }).toEqual({ requests: 0, sockets: 1 });
    leave();
    expect(await asked).toBe("hi");
    expect(requests).toBe(1);
  });

  it("takes no question that may not leave", async () => {
    const { ask } = open();
    await expect(ask(Promise.reject(new Error("not sent")))).rejects.toThrow();
    expect({ requests, sockets }).toEqual({ requests: 0, sockets: 0 });
  });

  it("is opened ahead where the user wants it, and the question uses it", async () => {
    const { models, ask } = open();
    models.openAhead(model, "asked");
    models.openAhead({ provider: "mock", id: "demo" }, "any");
    models.openAhead(model, "any");
    models.openAhead(model, "any");
    await until("the connection", () => sockets > 0);
    expect(requests).toBe(0);
    expect(await ask()).toBe("hi");
    expect(sockets).toBe(1);
  });

  it("is not opened ahead to a vendor that was not asked before, nor by way of a proxy", async () => {
    const { models, request } = open();
    models.openAhead(model, "asked");
    const proxy = new URL(address).origin;
    // What is on this machine goes by no proxy.
    address = "http://vendor.test/v1";
    open({ HTTP_PROXY: proxy }).models.openAhead(model, "any");
    const logged: string[] = [];
    const unread = open({ HTTP_PROXY: "nonsense" }, (line) => logged.push(line)).models;
    unread.openAhead(model, "any");
    await models.warm(request);
    for (let turns = 0; turns < 50; turns += 1) await turn();
    expect(sockets).toBe(0);
    expect(logged).toEqual([expect.stringMatching(/^connect ahead: /)]);
  });
});
