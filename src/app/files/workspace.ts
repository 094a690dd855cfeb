/** The texts that the built-in tools read and change: files, and in an editor the buffers over them. */
import { isUtf8 } from "node:buffer";
import { constants, type Stats } from "node:fs";
import { lstat, open, realpath } from "node:fs/promises";
import { readUpTo } from "../../system/regular-file.ts";
import { hasCode, isMissing } from "../../system/system-error.ts";
import { largestText } from "./file-content.ts";

export interface WorkspaceText {
  /** Lines end with LF where those of the file all end with LF or all with CR LF; else a CR belongs to its line. */
  readonly text: string;
  /** `buffer`: as it stands in the editor. */
  readonly source: "buffer" | "file";
  /** A person's changes that are not in the file yet. */
  readonly isUnsaved: boolean;
}

export interface WorkspaceChange {
  /** What the text must be at this moment; null: there must be no such file. */
  readonly expected: string | null;
  readonly text: string;
}

export interface Diagnostic {
  /** Absolute. */
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly column: number;
  readonly severity: "error" | "warning" | "info" | "hint";
  readonly message: string;
  /** Who says so, such as a language server; empty when unknown. */
  readonly source: string;
}

/** `path:line:column: severity: message (source)`, on one line. */
export function diagnosticLine(
  { line, column, severity, message, source }: Diagnostic,
  path: string,
): string {
  const from = source === "" ? "" : ` (${source})`;
  return `${path}:${line}:${column}: ${severity}: ${message.replaceAll("\n", " ")}${from}`;
}

/** An entry of the editor's list of places. */
export interface ListedPlace {
  /** Real; null: the entry is about no file. */
  readonly path: string | null;
  /** From 1; 0: the entry is about no line. */
  readonly line: number;
  readonly text: string;
}

/** All paths are absolute. What cannot be done rejects with a sentence. */
export interface Workspace {
  /** Null: there is nothing at the path. */
  read(path: string): Promise<WorkspaceText | null>;
  /** Changes the text and its file, as one step that can be undone where there is undo; gives the text as it is then. */
  write(path: string, change: WorkspaceChange): Promise<string>;
  /** Of one file, or of all that are open; null where nobody keeps any. */
  readonly diagnostics: ((path: string | null) => Promise<readonly Diagnostic[]>) | null;
  /** Real paths of the open files, chats left out; null where nothing is open. */
  readonly open: (() => Promise<readonly string[]>) | null;
  /** The quickfix list; null where there is none. */
  readonly quickfix: (() => Promise<readonly ListedPlace[]>) | null;
}

/** The text of a file. Rejects with a sentence when it is a folder, no text, or too large. */
export async function readTextFile(path: string): Promise<string | null> {
  try {
    const { found, bytes } = await readAt(path);
    if (found.isDirectory()) throw new Error(`${path} is a folder; list_files lists it.`);
    if (!found.isFile()) throw new Error(`${path} is not a regular file, so it is not read.`);
    if (found.size > largestText) {
      throw new Error(
        `${path} has ${found.size} bytes, more than the ${largestText} that are read; search_files finds lines in it.`,
      );
    }
    const text = bytes && decode(bytes);
    if (text === null) throw new Error(`${path} is not text in UTF-8, so it is not read.`);
    return text;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/**
 * What is at exactly this real path: no link is followed that was put there, or above it, since it was looked at.
 * `bytes` is null where nothing is read.
 */
async function readAt(
  path: string,
): Promise<{ readonly found: Stats; readonly bytes: Uint8Array | null }> {
  // Systems without these flags have no such links, or are asked below.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const before = await lstat(path);
  if (before.isSymbolicLink()) throw swapped(path);
  if (!before.isFile()) return { found: before, bytes: null };
  const handle = await open(path, flags).catch((error: unknown) => {
    throw hasCode(error, "ELOOP", "EMLINK") ? swapped(path) : error;
  });
  try {
    const found = await handle.stat();
    if (!found.isFile() || found.size > largestText) return { found, bytes: null };
    const bytes = await readUpTo(handle, largestText);
    if (bytes === null) throw new Error(`${path} grows as it is read, so it is not read.`);
    const now = await lstat(path);
    const isSame = now.ino === found.ino && now.dev === found.dev;
    if (!isSame || (await realpath(path)) !== path) throw swapped(path);
    return { found, bytes };
  } finally {
    await handle.close();
  }
}

function swapped(path: string): Error {
  return new Error(`${path} leads elsewhere by now, so it was not read.`);
}

/** As editors see it: only where all lines end so. A single other one would be lost by a change elsewhere. */
export function endsLinesByCrLf(text: string): boolean {
  return text.includes("\n") && !/(?<!\r)\n/.test(text);
}

/** Without a byte order mark. */
function decode(bytes: Uint8Array): string | null {
  if (bytes.includes(0) || !isUtf8(bytes)) return null;
  const text = new TextDecoder().decode(bytes);
  return endsLinesByCrLf(text) ? text.replaceAll("\r\n", "\n") : text;
}
