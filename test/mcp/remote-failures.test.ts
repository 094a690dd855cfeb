/** Servers behind an address that misbehave, on real sockets. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { createClientFeatures } from "../../src/mcp/asking/client-features.ts";
import type { HttpConfiguration } from "../../src/mcp/configured/launch-configuration.ts";
import { bodyOf, json, listen } from "../support/http-server.ts";
import { call, namesOf, noFeatures, start } from "../support/mcp-server.ts";
import { at, modern, modernServer } from "../support/remote-server.ts";
import { scriptedUser } from "../support/scripted-user.ts";

type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly id: unknown;
  readonly reply: (result: object) => void;
};
type Answers = Readonly<Record<string, (exchange: Exchange) => void>>;

/** A server of 2025-11-25 by hand; what it was asked is kept. */
async function scripted(answers: Answers = {}) {
  const asked: string[] = [];
  const site = await listen(async (request, response) => {
    const text = await bodyOf(request);
    const message = request.method === "POST" ? JSON.parse(text) : {};
    const what = message.method ?? ("id" in message ? "answer" : request.method);
    asked.push(what);
    const reply = (result: object) =>
      json(response, 200, { jsonrpc: "2.0", id: message.id, result });
    const exchange = { request, response, id: message.id, reply };
    const own = answers[what];
    if (own !== undefined) return own(exchange);
    if (what === "initialize") {
      response.setHeader("Mcp-Session-Id", "session-1");
      const serverInfo = { name: "scripted", version: "1" };
      return reply({ protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo });
    }
    if (what === "tools/list") {
      return reply({ tools: [{ name: "work", inputSchema: { type: "object" } }] });
    }
    if (what === "tools/call") return reply({ content: [{ type: "text", text: "done" }] });
    if (what.startsWith("notifications/")) return void response.writeHead(202).end();
    response.writeHead(what === "server/discover" ? 400 : 405).end();
  });
  onTestFinished(site.close);
  const { server, logged } = start({ ...at({ port: Number(new URL(site.origin).port) }) });
  return { server, logged, asked, origin: site.origin };
}

const calls = (asked: readonly string[]) => asked.filter((what) => what === "tools/call").length;
const stream = (response: ServerResponse, text: string) =>
  response.writeHead(200, { "Content-Type": "text/event-stream" }).write(text);

