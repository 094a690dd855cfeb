/**
 * Reading a file that may be anything: a name in a repository can be a link to a device that never ends, to a pipe that
 * nobody writes to, or to what this process itself reads from.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { type FileHandle, open, readFile } from "node:fs/promises";

interface ReadOptions {
  /** Bytes. */
  readonly largest: number;
  /** Of `open`, beside those for reading. */
  readonly flags?: number;
}

/** The bytes of a regular file, else what there is in its place. Nothing is waited for. Throws the file system's error. */
export async function readRegularFile(
  path: string,
  { largest, flags = 0 }: ReadOptions,
): Promise<Uint8Array | "folder" | "special" | "large"> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | flags);
  try {
    const status = await file.stat();
    if (status.isDirectory()) return "folder";
    if (!status.isFile()) return "special";
    return status.size > largest ? "large" : ((await readUpTo(file, largest)) ?? "large");
  } finally {
    await file.close();
  }
}

const pieceBytes = 64 * 1024;

/**
 * All of the file; null once it is more than `largest` bytes, whatever size it told: files of the system say 0, some of
 * them have no end (`/proc/self/pagemap`), and any file may grow meanwhile.
 */
export async function readUpTo(file: FileHandle, largest: number): Promise<Uint8Array | null> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { bytesRead, buffer } = await file.read({ buffer: Buffer.allocUnsafe(pieceBytes) });
    if (bytesRead === 0) return Buffer.concat(pieces);
    size += bytesRead;
    if (size > largest) return null;
    pieces.push(buffer.subarray(0, bytesRead));
  }
}

/** The same at once, for many small files; null for what is no regular file of that size. */
export function readRegularTextNow(path: string, largest: number): string | null {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const status = fstatSync(file);
    if (!status.isFile() || status.size > largest) return null;
    const pieces: Uint8Array[] = [];
    let size = 0;
    for (;;) {
      const piece = Buffer.allocUnsafe(size === 0 ? status.size + 1 : pieceBytes);
      const count = readSync(file, piece);
      if (count === 0) return Buffer.concat(pieces).toString("utf8");
      size += count;
      if (size > largest) return null;
      pieces.push(piece.subarray(0, count));
    }
  } finally {
    closeSync(file);
  }
}

/** The text of a regular file. Throws a sentence, or the file system's error. */
export async function readRegularText(path: string, largest: number): Promise<string> {
  const found = await readRegularFile(path, { largest });
  switch (found) {
    case "folder":
      throw new Error("It is a folder.");
    case "special":
      throw new Error("It is not a regular file.");
    case "large":
      throw new Error(`It is larger than ${largest / 1024} KiB.`);
    default:
      return new TextDecoder("utf-8", { ignoreBOM: true }).decode(found);
  }
}

/** What a shell calls a pipe: `<(…)`, or what comes before a `|`. Whoever names it sends it, and ends it. */
const pipeOfShell = /^\/(?:dev|proc\/self\/fd)\//;
const largestNamed = 256 * 1024 * 1024;

/** The bytes of a file that a person names, perhaps by a pattern. Throws a part of a sentence, or the file system's error. */
export async function readNamedFile(path: string): Promise<Buffer> {
  if (pipeOfShell.test(path)) return readFile(path);
  const found = await readRegularFile(path, { largest: largestNamed });
  // Reading a folder says by the system's own words why it cannot be done.
  if (found === "folder") return readFile(path);
  if (found === "special") throw new Error("it is not a regular file");
  if (found === "large") throw new Error("it is larger than 256 MB");
  return Buffer.from(found.buffer, found.byteOffset, found.byteLength);
}
