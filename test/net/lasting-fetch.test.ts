/** Connections that live over pauses: counted at the server, with clocks that the test moves. */
import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLastingFetch, type LastingFetch } from "../../src/net/lasting-fetch.ts";

let server: Server;
let origin: string;
let sockets: Socket[];
let requests: number;
/** What the server does with a request before it answers. */
let before: (socket: Socket, number: number) => boolean;
let lasting: LastingFetch;
let clock: { now: number; awake: number };

beforeEach(async () => {
  sockets = [];
  requests = 0;
  before = () => false;
  clock = { now: 1e12, awake: 0 };
  server = createServer((request, response) => {
    requests += 1;
    if (before(request.socket, requests)) return;
    request.resume().on("end", () => response.end("fine"));
  });
  server.keepAliveTimeout = 0;
  server.on("connection", (socket) => sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  lasting = createLastingFetch({ clocks: { now: () => clock.now, awake: () => clock.awake } });
});
afterEach(async () => {
  lasting.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function ask(body: string | ReadableStream = "question"): Promise<string> {
  const more = typeof body === "string" ? {} : { duplex: "half" };
  const response = await lasting.fetch(origin, { method: "POST", body, ...more } as RequestInit);
  const text = await response.text();
  // The connection is free for the next request when Node has seen the end of this one.
  for (let turns = 0; turns < 20; turns += 1) await turn();
  return text;
}

async function until(what: string, check: () => boolean): Promise<void> {
  for (const end = Date.now() + 10_000; !check(); await turn()) {
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
  }
}

describe("a connection", () => {
  it("is used for one request after the other", async () => {
    for (let number = 0; number < 5; number += 1) expect(await ask()).toBe("fine");
    expect(sockets).toHaveLength(1);
  });

  it("that was opened ahead takes the next request, and only one is opened", async () => {
    lasting.openAhead(`${origin}/v1`);
    lasting.openAhead(origin);
    await until("a connection", () => sockets.length === 1);
    expect(requests).toBe(0);
    expect(await ask()).toBe("fine");
    lasting.openAhead(origin);
    expect(await ask()).toBe("fine");
    expect(sockets).toHaveLength(1);
  });

  it("that was opened ahead and closed by the server is replaced", async () => {
    lasting.openAhead(origin);
    await until("a connection", () => sockets.length === 1);
    sockets[0]?.destroy();
    expect(await ask()).toBe("fine");
  });

  it("that died while it was idle costs nobody an error", async () => {
    await ask();
    // The server answers the second request on this connection with a reset, as at the moment of its own close.
    before = (socket, number) => number === 2 && Boolean(socket.destroy());
    expect(await ask()).toBe("fine");
    expect(requests).toBe(3);
    expect(sockets).toHaveLength(2);
  });

  it("that breaks at its first request, or again, is told", async () => {
    before = (socket) => Boolean(socket.destroy());
    await expect(ask()).rejects.toThrow("fetch failed");
    expect(requests).toBe(1);
    before = () => false;
    await ask();
    before = (socket) => Boolean(socket.destroy());
    await expect(ask()).rejects.toThrow("fetch failed");
    expect(requests).toBe(4);
  });

  it("takes no body twice that can be read once", async () => {
    await ask();
    before = (socket) => Boolean(socket.destroy());
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode("once"));
        controller.close();
      },
    });
    await expect(ask(stream)).rejects.toThrow("fetch failed");
    expect(requests).toBe(2);
  });

  it("of before a sleep of the machine is used no more", async () => {
    await ask();
    clock = { now: clock.now + 15_000, awake: clock.awake + 15_000 };
    await ask();
    expect(sockets).toHaveLength(1);
    clock = { now: clock.now + 3_600_000, awake: clock.awake + 5_000 };
    await ask();
    expect(sockets).toHaveLength(2);
  });

  it("ends when the request is stopped", async () => {
    const stop = AbortSignal.abort();
    const stopped = lasting.fetch(origin, { signal: stop });
    await expect(stopped).rejects.toMatchObject({ name: "AbortError" });
    expect(requests).toBe(0);
  });
});
