/** A stream of events is asked for again when it ends, and never in a flood. */
import { expect, it, onTestFinished } from "vitest";
import { reconnectionDelay } from "../../../src/mcp/transport/http-transport.ts";
import { bodyOf, json, listen } from "../../support/http-server.ts";
import { start } from "../../support/mcp-server.ts";
import fc from "../../support/property.ts";
import { at } from "../../support/remote-server.ts";

it("waits half a second to a minute, whatever a server says", () => {
  const said = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(0, 1e12, 2 ** 31));
  fc.assert(
    fc.property(said, (wanted) => {
      const delay = reconnectionDelay(wanted);
      expect(delay).toBeGreaterThanOrEqual(500);
      expect(delay).toBeLessThanOrEqual(60_000);
    }),
  );
  expect(reconnectionDelay(1500)).toBe(1500);
});

it("leaves time between the streams of a server that wants none", async () => {
  const ends: number[] = [];
  const begins: number[] = [];
  let second = () => {};
  const again = new Promise<void>((resolve) => {
    second = resolve;
  });
  const site = await listen(async (request, response) => {
    const text = await bodyOf(request);
    if (request.method === "GET") {
      begins.push(performance.now());
      if (begins.length === 2) second();
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      ends.push(performance.now());
      return void response.end("retry: 0\nid: 1\ndata:\n\n");
    }
    const { id, method = "" } = request.method === "POST" ? JSON.parse(text) : {};
    const reply = (result: object) => json(response, 200, { jsonrpc: "2.0", id, result });
    if (method.startsWith("notifications/")) return void response.writeHead(202).end();
    if (method === "tools/list") return reply({ tools: [] });
    if (method !== "initialize") return void response.writeHead(400).end();
    const serverInfo = { name: "floods", version: "1" };
    reply({ protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo });
  });
  onTestFinished(site.close);
  const { server } = start({ ...at({ port: Number(new URL(site.origin).port) }) });
  await server.tools(10_000);
  await again;
  // A timer may be a millisecond early by another clock.
  expect((begins[1] ?? 0) - (ends[0] ?? 0)).toBeGreaterThan(490);
});
