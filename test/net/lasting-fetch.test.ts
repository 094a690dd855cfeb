/** Connections that stay open between requests: counted at the server, with clocks that the test sets. */
import {
  type ClientRequestArgs,
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createSecureServer, type Server as SecureServer } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import { Readable } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import { setImmediate as turn } from "node:timers/promises";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { bodyPieces } from "../../src/net/body-pieces.ts";
import { createLastingFetch, type LastingFetch } from "../../src/net/lasting-fetch.ts";
import { selfSigned } from "../support/self-signed.ts";

let server: Server;
let origin: string;
let sockets: Socket[];
let requests: number;
/** Called with each request before the server answers; true if it has handled the request. */
let before: (socket: Socket, number: number) => boolean;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let lasting: LastingFetch;
let clock: { now: number; awake: number };

beforeEach(async () => {
  sockets = [];
  requests = 0;
  before = () => false;
  answer = (_, response) => response.end("fine");
  clock = { now: 1e12, awake: 0 };
  server = createServer((request, response) => {
    requests += 1;
    if (before(request.socket, requests)) return;
    request.resume().on("end", () => answer(request, response));
  });
  server.keepAliveTimeout = 0;
  server.on("connection", (socket) => sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  lasting = createLastingFetch({
    idleMs: 300_000,
    clocks: { now: () => clock.now, awake: () => clock.awake },
  });
});
afterEach(async () => {
  lasting.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function ask(): Promise<string> {
  const { body } = await lasting.fetch(origin, { method: "POST", body: "question" });
  const text = await textOf(Readable.from(body ?? []));
  // The connection can be reused only after Node has seen the end of this response.
  for (let turns = 0; turns < 20; turns += 1) await turn();
  return text;
}

async function until(what: string, check: () => boolean): Promise<void> {
  for (const end = Date.now() + 10_000; !check(); await turn()) {
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
  }
}

describe("a connection", () => {
  it("is reused for later requests", async () => {
    for (let number = 0; number < 5; number += 1) expect(await ask()).toBe("fine");
    expect(sockets).toHaveLength(1);
  });

  it("that was opened ahead is used for the next request, and only one is opened", async () => {
    lasting.openAhead(`${origin}/v1`);
    lasting.openAhead(origin);
    await until("a connection", () => sockets.length === 1);
    expect(requests).toBe(0);
    expect(await ask()).toBe("fine");
    lasting.openAhead(origin);
    expect(await ask()).toBe("fine");
    expect(sockets).toHaveLength(1);
  });

  it("that was opened ahead to an IPv6 address is used for the next request", async () => {
    const { port } = server.address() as AddressInfo;
    const places: ClientRequestArgs[] = [];
    lasting = createLastingFetch({
      idleMs: 300_000,
      // This also works on a machine without IPv6.
      connect(place) {
        places.push(place);
        return connect(port, "127.0.0.1");
      },
    });
    origin = `http://[::1]:${port}`;
    lasting.openAhead(origin);
    await until("a connection", () => sockets.length === 1);
    expect(await ask()).toBe("fine");
    expect(places).toMatchObject([{ host: "::1", port }]);
    expect(sockets).toHaveLength(1);
  });

  it("that was opened ahead and closed by the server is replaced", async () => {
    lasting.openAhead(origin);
    await until("a connection", () => sockets.length === 1);
    sockets[0]?.destroy();
    expect(await ask()).toBe("fine");
  });

  it("that closed while idle is replaced without an error", async () => {
    await ask();
    // The server resets the second request on this connection, as if it were closing the idle connection.
    before = (socket, number) => number === 2 && Boolean(socket.destroy());
    expect(await ask()).toBe("fine");
    expect(requests).toBe(3);
    expect(sockets).toHaveLength(2);
  });

  it("that closed while idle is not replaced by another one of the same age", async () => {
    const both = Promise.all([ask(), ask()]);
    await both;
    expect(sockets).toHaveLength(2);
    before = (socket) => sockets.indexOf(socket) < 2 && Boolean(socket.destroy());
    expect(await ask()).toBe("fine");
    expect(sockets).toHaveLength(3);
  });

  it("that returned an invalid response is not tried again, because the request may have cost money", async () => {
    await ask();
    before = (socket, number) => number === 2 && socket.end("what is this\r\n\r\n") !== null;
    await expect(ask()).rejects.toMatchObject({ code: expect.stringMatching(/^HPE_/) });
    expect(requests).toBe(2);
  });

  it("that closes during its first request, or again after one retry, causes an error", async () => {
    before = (socket) => Boolean(socket.destroy());
    await expect(ask()).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(requests).toBe(1);
    before = () => false;
    await ask();
    before = (socket) => Boolean(socket.destroy());
    await expect(ask()).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(requests).toBe(4);
  });

  it("is not reused after the machine was asleep", async () => {
    await ask();
    clock = { now: clock.now + 15_000, awake: clock.awake + 15_000 };
    await ask();
    expect(sockets).toHaveLength(1);
    clock = { now: clock.now + 3_600_000, awake: clock.awake + 5_000 };
    await ask();
    expect(sockets).toHaveLength(2);
  });

  it("is not used when the request is already aborted", async () => {
    const stop = AbortSignal.abort();
    const stopped = lasting.fetch(origin, { signal: stop });
    await expect(stopped).rejects.toMatchObject({ name: "AbortError" });
    expect(requests).toBe(0);
  });
});

describe("a request that waits for permission to be sent", () => {
  const sent = () => sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0);

  it("opens or reuses its connection and is sent when permitted", async () => {
    for (const asked of [1, 2]) {
      let leave = () => {};
      const ready = new Promise<void>((resolve) => {
        leave = resolve;
      });
      const before = sent();
      const answered = lasting.fetch(origin, { method: "POST", body: "question", ready });
      await until("its connection", () => sockets.length === 1);
      for (let turns = 0; turns < 20; turns += 1) await turn();
      expect({ sent: sent() - before, requests }).toEqual({ sent: 0, requests: asked - 1 });
      leave();
      expect(await textOf(Readable.from((await answered).body ?? []))).toBe("fine");
      for (let turns = 0; turns < 20; turns += 1) await turn();
    }
    expect(sockets).toHaveLength(1);
  });

  it("sends nothing and fails with the reason when permission is refused", async () => {
    let refuse = (_: unknown) => {};
    const ready = new Promise<void>((_, reject) => {
      refuse = reject;
    });
    const asked = lasting.fetch(origin, { method: "POST", body: "question", ready });
    await until("its connection", () => sockets.length === 1);
    refuse(new Error("not now"));
    await expect(asked).rejects.toThrow("not now");
    await until("the end of its connection", () => sockets.every(({ destroyed }) => destroyed));
    expect({ sent: sent(), requests }).toEqual({ sent: 0, requests: 0 });
  });

  it("is sent on a new connection if the server has closed the kept one", async () => {
    await ask();
    let leave = () => {};
    const ready = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const answered = lasting.fetch(origin, { method: "POST", body: "question", ready });
    await turn();
    sockets[0]?.destroy();
    await until("another connection", () => sockets.length === 2);
    expect(requests).toBe(1);
    leave();
    expect((await answered).status).toBe(200);
    expect(requests).toBe(2);
  });
});

describe("a response", () => {
  const words = "fine, ".repeat(1000);

  it.each([
    { encoding: "gzip", pack: gzipSync },
    { encoding: "deflate", pack: deflateSync },
    { encoding: "BR", pack: brotliCompressSync },
  ])(
    "that is compressed with $encoding, though not requested, is decompressed",
    async ({ encoding, pack }) => {
      answer = (request, response) => {
        expect(request.headers["accept-encoding"]).toBe("identity");
        response.writeHead(200, { "content-encoding": encoding }).end(pack(words));
      };
      expect(await ask()).toBe(words);
      expect(await ask()).toBe(words);
      expect(sockets).toHaveLength(1);
    },
  );

  it("that is badly compressed or cut off fails", async () => {
    answer = (_, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end("no gzip at all");
    };
    await expect(ask()).rejects.toMatchObject({ code: "Z_DATA_ERROR" });
    const packed = gzipSync(words);
    for (const encoding of ["gzip", "identity"]) {
      answer = (_, response) => {
        const head = { "content-encoding": encoding, "content-length": packed.length };
        response.writeHead(200, head).write(packed.subarray(0, 30), () => response.destroy());
      };
      await expect(ask()).rejects.toMatchObject({ code: "ECONNRESET" });
    }
  });

  it("with a redirect is returned with all its headers and not followed", async () => {
    answer = (_, response) => {
      response.writeHead(302, { location: `${origin}/else`, "set-cookie": ["a=1", "b=2"] }).end();
    };
    const { status, ok, headers } = await lasting.fetch(origin);
    expect([status, ok, headers.get("location")]).toEqual([302, false, `${origin}/else`]);
    expect(headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(requests).toBe(1);
  });

  it("that is aborted closes its connection", async () => {
    answer = (_, response) => {
      response.write("first");
    };
    const stop = new AbortController();
    const { body } = await lasting.fetch(origin, { signal: stop.signal });
    const reason = new Error("enough");
    const reading = (async () => {
      for await (const _ of bodyPieces(body, stop.signal)) stop.abort(reason);
    })();
    await expect(reading).rejects.toBe(reason);
    await until("the close", () => sockets[0]?.destroyed === true);
  });
});

it("a compressed response that is aborted while unread causes no uncaught exception", async () => {
  const errors: unknown[] = [];
  const note = (error: unknown) => errors.push(error);
  process.on("uncaughtException", note);
  try {
    answer = (_, response) => {
      response
        .writeHead(200, { "content-encoding": "gzip" })
        .write(gzipSync("words").subarray(0, 12));
    };
    const stop = new AbortController();
    await lasting.fetch(origin, { signal: stop.signal });
    stop.abort();
    await until("the close", () => sockets[0]?.destroyed === true);
    for (let turns = 0; turns < 20; turns += 1) await turn();
    expect(errors).toEqual([]);
  } finally {
    process.off("uncaughtException", note);
  }
});

describe("connections over TLS", () => {
  let secure: SecureServer;
  let handshakes: number;
  beforeEach(async () => {
    handshakes = 0;
    secure = createSecureServer(selfSigned, (_, response) => response.end("fine"));
    secure.on("secureConnection", () => {
      handshakes += 1;
    });
    await new Promise<void>((resolve) => secure.listen(0, "localhost", resolve));
    origin = `https://localhost:${(secure.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    lasting.close();
    secure.closeAllConnections();
    await new Promise((resolve) => secure.close(resolve));
  });

  it.each(["localhost", "127.0.0.1"])(
    "to %s that were opened ahead are used for the next requests",
    async (host) => {
      vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
      origin = origin.replace("localhost", host);
      const names: unknown[] = [];
      secure.on("secureConnection", (socket) => {
        names.push("servername" in socket && socket.servername);
      });
      lasting.openAhead(origin);
      await until("a handshake", () => handshakes === 1);
      expect([await ask(), await ask(), await ask()]).toEqual(["fine", "fine", "fine"]);
      expect(handshakes).toBe(1);
      // The server name must not be an address (RFC 6066, section 3).
      expect(names).toEqual([host === "localhost" && host]);
    },
  );

  it("with an untrusted certificate are rejected, opened ahead or not", async () => {
    const untrusted = { code: "DEPTH_ZERO_SELF_SIGNED_CERT" };
    await expect(ask()).rejects.toMatchObject(untrusted);
    lasting.openAhead(origin);
    for (let turns = 0; turns < 20; turns += 1) await turn();
    await expect(ask()).rejects.toMatchObject(untrusted);
  });
});
