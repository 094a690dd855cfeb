/** The texts that the built-in tools read and change: files, and in an editor the buffers over them. */
import { readFile, stat } from "node:fs/promises";
import { largestText } from "../references/file-content.ts";
import { isMissing } from "../state/own-files.ts";

export interface WorkspaceText {
  /** Lines end with LF, whatever the file has. */
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

/** All paths are absolute. What cannot be done rejects with a sentence. */
export interface Workspace {
  /** Null: there is nothing at the path. */
  read(path: string): Promise<WorkspaceText | null>;
  /** Changes the text and its file, as one step that can be undone where there is undo; gives the text as it is then. */
  write(path: string, change: WorkspaceChange): Promise<string>;
  /** Of one file, or of all that are open; null where nobody keeps any. */
  readonly diagnostics: ((path: string | null) => Promise<readonly Diagnostic[]>) | null;
}

/** The text of a file. Rejects with a sentence when it is a folder, no text, or too large. */
export async function readTextFile(path: string): Promise<string | null> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw new Error(`${path} is a folder; list_files lists it.`);
    if (!found.isFile()) throw new Error(`${path} is no ordinary file, so it is not read.`);
    if (found.size > largestText) {
      throw new Error(
        `${path} has ${found.size} bytes, more than the ${largestText} that are read; search_files finds lines in it.`,
      );
    }
    const text = decode(await readFile(path));
    if (text === null) throw new Error(`${path} is not text in UTF-8, so it is not read.`);
    return text;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

function decode(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replaceAll("\r\n", "\n");
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