describe("a call", () => {
  it("whose stream breaks off is taken up where it was, and made once", async () => {
    const resumed: unknown[] = [];
    let id: unknown;
    const { server, asked } = await scripted({
      "tools/call": (exchange) => {
        id = exchange.id;
        stream(exchange.response, "retry: 1\nid: event-1\ndata:\n\n");
        setImmediate(() => exchange.response.destroy());
      },
      GET: ({ request, response }) => {
        const last = request.headers["last-event-id"];
        if (last === undefined) return void response.writeHead(405).end();
        resumed.push(last);
        const result = { content: [{ type: "text", text: "late" }] };
        stream(response, `data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`);
        response.end();
      },
    });
    expect(await call(server, "work")).toMatchObject({ text: "late" });
    expect(resumed).toEqual(["event-1"]);
    expect(calls(asked)).toBe(1);
  });

  it("whose stream cannot be taken up ends at once, and is not repeated", async () => {
    const { server, asked } = await scripted({
      "tools/call": ({ response }) => {
        stream(response, ": hello\n\n");
        setImmediate(() => response.destroy());
      },
    });
    const { status, text } = await call(server, "work");
    expect(status).toBe("error");
    expect(text).toMatch(
      /not repeated. It is not known whether it had an effect. Its answer broke/,
    );
    expect(calls(asked)).toBe(1);
  });

  it("whose connection breaks off is not repeated", async () => {
    const { server, asked } = await scripted({
      "tools/call": ({ response }) => response.destroy(),
    });
    const { text } = await call(server, "work");
    expect(text).toMatch(/not repeated. It is not known.*The connection to http:\S+ broke off/);
    expect(calls(asked)).toBe(1);
  });

  it("that a server without sessions does not find is made once", async () => {
    const { server, asked } = await scripted({
      initialize: ({ reply }) =>
        reply({
          protocolVersion: "2025-11-25",
          capabilities: { tools: {} },
          serverInfo: { name: "stateless", version: "1" },
        }),
      "tools/call": ({ response }) => json(response, 404, { error: "no such city" }),
    });
    expect((await call(server, "work")).text).toContain("HTTP 404");
    expect(calls(asked)).toBe(1);
  });

  it.each([404, 400])(
    "that a new session refuses too (%s) is not made a third time",
    async (status) => {
      const { server, asked } = await scripted({
        "tools/call": ({ response }) => json(response, status, { error: "no valid session" }),
      });
      const { text } = await call(server, "work");
      expect(text).toContain(`The call was not made. It refused the request with HTTP ${status}`);
      expect(calls(asked)).toBe(2);
      expect(asked.filter((what) => what === "initialize")).toHaveLength(2);
    },
  );

  it.each([500, 502, 503])("that is answered with %s may have had its effect", async (status) => {
    const { server, asked } = await scripted({
      "tools/call": ({ response }) => void response.writeHead(status).end("no"),
    });
    const { text } = await call(server, "work");
    expect(text).toMatch(/not repeated. It is not known whether it had an effect. It refused/);
    expect(calls(asked)).toBe(1);
  });

  it("that is refused for another reason is made once", async () => {
    const page = `<html>${"word ".repeat(2000)}</html>`;
    const { server, asked } = await scripted({
      "tools/call": ({ response }) => void response.writeHead(400).end(page),
    });
    const { text } = await call(server, "work");
    expect(text).toContain("HTTP 400 Bad Request: <html>word word");
    expect(text.length).toBeLessThan(400);
    expect(calls(asked)).toBe(1);
  });

  it("whose answer is not JSON may have had its effect", async () => {
    const { server, asked } = await scripted({
      "tools/call": ({ response }) =>
        void response.writeHead(200, { "Content-Type": "application/json" }).end("{no"),
    });
    expect((await call(server, "work")).text).toBe(
      "There is no result, and the call was not repeated. It is not known whether it had an effect. It answered with something that is not MCP.",
    );
    expect(calls(asked)).toBe(1);
  });

  it.each([
    ["a text", '"jsonrpc":"2.0","result":"hello"', "application/json", "hello"],
    ["nothing", '"jsonrpc":"2.0","result":null', "application/json", "(empty result)"],
    ["beside an error that is none", '"result":{"content":"a"},"error":null', "text/plain", "a"],
    ["of no type", '"jsonrpc":"2.0","result":{"content":"a","_meta":null}', "", "a"],
  ])("whose result is %s is heard", async (_, members, type, text) => {
    const headers = type === "" ? {} : { "Content-Type": type };
    const { server } = await scripted({
      "tools/call": ({ response, id }) =>
        void response.writeHead(200, headers).end(`{"id":${JSON.stringify(id)},${members}}`),
    });
    expect((await call(server, "work")).text).toBe(text);
  });

  it.each([
    ["a text", '"jsonrpc":"2.0","result":"hello"', "hello"],
    ["beside an error that is none", '"result":{"content":"a"},"error":null', "a"],
    [
      "with empty remarks",
      '"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"a\u2028b"}],"_meta":null}',
      "a\u2028b",
    ],
  ])("whose result is %s is heard in a stream", async (_, members, text) => {
    const { server } = await scripted({
      "tools/call": ({ response, id }) =>
        stream(
          response,
          `: hi\r\nevent: message\r\ndata: {"id":${JSON.stringify(id)},${members}}\r\n\r\n`,
        ),
    });
    expect((await call(server, "work")).text).toBe(text);
  });

  it("whose server asks for thousands of answers at once ends, with the connection", async () => {
    let answers = 0;
    const { server } = await scripted({
      "tools/call": ({ response }) => {
        const ping = (at: number) =>
          `data: ${JSON.stringify({ jsonrpc: "2.0", id: `ping-${at}`, method: "ping" })}\n\n`;
        stream(response, Array.from({ length: 3000 }, (_, at) => ping(at)).join(""));
      },
      answer: ({ response }) => {
        answers += 1;
        response.writeHead(202).end();
      },
    });
    expect((await call(server, "work")).text).toContain("sent more than 100 requests at once");
    expect(answers).toBeLessThan(200);
  });

  it("that is stopped ends, whatever its server does", async () => {
    const { server } = await scripted({ "tools/call": () => {} });
    await namesOf(server);
    const stop = new AbortController();
    const stopped = call(server, "work", {}, stop.signal);
    stop.abort();
    expect((await stopped).status).toBe("cancelled");
  });
});

