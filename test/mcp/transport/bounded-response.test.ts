import { expect, it, onTestFinished } from "vitest";
import { boundedResponse } from "../../../src/mcp/transport/bounded-response.ts";
import { bodyOf, json, listen } from "../../support/http-server.ts";
import { call, start } from "../../support/mcp-server.ts";
import fc from "../../support/property.ts";
import { at } from "../../support/remote-server.ts";

function response(pieces: readonly string[], type: string): Response {
  const body = new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      controller.close();
    },
  });
  return new Response(body, { headers: { "Content-Type": type } });
}

const read = (pieces: readonly string[], type: string, largest: number) =>
  boundedResponse(response(pieces, type), largest).text();

it("an answer is read up to its limit, however it is cut", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ unit: "grapheme-ascii" })), async (pieces) => {
      const whole = pieces.join("");
      expect(await read(pieces, "application/json", whole.length)).toBe(whole);
      if (whole.length === 0) return;
      const short = read(pieces, "application/json", whole.length - 1);
      await expect(short).rejects.toThrow(/too large/);
    }),
    { numRuns: 30 },
  );
});

it("a stream of events may be long, but no event of it", async () => {
  const stream = "text/event-stream; charset=utf-8";
  const event = "data: 12345\r\n\r\n";
  const cut = (text: string, size: number) => text.match(new RegExp(`.{1,${size}}`, "gs")) ?? [];
  for (const size of [1, 2, 3, 100]) {
    const whole = event.repeat(100);
    expect(await read(cut(whole, size), stream, 40)).toBe(whole);
    const many = read(cut("data: 12345\n".repeat(100), size), stream, 40);
    await expect(many).rejects.toThrow(/too large/);
  }
});

it("an endless answer of a server ends its call, and is not read on", async () => {
  let sent = 0;
  const site = await listen(async (request, reply) => {
    const text = await bodyOf(request);
    const { id, method } = request.method === "POST" ? JSON.parse(text) : {};
    const result = (value: object) => json(reply, 200, { jsonrpc: "2.0", id, result: value });
    if (method === "initialize") {
      const serverInfo = { name: "endless", version: "1" };
      return result({ protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo });
    }
    if (method === "tools/list") {
      return result({ tools: [{ name: "work", inputSchema: { type: "object" } }] });
    }
    if (method === "server/discover") return void reply.writeHead(400).end();
    if (method !== "tools/call") return void reply.writeHead(method ? 202 : 405).end();
    reply.writeHead(200, { "Content-Type": "application/json" });
    const piece = Buffer.alloc(1024 * 1024, " ");
    const write = () => {
      while (!reply.destroyed && sent < 200) {
        sent += 1;
        if (!reply.write(piece)) return void reply.once("drain", write);
      }
    };
    write();
  });
  onTestFinished(site.close);
  const { server } = start(at({ port: Number(new URL(site.origin).port) }));
  const { status, text } = await call(server, "work");
  expect(status).toBe("error");
  expect(text).toMatch(/It is not known whether it had an effect. It sent a message over 64 MB/);
  expect(sent).toBeLessThan(100);
});
