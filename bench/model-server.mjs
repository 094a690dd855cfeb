/**
 * A minimal model server in its own process: it answers every request by the last plan it received, and reports when a
 * request arrived, when each delta was written and when the connection closed.
 */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { anthropicWire } from "./lib/anthropic-wire.mjs";
import { certificatePath, keyPath } from "./lib/certificate.mjs";
import { now } from "./lib/clock.mjs";

let plan = { deltas: 0, tag: 0 };
let pieces = [];

const event = (delta, finish) =>
  `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"gpt-5","choices":[{"index":0,"delta":${JSON.stringify(delta)},"finish_reason":${JSON.stringify(finish)}}]}\n\n`;

/** How each API streams an answer: its beginning, a delta of text, and its end. */
const wires = {
  openai: {
    opening: "",
    piece: (content) => event({ content }, null),
    ending: `${event({}, "stop")}data: [DONE]\n\n`,
  },
  anthropic: anthropicWire,
};
const wireOf = ({ wire = "openai" }) => wires[wire];

/** Returns a word that contains its answer's tag and its number, so that it can be recognized on the screen. */
const word = (plan, index) =>
  wireOf(plan).piece(plan.say ?? `w${plan.tag}x${index}${index % 10 === 9 ? "\n" : " "}`);

const callEvents = ({ name, arguments: text }) =>
  `${event(
    {
      tool_calls: [
        { index: 0, id: "call_slow", type: "function", function: { name, arguments: text } },
      ],
    },
    null,
  )}${event({}, "tool_calls")}data: [DONE]\n\n`;

/** Writes one delta at a time, each on schedule. */
async function writePaced(response, plan, written) {
  const { deltas, perSecond, hold } = plan;
  const begun = now();
  for (let index = 0; index < deltas && !response.destroyed; index += 1) {
    const wait = begun + (index * 1000) / perSecond - now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    written.push(now());
    response.write(word(plan, index));
  }
  if (!hold) response.end(wireOf(plan).ending);
}

const pieceSize = 100;

/** Waits until the socket accepts more data or is closed. */
function writable(response) {
  return new Promise((resolve) => {
    const end = () => {
      response.off("drain", end);
      response.off("close", end);
      resolve();
    };
    response.on("drain", end);
    response.on("close", end);
  });
}

function piecesOf(plan) {
  const pieces = [];
  for (let first = 0; first < plan.deltas; first += pieceSize) {
    const length = Math.min(pieceSize, plan.deltas - first);
    pieces.push(Array.from({ length }, (_, index) => word(plan, first + index)).join(""));
  }
  return pieces;
}

/** Writes as fast as the socket accepts it, in chunks of a hundred deltas. */
async function writeFlatOut(response, { plan, pieces }, written) {
  const { endless } = plan;
  written.push(now());
  do {
    for (const text of pieces) {
      if (response.destroyed) return;
      if (!response.write(text)) await writable(response);
    }
    if (endless) await new Promise((resolve) => setImmediate(resolve));
  } while (endless);
  response.end(wireOf(plan).ending);
}

async function answer(request, response) {
  const at = now();
  const current = plan;
  const wire = wireOf(current);
  const received = [];
  response.on("error", () => {});
  for await (const piece of request) received.push(piece);
  const whole = now();
  const aside = wire.aside?.(request.url, Buffer.concat(received));
  if (aside !== undefined) return response.end(aside);
  response.on("close", () => process.send({ type: "closed", at: now() }));
  const bytes = received.reduce((sum, { length }) => sum + length, 0);
  process.send({ type: "request", at, whole, bytes });
  // Waits until the client is idle again before the deltas begin.
  await new Promise((resolve) => setTimeout(resolve, current.afterMs ?? 0));
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  response.write(wire.opening);
  const written = [];
  if (current.call) response.end(callEvents(current.call));
  else if (current.perSecond) await writePaced(response, current, written);
  else await writeFlatOut(response, { plan: current, pieces }, written);
  process.send({ type: "written", times: written });
}

process.on("message", (message) => {
  plan = message;
  pieces = message.perSecond || message.call ? [] : piecesOf(message);
  process.send({ type: "ready" });
});
process.on("disconnect", () => process.exit(0));

/** Starts the server and returns its port. */
async function listen(server) {
  server.keepAliveTimeout = 0;
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server.address().port;
}
const certificate = { key: readFileSync(keyPath), cert: readFileSync(certificatePath) };
const port = await listen(createServer(answer));
const securePort = await listen(createSecureServer(certificate, answer));
process.send({ type: "listening", port, securePort });
