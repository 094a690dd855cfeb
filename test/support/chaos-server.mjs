// An MCP server over stdio whose every answer is a good one with something wrong, from a seed: `SEED STEPS RUNS`. After
// that many answers it is good. The texts of calls are added to the file RUNS, where one is named.
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { createChaos, resultOf } from "./chaos.mjs";

const [, , seed = "1", steps = "6", runs = ""] = process.argv;
let left = Number(steps);
const { below, of, values, mutated } = createChaos(Number(seed));

const line = (message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;

// The client may be gone in the middle of a line.
process.stdout.on("error", () => {});

let asked = 0;

function asides() {
  asked += 1;
  const request = (method, params) => line({ id: of([asked, `s${asked}`]), method, params });
  const notification = (method, params) => line({ method, params });
  return of([
    () => request("ping"),
    () => request("roots/list"),
    () => request("sampling/createMessage", mutated({ messages: [], maxTokens: 1 })),
    () =>
      request(
        "elicitation/create",
        mutated({ message: "?", requestedSchema: { type: "object", properties: {} } }),
      ),
    () => request("no/such", values()),
    () => request(values(), values()),
    () => notification("notifications/tools/list_changed"),
    () => notification("notifications/message", mutated({ level: "info", data: "said" })),
    () => notification("notifications/progress", mutated({ progressToken: 1, progress: 1 })),
    () => notification("notifications/cancelled", mutated({ requestId: 1 })),
    () => notification("notifications/resources/updated", mutated({ uri: "file:///a" })),
    () => `${JSON.stringify(mutated({ jsonrpc: "2.0", id: 1, result: {} }))}\n`,
    () => of(["not JSON\n", "{\n", "[]\n", "null\n", "\n", "\r\n", "\uFEFF\n", "7\n", "[[]]\n"]),
    () => `${"[".repeat(20_000)}\n`,
    () => Buffer.from([0xff, 0xfe, 0x0a]),
  ])();
}

function write(text) {
  const bytes = Buffer.from(text);
  // In two pieces, wherever that cuts.
  const cut = below(bytes.length + 1);
  process.stdout.write(bytes.subarray(0, cut));
  setTimeout(() => process.stdout.write(bytes.subarray(cut)), below(3) * 5);
}

function answer(request) {
  if (request.method === "tools/call" && runs !== "") {
    appendFileSync(runs, `${request.params?.arguments?.text}\n`);
  }
  const good = { id: request.id, result: resultOf(request) };
  if (left <= 0 || (request.method === "initialize" && Number(seed) % 4 > 0))
    return write(line(good));
  left -= 1;
  if (below(3) === 0) write(asides());
  switch (below(16)) {
    case 0:
    case 9:
    case 10:
    case 11:
      return write(line({ ...good, result: mutated(good.result) }));
    case 1:
    case 12:
      return write(line(mutated(good)));
    case 2:
      return write(line({ id: request.id, error: mutated({ code: -32603, message: "no" }) }));
    case 3:
      return write(`${line(good)}${line(mutated(good))}`);
    case 4:
      return write(line({ ...good, id: of([String(request.id), -1, null, 1.5, {}]) }));
    case 5:
      return below(2) === 0 ? process.exit(below(3)) : process.kill(process.pid, "SIGKILL");
    case 6:
      return below(2) === 0 ? process.stdout.end() : undefined;
    case 7:
    case 8:
      return write(`${JSON.stringify([{ jsonrpc: "2.0", ...good }])}\r\n`);
    default:
      return write(line(good));
  }
}

createInterface({ input: process.stdin }).on("line", (text) => {
  const message = JSON.parse(text);
  if (message.method && message.id !== undefined) answer(message);
  else if (left > 0 && below(4) === 0) write(asides());
});
