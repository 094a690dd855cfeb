/** Whoever leaves a body early is done with it. */
import { expect, test } from "vitest";
import { bodyPieces } from "../../src/net/body-pieces.ts";

const piece = new Uint8Array([1]);

test("nobody waits for a cancel that never ends, as after an abort in the middle of a piece", async () => {
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(piece),
    cancel: () => new Promise(() => {}),
  });
  const read: Uint8Array[] = [];
  for await (const one of bodyPieces(body)) {
    read.push(one);
    if (read.length === 2) break;
  }
  expect(read).toEqual([piece, piece]);
});

test("all pieces come, and an error of the connection is thrown", async () => {
  const whole: Uint8Array[] = [];
  for await (const one of bodyPieces(new Response("abc").body)) whole.push(one);
  expect(Buffer.concat(whole).toString()).toBe("abc");
  const broken = new ReadableStream<Uint8Array>({
    start: (controller) => controller.error(new Error("reset")),
  });
  await expect(bodyPieces(broken).next()).rejects.toThrow("reset");
  await expect(bodyPieces(null).next()).resolves.toEqual({ done: true, value: undefined });
});

test("an abort ends the reading, also where the request itself does not notice it", async () => {
  const silent = new ReadableStream<Uint8Array>({ cancel: () => new Promise(() => {}) });
  const controller = new AbortController();
  const reading = bodyPieces(silent, controller.signal).next();
  controller.abort(new Error("stopped"));
  await expect(reading).rejects.toThrow("stopped");
});

/** Bodies that are all there, and in which turn of the event loop each piece of them was read. */
async function turnsOf(sizes: readonly number[]): Promise<number[]> {
  let turn = 0;
  let timer: NodeJS.Immediate;
  const count = () => {
    turn += 1;
    timer = setImmediate(count);
  };
  timer = setImmediate(count);
  async function* ready() {
    for (const size of sizes) yield new Uint8Array(size);
  }
  const turns: number[] = [];
  for await (const _ of bodyPieces(ready())) turns.push(turn);
  clearImmediate(timer);
  return turns;
}

test("a body that is all there leaves room for others after each full piece", async () => {
  const turns = await turnsOf(new Array<number>(20).fill(16 * 1024));
  expect(new Set(turns).size).toBe(20);
});

test("what was read at once is given in pieces, with the same room between them", async () => {
  const read = Uint8Array.from({ length: 200_000 }, (_, at) => at % 251);
  async function* ready() {
    yield read;
  }
  const pieces: Uint8Array[] = [];
  for await (const piece of bodyPieces(ready())) pieces.push(piece);
  expect(Buffer.concat(pieces).equals(read)).toBe(true);
  expect(Math.max(...pieces.map(({ byteLength }) => byteLength))).toBe(16 * 1024);
  expect(new Set(await turnsOf([200_000])).size).toBe(pieces.length);
});

test("small pieces wait for nothing", async () => {
  const turns = await turnsOf(new Array<number>(200).fill(1000));
  expect(new Set(turns).size).toBe(1);
});

test("a stop between two pieces that are there is heard", async () => {
  const controller = new AbortController();
  async function* ready() {
    for (;;) yield new Uint8Array(64 * 1024);
  }
  setImmediate(() => controller.abort(new Error("stopped")));
  let read = 0;
  const reading = async () => {
    for await (const _ of bodyPieces(ready(), controller.signal)) read += 1;
  };
  await expect(reading()).rejects.toThrow("stopped");
  expect(read).toBeLessThanOrEqual(2);
});

test("a stop within what was read at once is heard, too", async () => {
  const controller = new AbortController();
  async function* ready() {
    yield new Uint8Array(1024 * 1024);
  }
  setImmediate(() => controller.abort(new Error("stopped")));
  let read = 0;
  const reading = async () => {
    for await (const _ of bodyPieces(ready(), controller.signal)) read += 1;
  };
  await expect(reading()).rejects.toThrow("stopped");
  expect(read).toBeLessThanOrEqual(2);
});
