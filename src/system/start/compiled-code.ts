/**
 * Keeps the compiled code of a program's files between its starts, one file for each: V8 compiles again at every start
 * what it finds in no cache. Node's own cache is there since 22 only, keeps what the first start ran and no more, and
 * throws nothing away.
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

/** A file is a hash of the source's and of all that follows, how often it was written, and the code. */
const digestBytes = 32;
const headBytes = digestBytes + 1;

/** Later starts run what the first ones did not: so many write the code as it is at their end, and then one a day. */
const firstWrites = 3;
const dayMs = 24 * 60 * 60 * 1000;
/** Both programs have some sixty together, a few megabytes. */
const keptFiles = 200;

/** What is known of a file's code without the code. */
export interface KeptCode {
  readonly bytes: number;
  /** How often it was written; up to 255. */
  readonly writes: number;
  readonly isDue: boolean;
}

export interface CompiledCode extends KeptCode {
  /** For V8, which compares no more than the length of the source and crashes on damaged code. */
  readonly code: Buffer;
}

/**
 * Where the code is kept that a program has of the file with this name and hash: V8's code is of one version, one
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

/** The code that was kept for the source with this hash; null where there is none, or none that is whole and the person's own. */
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
    // Whatever the reason, the program runs as well without.
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
 * Keeps the code, whole or not at all, or what was kept where that is more: V8 forgets what it has not run for long.
 * Gives what is kept then; null where it cannot be written.
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
    // A home that is full or cannot be written costs speed and nothing else, so nobody is told.
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

/** Removes what was written before the files that are kept: another version's, or another Node's. */
export function removeOldCode(folder: string): void {
  try {
    const paths = readdirSync(folder).map((name) => join(folder, name));
    if (paths.length <= keptFiles) return;
    const written = new Map(paths.map((path) => [path, statSync(path).mtimeMs]));
    const newestFirst = paths.sort((a, b) => (written.get(b) ?? 0) - (written.get(a) ?? 0));
    for (const path of newestFirst.slice(keptFiles)) rmSync(path, { force: true });
  } catch {
    // Another start removes them just now, or the next one will.
  }
}
