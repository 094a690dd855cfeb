/**
 * Reading a file that may be anything: a name in a repository can be a link to a device that never ends, to a pipe that
 * nobody writes to, or to what this process itself reads from.
 */
import { constants } from "node:fs";
import { open } from "node:fs/promises";

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
    return status.size > largest ? "large" : await file.readFile();
  } finally {
    await file.close();
  }
}

/** The text of a regular file. Throws a sentence, or the file system's error. */
export async function readRegularText(path: string, largest: number): Promise<string> {
  const found = await readRegularFile(path, { largest });
  switch (found) {
    case "folder":
      throw new Error("It is a folder.");
    case "special":
      throw new Error("It is no regular file.");
    case "large":
      throw new Error(`It is larger than ${largest / 1024} KiB.`);
    default:
      return new TextDecoder("utf-8", { ignoreBOM: true }).decode(found);
  }
}
