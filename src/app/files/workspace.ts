/** The texts that the built-in tools read and change: files and, in an editor, the buffers of those files. */
import { constants, type Stats } from "node:fs";
import { lstat, open, realpath } from "node:fs/promises";
import { sizeText } from "../../shared/counted.ts";
import { readUpTo } from "../../system/regular-file.ts";
import { hasCode, isMissing } from "../../system/system-error.ts";
import { decodeText, largestText } from "./file-content.ts";

export interface WorkspaceText {
  /** Lines end with LF where all lines of the file end with LF or all with CR LF; else a CR is part of its line. */
  readonly text: string;
  /** `buffer`: as it is in the editor. */
  readonly source: "buffer" | "file";
  /** Whether there are changes that are not in the file yet. */
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
  /** Who reports it, such as a language server; empty when unknown. */
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

/** An entry of the editor's quickfix list. */
export interface ListedPlace {
  /** Real path; null: the entry has no file. */
  readonly path: string | null;
  /** From 1; 0: the entry has no line. */
  readonly line: number;
  readonly text: string;
}

/** All paths are absolute. What cannot be done rejects with a sentence. */
export interface Workspace {
  /** Null: nothing exists at the path. */
  read(path: string): Promise<WorkspaceText | null>;
  /** Changes the text and its file as one step, undoable where there is undo; returns the text as it is afterwards. */
  write(path: string, change: WorkspaceChange): Promise<string>;
  /** Diagnostics of one file, or of all open files; null where the workspace keeps none. */
  readonly diagnostics: ((path: string | null) => Promise<readonly Diagnostic[]>) | null;
  /** Real paths of the open files, without chats; null where no files can be open. */
  readonly open: (() => Promise<readonly string[]>) | null;
  /** The quickfix list; null where there is none. */
  readonly quickfix: (() => Promise<readonly ListedPlace[]>) | null;
}

/** The text of a file. Rejects with a sentence when it is a folder, not text, or too large. */
export async function readTextFile(path: string): Promise<string | null> {
  try {
    const { found, bytes } = await readAt(path);
    if (found.isDirectory()) throw new Error(`${path} is a folder; list_files lists it.`);
    if (!found.isFile()) throw new Error(`${path} is not a regular file, so it is not read.`);
    if (found.size > largestText) {
      throw new Error(
        `${path} has ${sizeText(found.size)}, more than the ${sizeText(largestText)} that are read; search_files finds lines in it.`,
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
 * What is at exactly this real path: a link that was put there, or above it, since the path was resolved is not
 * followed. `bytes` is null where nothing is read.
 */
async function readAt(
  path: string,
): Promise<{ readonly found: Stats; readonly bytes: Uint8Array | null }> {
  // Systems without these flags have no such links, or the checks below find them.
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
    if (bytes === null) throw new Error(`${path} grows while it is read, so it was not read.`);
    const now = await lstat(path);
    const isSame = now.ino === found.ino && now.dev === found.dev;
    if (!isSame || (await realpath(path)) !== path) throw swapped(path);
    return { found, bytes };
  } finally {
    await handle.close();
  }
}

function swapped(path: string): Error {
  return new Error(`${path} now leads elsewhere, so it was not read.`);
}

/** As editors do: only where all lines do. Otherwise a change elsewhere would lose a single other line end. */
export function endsLinesByCrLf(text: string): boolean {
  return text.includes("\n") && !/(?<!\r)\n/.test(text);
}

/** The text, with line feeds at its line ends; null for bytes that are no text. */
function decode(bytes: Uint8Array): string | null {
  const text = decodeText(bytes);
  return text !== null && endsLinesByCrLf(text) ? text.replaceAll("\r\n", "\n") : text;
}
