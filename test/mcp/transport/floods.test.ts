/** A server that writes without end takes no turn of others: what is read at once is counted, not the time. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { boundedResponse } from "../../../src/mcp/transport/bounded-response.ts";
import { readMessages } from "../../../src/mcp/transport/read-message.ts";
import { StdioTransport } from "../../../src/mcp/transport/stdio-transport.ts";

/** How much more `read` gives, at most, between two turns of the event loop, until `end` resolves. */
async function mostInATurn(end: Promise<unknown>, read: () => number): Promise<number> {
  let isOver = false;
  const over = end.finally(() => {
    isOver = true;
  });
  let most = 0;
  let before = read();
  while (!isOver) {
    await nextTurn();
    most = Math.max(most, read() - before);
    before = read();
  }
  await over;
  return most;
}

it("lines of a process are read some at a time, and none is lost", async () => {
  const lines = 1_000_000;
  const script = `process.stdout.write("0\\n".repeat(${lines}))`;
  const transport = new StdioTransport({ command: process.execPath, args: ["-e", script] });
  onTestFinished(() => transport.close());
  let heard = 0;
  transport.onnoise = () => {
    heard += 1;
  };
  const closed = new Promise<void>((resolve) => {
    transport.onclose = resolve;
  });
  await transport.start();
  // As one chunk of the pipe has 32,768 of them, and Node reads 32 chunks before it looks at anything else.
  expect(await mostInATurn(closed, () => heard)).toBeLessThan(20_000);
  expect(heard).toBe(lines);
});

it("events behind an address are read some at a time, and none is lost", async () => {
  const text = "data: 0\n\n".repeat(100_000);
  const response = new Response(text, { headers: { "content-type": "text/event-stream" } });
  let size = 0;
  const reading = (async () => {
    for await (const piece of boundedResponse(response).body ?? []) size += piece.length;
  })();
  expect(await mostInATurn(reading, () => size)).toBeLessThan(30_000);
  expect(size).toBe(text.length);
});

it.each(["\n", "\r", "\r\n"])(
  "events that end with %j are read some at a time",
  async (lineEnd) => {
    const text = `data: 0${lineEnd}${lineEnd}`.repeat(50_000);
    const response = new Response(text, { headers: { "content-type": "text/event-stream" } });
    let size = 0;
    const reading = (async () => {
      for await (const piece of boundedResponse(response).body ?? []) size += piece.length;
    })();
    expect(await mostInATurn(reading, () => size)).toBeLessThan(30_000);
    expect(size).toBe(text.length);
  },
);

it("a large event is passed on without waiting for turns of the event loop inside it", async () => {
  const text = `data: ${"x".repeat(1_000_000)}\n\n`;
  const response = new Response(text, { headers: { "content-type": "text/event-stream" } });
  const sizes: number[] = [];
  for await (const { length } of boundedResponse(response).body ?? []) sizes.push(length);
  expect(sizes.length).toBeLessThan(3);
  expect(sizes.reduce((sum, size) => sum + size)).toBe(text.length);
});

it("an endless list of messages is not one", () => {
  const list = (length: number) => `[${Array.from({ length }, () => "{}").join(",")}]`;
  expect(readMessages(list(1_000_000))).toEqual([{ message: null, isProper: false }]);
  expect(readMessages(list(3))).toHaveLength(3);
});
