/**
 * Caches the compiled code of a program's files between starts, one cache file for each: without it V8 compiles
 * everything again at every start. Node's own cache exists only since version 22, keeps only what the first start ran,
 * and never discards anything.
 */
import { createHash } from "node:crypto";
import {
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { isOwn } from "../ownership.ts";
import { makeFolderNow } from "../replace.ts";

/**
 * The layout of a cache file: a hash of the source's hash and of all that follows, the number of writes, and the code.
 */
const digestBytes = 32;
const headBytes = digestBytes + 1;

/**
 * Later starts run code that the first ones did not: this many starts write the code at their end, and then one a day.
 */
const firstWrites = 3;
const dayMs = 24 * 60 * 60 * 1000;
/** Both programs together have about sixty, a few megabytes. */
const keptFiles = 200;

/** What is known about a file's cached code, without the code. */
export interface KeptCode {
  readonly bytes: number;
  /** How often it was written; at most 255. */
  readonly writes: number;
  readonly isDue: boolean;
}

export interface CompiledCode extends KeptCode {
  /** For V8, which only compares the length of the source and crashes on damaged code. */
  readonly code: Buffer;
}

/**
 * The path of a program's cached code for the file with this name and hash: V8's code fits only one version, one
 * processor and one set of switches.
 */
export function codePath(folder: string, program: string, file: string, source: Buffer): string {
  const { version, arch, execArgv, env } = process;
  const run = JSON.stringify([version, arch, execArgv, env.NODE_OPTIONS]);
  const key = hashOf(Buffer.from(run), source);
  return join(folder, `${program}-${basename(file)}-${key.toString("hex").slice(0, 16)}`);
}

export function hashOf(...parts: readonly Buffer[]): Buffer {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/**
 * The cached code for the source with this hash; null when there is none, or when it is damaged or not the user's own.
 */
export function readCode(path: string, source: Buffer): CompiledCode | null {
  let bytes: Buffer;
  let mtimeMs: number;
  try {
    const file = openSync(path, "r");
    try {
      const stat = fstatSync(file);
      if (!isOwn(stat)) return null;
      mtimeMs = stat.mtimeMs;
      bytes = readFileSync(file);
    } finally {
      closeSync(file);
    }
  } catch {
    // Whatever the reason, the program also runs without it.
    return null;
  }
  const counted = bytes.subarray(digestBytes);
  if (bytes.length <= headBytes || !hashOf(source, counted).equals(bytes.subarray(0, digestBytes)))
    return null;
  const writes = bytes.readUInt8(digestBytes);
  const isDue = writes < firstWrites || Date.now() - mtimeMs > dayMs;
  return { code: bytes.subarray(headBytes), bytes: bytes.length - headBytes, writes, isDue };
}

/**
 * Writes the code, completely or not at all; keeps the earlier code if that is larger, since V8 forgets code that has
 * not run for long. Returns what is kept; null when it cannot be written.
 */
export function writeCode(
  path: string,
  source: Buffer,
  code: Buffer,
  kept: KeptCode | null,
): KeptCode | null {
  const writes = Math.min((kept?.writes ?? 0) + 1, 255);
  const isDue = writes < firstWrites;
  try {
    const earlier = kept !== null && kept.bytes >= code.length ? readCode(path, source) : null;
    const most = earlier?.code ?? code;
    makeFolderNow(dirname(path), 0o700);
    replace(path, source, Buffer.concat([Buffer.of(writes), most]));
    return { bytes: most.length, writes, isDue };
  } catch {
    // A home that is full or read-only only costs speed, so nothing is reported.
    return null;
  }
}

function replace(path: string, source: Buffer, counted: Buffer): void {
  const temporary = `${path}.${process.pid}.new`;
  try {
    const bytes = Buffer.concat([hashOf(source, counted), counted]);
    writeFileSync(temporary, bytes, { mode: 0o600, flag: "wx" });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Removes the oldest cache files beyond the limit: those of other versions of Parley or Node. */
export function removeOldCode(folder: string): void {
  try {
    const paths = readdirSync(folder).map((name) => join(folder, name));
    if (paths.length <= keptFiles) return;
    const written = new Map(paths.map((path) => [path, statSync(path).mtimeMs]));
    const newestFirst = paths.sort((a, b) => (written.get(b) ?? 0) - (written.get(a) ?? 0));
    for (const path of newestFirst.slice(keptFiles)) rmSync(path, { force: true });
  } catch {
    // Another start is removing them right now, or the next one will.
  }
}
