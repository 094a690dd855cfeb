/**
 * Reads a file that may be anything: a name in a repository can be a link to an endless device, to a pipe without a
 * writer, or to the input of this process.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { type FileHandle, open, readFile } from "node:fs/promises";

interface ReadOptions {
  /** Bytes. */
  readonly largest: number;
  /** Flags for `open`, besides those for reading. */
  readonly flags?: number;
}

/** The bytes of a regular file, else what is there instead. Never blocks. Throws the file system's error. */
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
 * The whole file; null once it exceeds `largest` bytes, whatever size it reports: system files report 0, some have no
 * end (`/proc/self/pagemap`), and any file may grow meanwhile.
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

/** The same synchronously, for many small files; null for anything but a regular file of at most that size. */
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

/** A pipe of a shell: `<(…)`, or the input from a `|`. The user who names it also writes and ends it. */
const pipeOfShell = /^\/(?:dev|proc\/self\/fd)\//;
const largestNamed = 256 * 1024 * 1024;

/**
 * The bytes of a file that the user names, perhaps by a pattern. Throws a part of a sentence, or the file system's
 * error.
 */
export async function readNamedFile(path: string): Promise<Buffer> {
  if (pipeOfShell.test(path)) return readFile(path);
  const found = await readRegularFile(path, { largest: largestNamed });
  // Reading a folder fails with the system's own message.
  if (found === "folder") return readFile(path);
  if (found === "special") throw new Error("it is not a regular file");
  if (found === "large") throw new Error("it is larger than 256 MB");
  return Buffer.from(found.buffer, found.byteOffset, found.byteLength);
}