describe("a server", () => {
  const open = (origin: string, more: Partial<HttpConfiguration>) =>
    start(at({ port: Number(new URL(origin).port) }, "/mcp", more));

  it("that has no stream of the older kind says what may be meant", async () => {
    const { origin } = await scripted();
    const { server } = start({ ...at({ port: Number(new URL(origin).port) }), transport: "sse" });
    expect((await server.tools(15_000)).problems.join()).toMatch(
      /HTTP 405\. If it speaks Streamable HTTP now, write type http/,
    );
  });

  it("that wants a login is needs-auth, and named", async () => {
    const refuse = ({ response }: Exchange) => void response.writeHead(401).end();
    const { server } = await scripted({ "server/discover": refuse, initialize: refuse });
    const { problems } = await server.tools(15_000);
    expect(problems.join()).toContain("HTTP 401");
    expect(server.status().state).toBe("needs-auth");
  });

  it("that redirects to another origin gets no headers there", async () => {
    const elsewhere: unknown[] = [];
    const other = await listen(async (request, response) => {
      elsewhere.push(request.headers);
      response.writeHead(200).end();
    });
    onTestFinished(other.close);
    const redirect = ({ response }: Exchange) =>
      void response.writeHead(307, { Location: `${other.origin}/mcp` }).end();
    const { origin } = await scripted({ "server/discover": redirect, initialize: redirect });
    const { server } = open(origin, { headers: { "x-key": "secret-value" } });
    const { problems } = await server.tools(15_000);
    expect(problems.join()).toContain("redirects to another address (HTTP 307)");
    expect(elsewhere).toEqual([]);
  });

  it("that repeats what it was sent makes no sentence and no log with it", async () => {
    const tell = ({ request, response }: Exchange) =>
      void response.writeHead(500).end(`your key is ${request.headers.authorization}`);
    const { origin } = await scripted({ "server/discover": tell, initialize: tell });
    const headers = { authorization: "Bearer secret-value" };
    const { server, logged } = open(origin, { headers });
    const { problems } = await server.tools(15_000);
    expect(problems.join()).toContain("[hidden]");
    expect([...problems, ...logged].join()).not.toContain("secret-value");
  });

  it("that repeats the token of a login makes no sentence and no log with it", async () => {
    const tell = ({ request, response }: Exchange) =>
      void response.writeHead(500).end(`your token is ${request.headers.authorization}`);
    const { origin } = await scripted({ "server/discover": tell, initialize: tell });
    const { server, logged } = open(origin, { login: granted("granted-value") });
    const { problems } = await server.tools(15_000);
    expect(problems.join()).toContain("[hidden]");
    expect([...problems, ...logged].join()).not.toContain("granted-value");
  });

  it.each([
    ["key", { headers: { authorization: "Bearer secret-value" } }],
    ["token of a login", { login: granted("secret-value") }],
  ])("that repeats the %s in the result of a call keeps it from the model", async (_, given) => {
    const tell = ({ request, reply }: Exchange) => {
      const text = `HTTP 401 from upstream: ${request.headers.authorization}`;
      reply({ content: [{ type: "text", text }], isError: true });
    };
    const { origin } = await scripted({ "tools/call": tell });
    const { text } = await call(open(origin, given).server, "work");
    expect(text).toMatch(/^HTTP 401 from upstream: (Bearer )?\[hidden\]$/);
  });

  it("that is a page of the web is named", async () => {
    const page = ({ response }: Exchange) =>
      void response.writeHead(200, { "Content-Type": "text/html" }).end("<html></html>");
    const { server } = await scripted({ "server/discover": page, initialize: page });
    expect((await server.tools(15_000)).problems.join()).toMatch(/text\/html/);
  });

  it.each([
    ["an empty success", 200, "", ""],
    ["no content", 204, "", ""],
    ["nothing", 200, "application/json", "null"],
    ["a page", 200, "text/html", "<html></html>"],
    ["an error without an id", 200, "application/json", '{"jsonrpc":"2.0","id":null,"error":{}}'],
    ["a no", 403, "", ""],
    ["a failure of its own", 500, "text/plain", "undefined method"],
    ["a gateway's failure", 502, "text/html", "<html></html>"],
  ])(
    "of the older revision may answer %s to what it does not know",
    async (_, status, type, body) => {
      const headers = type === "" ? {} : { "Content-Type": type };
      const { server, asked } = await scripted({
        "server/discover": ({ response }) => void response.writeHead(status, headers).end(body),
      });
      expect(await namesOf(server)).toEqual(["work"]);
      expect(asked.filter((what) => what === "initialize")).toHaveLength(1);
    },
  );

  it.each([
    { capabilities: { tools: {}, prompts: null, logging: false }, instructions: null },
    { serverInfo: null, _meta: null },
    {
      serverInfo: { name: "x", title: 4, version: 2 },
      capabilities: { tools: [{ name: "work" }] },
    },
    { capabilities: true },
    { protocolVersion: undefined },
    { protocolVersion: null, capabilities: null, serverInfo: undefined },
  ])("that introduces itself as %j is used", async (said) => {
    const { server } = await scripted({
      initialize: ({ reply }) => {
        const serverInfo = { name: "scripted" };
        reply({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo, ...said });
      },
    });
    expect(await namesOf(server)).toEqual(["work"]);
  });

  /** A server of the older SSE that opens its stream, and never names the address for messages. */
  async function nameless() {
    const opened: true[] = [];
    const site = await listen(async (request, response) => {
      if (request.method !== "GET") return void response.writeHead(405).end();
      response.writeHead(200, { "Content-Type": "text/event-stream" }).write(": hello\n\n");
      opened.push(true);
    });
    onTestFinished(site.close);
    return { opened, configuration: at({ port: Number(new URL(site.origin).port) }) };
  }

  it.each([
    ["sse", "It did not answer within 0.2 s."],
    ["http", "It refused the request with HTTP 405 Method Not Allowed."],
  ] as const)(
    "that opens its stream and says no more is given up: %s",
    async (transport, words) => {
      const { configuration, opened } = await nameless();
      const { server } = start({ ...configuration, transport }, { startTimeoutMs: 200 });
      expect((await server.tools(15_000)).problems.join()).toContain(words);
      expect(opened).toHaveLength(1);
    },
  );

  it("that opens its stream and says no more can be closed meanwhile", async () => {
    const { configuration, opened } = await nameless();
    const { server } = start({ ...configuration, transport: "sse" });
    const listed = server.tools(15_000);
    await expect.poll(() => opened.length).toBe(1);
    await server.close();
    expect((await listed).tools).toEqual([]);
  });

  it("that does not answer is given up in time", async () => {
    const site = await listen(async () => {});
    onTestFinished(site.close);
    const silent = at({ port: Number(new URL(site.origin).port) });
    const { server } = start(silent, { startTimeoutMs: 200 });
    expect((await server.tools(15_000)).problems.join()).toContain("within 0.2 s");
  });
});

describe("a server of 2026-07-28 that asks back", () => {
  it.each(["stdio", "http"])("gets the answer of the form over %s", async (way) => {
    const one = scriptedUser(["Answer", "Bern", "Send"]);
    const features = createClientFeatures({ ...noFeatures, user: one });
    const stdio = { command: process.execPath, args: [modernServer], protocol: "auto" as const };
    const { server } = start(way === "stdio" ? stdio : at(await modern()), { features });
    expect(await call(server, "order", { what: "tea" })).toMatchObject({ text: "tea to Bern" });
  });
});

/** A login that was given the token. */
function granted(token: string): NonNullable<HttpConfiguration["login"]> {
  return {
    authProvider: { token: async () => token, onUnauthorized: async () => {} },
    wantsScope: async () => {},
    needsLogin: async () => false,
    isForPeople: true,
    login: async () => {},
    logout: async () => false,
  };
}
