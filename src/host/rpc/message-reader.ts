/** Whole MessagePack messages out of the pieces in which a pipe hands them on; in time that grows with their bytes. */
import { Decoder, decode, ExtensionCodec } from "@msgpack/msgpack";

export interface MessageReader {
  /** The messages that are complete with this piece, in order. */
  push(piece: Uint8Array): readonly unknown[];
}

/** Neovim's buffers, windows and tab pages come as extensions of these types, which hold their number. */
const handles = [0, 1, 2];

function createExtensions(): ExtensionCodec {
  const codec = new ExtensionCodec();
  for (const type of handles) {
    codec.register({ type, encode: () => null, decode: (data) => decode(data) });
  }
  return codec;
}

/**
 * The package's own reader of streams learns where a message ends from an exception, once for each piece; that took
 * a tenth of what the host does while an answer streams. This one walks over the values first.
 */
export function createMessageReader(): MessageReader {
  const decoder = new Decoder({ extensionCodec: createExtensions() });
  /** The beginning of a message that is not complete, in the first `length` bytes. */
  let kept = new Uint8Array(0);
  let length = 0;
  let walk = wholeMessage;

  const take = (piece: Uint8Array): Uint8Array => {
    if (length === 0) return piece;
    if (kept.length < length + piece.length) {
      // Twice as much as is needed: a long message in many pieces is not copied for each of them.
      const larger = new Uint8Array(2 * (length + piece.length));
      larger.set(kept.subarray(0, length));
      kept = larger;
    }
    kept.set(piece, length);
    return kept.subarray(0, length + piece.length);
  };
  const keep = (rest: Uint8Array): void => {
    const isThere = rest.buffer === kept.buffer && rest.byteOffset === 0;
    if (!isThere || rest.length === 0) kept = new Uint8Array(rest);
    length = rest.length;
  };
  return {
    push(piece) {
      const bytes = take(piece);
      const messages: unknown[] = [];
      let start = 0;
      for (;;) {
        walk = walkOn(bytes, walk);
        if (walk.values > 0 || walk.at > bytes.length) break;
        messages.push(decoder.decode(bytes.subarray(start, walk.at)));
        start = walk.at;
        walk = { at: start, values: 1 };
      }
      keep(bytes.subarray(start));
      walk = { at: walk.at - start, values: walk.values };
      return messages;
    },
  };
}

/** How far the bytes were walked over, and how many values are still to come before the message ends. */
interface Walk {
  /** May lie behind what has arrived: in the middle of a text. */
  readonly at: number;
  readonly values: number;
}

const wholeMessage: Walk = { at: 0, values: 1 };

function walkOn(bytes: Uint8Array, walk: Walk): Walk {
  let { at, values } = walk;
  while (values > 0) {
    const first = bytes[at];
    if (first === undefined) break;
    const [sizeBytes, otherBytes, held] = layoutOf(first);
    if (at + sizeBytes >= bytes.length && sizeBytes > 0) break;
    const size = sizeBytes === 0 ? 0 : readSize(bytes, at + 1, sizeBytes);
    at += 1 + sizeBytes + otherBytes + (held === 0 ? size : 0);
    values += held * size + shortCount(first) - 1;
  }
  return { at, values };
}

/** Bytes that hold a size, further bytes, and how many values each unit of the size stands for; 0: bytes. */
type Layout = readonly [sizeBytes: number, otherBytes: number, held: 0 | 1 | 2];

const single: Layout = [0, 0, 0];
/** Of the bytes from 0xc0 to 0xdf, by the table of the MessagePack specification. */
const layouts: readonly Layout[] = [
  ...[single, single, single, single],
  // Bytes and extensions, which have a byte for their type.
  ...([
    [1, 0, 0],
    [2, 0, 0],
    [4, 0, 0],
    [1, 1, 0],
    [2, 1, 0],
    [4, 1, 0],
  ] as const),
  // Numbers.
  ...([4, 8, 1, 2, 4, 8, 1, 2, 4, 8] as const).map((size): Layout => [0, size, 0]),
  // Extensions of a fixed size, with their type.
  ...([2, 3, 5, 9, 17] as const).map((size): Layout => [0, size, 0]),
  // Texts, lists and maps.
  ...([
    [1, 0, 0],
    [2, 0, 0],
    [4, 0, 0],
    [2, 0, 1],
    [4, 0, 1],
    [2, 0, 2],
    [4, 0, 2],
  ] as const),
];

function layoutOf(first: number): Layout {
  // A short text has its length in its first byte.
  if (first >= 0xa0 && first < 0xc0) return [0, first & 0x1f, 0];
  return first >= 0xc0 && first < 0xe0 ? (layouts[first - 0xc0] ?? single) : single;
}

/** Values in a short map or list, whose first byte counts them. */
function shortCount(first: number): number {
  if (first >= 0x80 && first < 0x90) return 2 * (first & 0x0f);
  return first >= 0x90 && first < 0xa0 ? first & 0x0f : 0;
}

function readSize(bytes: Uint8Array, at: number, count: number): number {
  let size = 0;
  for (let index = 0; index < count; index += 1) size = size * 256 + (bytes[at + index] ?? 0);
  return size;
}
