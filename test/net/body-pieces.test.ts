/** Reading a response body in pieces, which can stop early. */
import { PassThrough, Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { bodyPieces } from "../../src/net/body-pieces.ts";

const piece = new Uint8Array([1]);

test("leaving a body early does not wait for a cancel that never ends", async () => {
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

test("bodyPieces yields all pieces and throws an error of the connection", async () => {
  const whole: Uint8Array[] = [];
  for await (const one of bodyPieces(new Response("abc").body)) whole.push(one);
  expect(Buffer.concat(whole).toString()).toBe("abc");
  const broken = new ReadableStream<Uint8Array>({
    start: (controller) => controller.error(new Error("reset")),
  });
  await expect(bodyPieces(broken).next()).rejects.toThrow("reset");
  await expect(bodyPieces(null).next()).resolves.toEqual({ done: true, value: undefined });
});

test("an abort ends the reading of a body that stays silent", async () => {
  const silent = new ReadableStream<Uint8Array>({ cancel: () => new Promise(() => {}) });
  const controller = new AbortController();
  const reading = bodyPieces(silent, controller.signal).next();
  controller.abort(new Error("stopped"));
  await expect(reading).rejects.toThrow("stopped");
});

/** In which turn of the event loop each piece is read, for a body that is available at once. */
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

test("bodyPieces yields to the event loop after each full piece of an available body", async () => {
  const turns = await turnsOf(new Array<number>(20).fill(16 * 1024));
  expect(new Set(turns).size).toBe(20);
});

test("bodyPieces splits a large read and yields to the event loop between its pieces", async () => {
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

test("bodyPieces reads small pieces without yielding to the event loop", async () => {
  const turns = await turnsOf(new Array<number>(200).fill(1000));
  expect(new Set(turns).size).toBe(1);
});

test("an abort between two available reads ends the reading", async () => {
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

test("an abort within one large read ends the reading", async () => {
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

test("small pieces of a stream that arrived together are one piece", async () => {
  const stream = new PassThrough();
  for (let byte = 0; byte < 50; byte += 1) stream.write(Buffer.from([byte]));
  stream.end();
  const pieces: Uint8Array[] = [];
  for await (const one of bodyPieces(stream)) pieces.push(one);
  expect([...Buffer.concat(pieces)]).toEqual(Array.from({ length: 50 }, (_, byte) => byte));
  expect(pieces.length).toBeLessThan(5);
});

test("each piece of a slow stream is read as it arrives, and what came before an error too", async () => {
  const stream = new PassThrough();
  const reading = bodyPieces(stream);
  for (const text of ["one", "two", "three"]) {
    const read = reading.next();
    stream.write(text);
    expect(Buffer.from((await read).value ?? []).toString()).toBe(text);
  }
  stream.write("four");
  await nextTurn();
  stream.destroy(new Error("reset"));
  expect(Buffer.from((await reading.next()).value ?? []).toString()).toBe("four");
  await expect(reading.next()).rejects.toThrow("reset");
});

test("a stream that closes in the middle is an error", async () => {
  const stream = new PassThrough();
  const reading = bodyPieces(stream).next();
  stream.destroy();
  await expect(reading).rejects.toThrow("Premature close");
});

test("a fast stream is read no further than its pieces are", async () => {
  let made = 0;
  const stream = new Readable({
    read() {
      made += 1;
      this.push(made > 400 ? null : Buffer.alloc(8 * 1024, made % 256));
    },
  });
  const reading = bodyPieces(stream);
  const first = await reading.next();
  for (let turn = 0; turn < 50; turn += 1) await nextTurn();
  expect(made).toBeLessThan(40);
  const pieces = [first.value ?? new Uint8Array()];
  for await (const one of reading) pieces.push(one);
  const whole = Buffer.concat(pieces);
  expect(whole.byteLength).toBe(400 * 8 * 1024);
  expect(whole.every((byte, at) => byte === (Math.floor(at / 8192) + 1) % 256)).toBe(true);
});

test("leaving a stream early destroys it", async () => {
  const stream = new PassThrough();
  stream.write("one");
  for await (const _ of bodyPieces(stream)) break;
  expect(stream.destroyed).toBe(true);
});
