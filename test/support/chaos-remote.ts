/** An MCP server behind an address whose first answers are good ones with anything wrong, from a seed. */
import type { ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { onTestFinished } from "vitest";
import type { HttpConfiguration } from "../../src/mcp/configured/launch-configuration.ts";
import { createChaos, resultOf } from "./chaos.mjs";
import { bodyOf, listen } from "./http-server.ts";
import { at } from "./remote-server.ts";

const json = "application/json";
const events = "text/event-stream";
const refusals = [400, 403, 404, 405, 409, 410, 429, 500, 502, 503, 504];
const event = (message: unknown) => `event: message\ndata: ${JSON.stringify(message)}\n\n`;

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, type === "" ? {} : { "content-type": type }).end(body);
}

/** The server ends with the test. */
export async function chaosBehindAddress(seed: number): Promise<HttpConfiguration> {
  const chaos = createChaos(seed);
  const { of } = chaos;
  let left = 12;
  const site = await listen(async (request, response) => {
    const text = await bodyOf(request);
    if (request.method !== "POST") return send(response, of([405, 404, 200]), "", "");
    const message = JSON.parse(text);
    if (message.id === undefined || message.method === undefined) {
      return send(response, of([202, 200, 204, 400]), "", "");
    }
    const good = { jsonrpc: "2.0", id: message.id, result: resultOf(message) };
    left -= 1;
    // Most servers are known once, or there would be nothing else to break.
    const isGood = left < 0 || (message.method === "initialize" && seed % 4 > 0);
    const right = () => send(response, 200, json, JSON.stringify(good));
    const answer = isGood ? right : of([right, ...wrongAnswers(response, good, chaos)]);
    answer();
  });
  onTestFinished(site.close);
  return at({ port: Number(new URL(site.origin).port) });
}

function wrongAnswers(
  response: ServerResponse,
  good: { readonly result: object },
  { below, of, values, mutated }: ReturnType<typeof createChaos>,
): readonly (() => void)[] {
  const text = JSON.stringify(good);
  const sendJson = (value: unknown) => send(response, 200, json, JSON.stringify(value));
  const wrongResult = () => sendJson({ ...good, result: mutated(good.result) });
  return [
    wrongResult,
    wrongResult,
    () => send(response, 200, events, event(good)),
    () => send(response, 200, events, event(mutated(good)) + event(good)),
    () => send(response, of([200, 400, 401]), json, JSON.stringify(mutated(good))),
    () => send(response, of(refusals), "", ""),
    () => send(response, of([200, 400, 500]), "text/html", "<html>Sorry</html>"),
    () => send(response, 200, json, of(["", "{", "[]", "null", "7", '"a"'])),
    () => send(response, 200, events, of(["", "data:\n\n", "data: {\n\n", ":\n"])),
    () => send(response, 200, of(["", "text/plain", "application/xml", ";;"]), text),
    () => send(response, 202, "", ""),
    () => void response.destroy(),
    () => "no answer",
    () => response.writeHead(200).flushHeaders(),
    () => {
      response.setHeader("location", of(["/", "/loop", "http://127.0.0.1:1/", "nowhere:"]));
      send(response, of([301, 302, 307, 308]), "", "");
    },
    () => {
      response.setHeader("mcp-session-id", of(["a", "b", "x".repeat(3000)]));
      send(response, 200, json, text);
    },
    () => {
      response.writeHead(200, { "content-type": events }).write(event(good).slice(0, below(60)));
      void delay(20).then(() => response.destroy());
    },
    () => {
      response.setHeader("www-authenticate", of(["Bearer", "Basic", "", "Bearer error=", "x"]));
      send(response, 401, json, JSON.stringify(values()));
    },
  ];
}
