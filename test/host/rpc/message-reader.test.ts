/** Messages come out of a pipe as they were put in, wherever it breaks them. */
import { Encoder, ExtData, encode } from "@msgpack/msgpack";
import { describe, expect, it } from "vitest";
import { createMessageReader } from "../../../src/host/rpc/message-reader.ts";
import fc from "../../support/property.ts";

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

/** The bytes in pieces that end at these parts of the whole. */
function broken(bytes: Uint8Array, cuts: readonly number[]): readonly Uint8Array[] {
  const ends = [...cuts.map((cut) => Math.floor(cut * bytes.length)), bytes.length];
  const sorted = ends.toSorted((one, other) => one - other);
  return sorted.map((end, index) => bytes.slice(sorted[index - 1] ?? 0, end));
}

function readAll(pieces: readonly Uint8Array[]): readonly unknown[] {
  const reader = createMessageReader();
  return pieces.flatMap((piece) => reader.push(piece));
}

const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false, 0, -1, -33, 127, 128, 255, 256, 65_535, 65_536, 1.5),
    fc.integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }),
    fc.double({ noNaN: true }),
    fc.string({ unit: "grapheme", maxLength: 40 }),
    fc.constantFrom(31, 32, 255, 256, 65_535, 65_536).map((size) => "x".repeat(size)),
    fc.uint8Array({ maxLength: 300 }),
    fc.array(tie("value"), { maxLength: 20 }),
    fc.dictionary(fc.string({ maxLength: 5 }), tie("value"), { maxKeys: 20 }),
  ),
})).value;

describe("the messages of a pipe", () => {
  it("are those that were put in, in whatever pieces they come", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(value, { maxLength: 4 }), { maxLength: 5 }),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 }),
        (messages, cuts) => {
          const encoder = new Encoder();
          const bytes = joined(messages.map((message) => encoder.encode(message)));
          expect(readAll(broken(bytes, cuts))).toEqual(messages);
        },
      ),
    );
  });

  it("come byte by byte, however many values a list or a map has", () => {
    const many = [
      Array.from({ length: 70_000 }, (_, index) => index),
      Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`key ${index}`, [index]])),
    ];
    const bytes = encode(many);
    const reader = createMessageReader();
    const found = Array.from(bytes, (_, at) => reader.push(bytes.subarray(at, at + 1))).flat();
    expect(found).toEqual([many]);
  });

  it.each([1, 2, 4, 8, 16, 3, 300, 70_000])("go on behind an extension of %i bytes", (size) => {
    const bytes = joined([
      encode([new ExtData(7, new Uint8Array(size)), "after"]),
      encode(["next"]),
    ]);
    for (const cut of [0.1, 0.5, 0.9, 0.999]) {
      const [[, after] = [], next] = readAll(broken(bytes, [cut])) as unknown[][];
      expect(after).toBe("after");
      expect(next).toEqual(["next"]);
    }
  });

  it("have the number of a buffer, a window or a tab page in its place", () => {
    const handles = [1, 200, 70_000].flatMap((number) =>
      [0, 1, 2].map((type) => new ExtData(type, encode(number))),
    );
    expect(readAll([encode(handles)])).toEqual([[1, 1, 1, 200, 200, 200, 70_000, 70_000, 70_000]]);
  });

  it("cost no more for a long message in many pieces than its bytes", () => {
    const [bytes, piece] = [encode([["x".repeat(4_000_000), "y"]]), 1000];
    let copied = 0;
    const { set } = Uint8Array.prototype;
    Uint8Array.prototype.set = function setAndCount(from, at) {
      copied += from.length;
      return set.call(this, from, at);
    };
    try {
      const pieces = Array.from({ length: Math.ceil(bytes.length / piece) }, (_, index) =>
        bytes.subarray(index * piece, (index + 1) * piece),
      );
      expect(readAll(pieces)).toEqual([[["x".repeat(4_000_000), "y"]]]);
    } finally {
      Uint8Array.prototype.set = set;
    }
    expect(copied).toBeGreaterThan(bytes.length / 2);
    expect(copied).toBeLessThan(4 * bytes.length);
  });
});
