/** Events of a server go through as they are, wherever they are cut, but for answers of a wrong form. */
import { expect, it } from "vitest";
import { properEvents, readMessages } from "../../../src/mcp/transport/read-message.ts";
import fc from "../../support/property.ts";

async function through(pieces: readonly string[]): Promise<string> {
  const stream = new ReadableStream<string>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
  let read = "";
  for await (const piece of stream.pipeThrough(properEvents())) read += piece;
  return read;
}

const proper = '{"jsonrpc":"2.0","id":1,"result":{"a":"\u2028 data:{}"}}';
const wrong = '{"id":1,"result":null}';
const mended = '{"jsonrpc":"2.0","id":1,"result":{"content":[]}}';
const part = fc.constantFrom(
  "data: ",
  "data:",
  "id: 4",
  "\n",
  "\r",
  "\r\n",
  "\n\n",
  ":",
  "é",
  "{}",
  proper,
  wrong,
);

it("the same text comes however it is cut", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(part), fc.array(fc.nat({ max: 9 })), async (parts, sizes) => {
      const whole = parts.join("");
      const places = [0, ...sizes.map((_, at) => sizes.slice(0, at + 1).reduce((a, b) => a + b))];
      const pieces = places.map((place, at) => whole.slice(place, places[at + 1]));
      const read = await through(pieces);
      expect(read).toBe(await through([whole]));
      if (!whole.includes(wrong)) expect(read).toBe(whole);
    }),
    { numRuns: 500 },
  );
});

it.each(["\n", "\r\n", "\r"])(
  "an answer of a wrong form gets a right one between %j",
  async (end) => {
    const event = (data: string) => `event: message${end}id: 7${end}data: ${data}${end}${end}`;
    expect(await through([event(wrong) + event(proper)])).toBe(event(mended) + event(proper));
  },
);

it.each([
  [
    { code: -32_601, message: "no such method" },
    { code: -32_601, message: "no such method" },
  ],
  [
    { code: "E_X", message: "odd" },
    { code: -32_603, message: "odd" },
  ],
  [{ code: 1.5 }, { code: -32_603, message: '{"code":1.5}' }],
  ["plain", { code: -32_603, message: "plain" }],
])("the error %j of an answer of a wrong form keeps its code and its words", (error, kept) => {
  const [read] = readMessages(JSON.stringify({ id: 1, error }));
  expect(read).toEqual({ message: { jsonrpc: "2.0", id: 1, error: kept }, isProper: false });
});

it.each([
  [{ method: "notifications/tools/list_changed", params: null }, {}],
  [{ id: null, method: "notifications/progress", params: { progressToken: 1, progress: 2 } }, {}],
  [{ id: 7, method: "roots/list", params: null }, { id: 7 }],
  [
    { id: "a", method: "ping", params: { _meta: null } },
    { id: "a", params: {} },
  ],
])("a message that says null for nothing is read: %j", (given, read) => {
  const { params } = given;
  const kept = params !== null && "progress" in params ? { params } : {};
  expect(readMessages(JSON.stringify({ jsonrpc: "2.0", ...given }))).toEqual([
    { message: { jsonrpc: "2.0", method: given.method, ...kept, ...read }, isProper: false },
  ]);
});

it("a line of a log is not a message", () => {
  const line = JSON.stringify({ level: "info", id: 4, method: "GET", params: null });
  expect(readMessages(line)).toEqual([{ message: null, isProper: false }]);
});
