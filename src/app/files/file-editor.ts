/** The Editor port over one file: lines in memory, written atomically after each step. */

import { access, constants, readFile, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Editor, Snapshot, Splice, StreamTip, UndoGroup } from "../../conversation/editor.ts";
import { messageOf } from "../../shared/json.ts";
import { systemReason } from "../../system/system-error.ts";
import { applyEdits } from "../../transcript/edits/layout.ts";
import type { Edit } from "../../transcript/transcript.ts";
import { brokenOff, replaceFile } from "./replace-file.ts";

export class FileEditor implements Editor {
  /** The file itself, behind any symbolic links. */
  readonly path: string;
  #text: FileText;
  #lines: readonly string[];
  #tick = 0;
  #savedTick = 0;
  /** The file as it was read or written last; other bytes mean that somebody else wrote. */
  #seen: Buffer;
  /** Where a write in place keeps its text. */
  readonly #copies: string;
  readonly #listeners = new Set<(splice: Splice) => void>();

  private constructor(path: string, bytes: Buffer, copies: string) {
    this.path = path;
    this.#copies = copies;
    this.#seen = bytes;
    this.#text = readFileText(bytes);
    this.#lines = this.#text.lines.map(({ text }) => text);
  }

  /** Reads the file; rejects with a sentence when it cannot, or when its last write was broken off. */
  static async open(path: string, stateFolder: string): Promise<FileEditor> {
    const copies = join(stateFolder, "saving");
    try {
      const real = await realpath(path);
      if (!(await stat(real)).isFile()) throw new Error("it is not a regular file");
      const copy = await brokenOff(real, copies);
      if (copy !== null) throw new Error(`writing it was broken off; the whole text is in ${copy}`);
      return new FileEditor(real, await readFile(real), copies);
    } catch (error) {
      const reason = systemReason(error) ?? messageOf(error);
      throw new Error(`${path} could not be read, so nothing was done: ${reason}.`);
    }
  }

  /** The lines, from 0, that are no UTF-8: what cannot be read of them is sent as U+FFFD. */
  unreadableLines(): readonly number[] {
    return unreadableLines(this.#text);
  }

  async read() {
    return { lines: this.#lines, tick: this.#tick };
  }

  async apply({ tick }: Pick<Snapshot, "tick">, edits: readonly Edit[]) {
    if (tick !== this.#tick) return "stale" as const;
    const replacements = edits.map(({ start, end, lines }) => ({
      start,
      end,
      lines: lines.map((text) => ({ text, bytes: null })),
    }));
    this.#text = { ...this.#text, lines: applyEdits(this.#text.lines, replacements) };
    this.#lines = this.#text.lines.map(({ text }) => text);
    this.#tick += 1;
    // Bottom up, so that each splice is told in lines that are still where they were.
    for (const edit of [...edits].reverse()) {
      for (const listener of this.#listeners) listener(edit);
    }
    return "applied" as const;
  }

  async openTip(
    from: Pick<Snapshot, "tick">,
    { edits, tip }: { readonly edits: readonly Edit[]; readonly tip: { readonly line: number } },
    _undo?: UndoGroup,
    saves = false,
  ): Promise<StreamTip | "stale" | { readonly unsaved: "conflict" }> {
    if (from.tick !== this.#tick) return "stale";
    const saved = saves ? await this.#saveBeforeRequest() : "saved";
    if (saved !== "saved") return { unsaved: saved };
    if ((await this.apply(from, edits)) === "stale") return "stale";
    let { line } = tip;
    return {
      write: async (render) => {
        const before = this.#lines[line] ?? "";
        const text = render(before);
        if (text === "") return "written";
        const lines = (before + text).split("\n");
        await this.apply({ tick: this.#tick }, [{ start: line, end: line + 1, lines }]);
        line += lines.length - 1;
        return "written";
      },
      line: async () => line,
      // Nobody types in a file, so the mark is where it was written.
      mark: async () => line + 1,
      restoreMark: async () => line + 1,
      close: async () => {},
    };
  }

  /** Rejects with a sentence when the file cannot be written: nothing may run whose decision is not recorded. */
  async save() {
    if (this.#tick === this.#savedTick) return "saved" as const;
    if (!(await this.#isAsSeen())) return "conflict" as const;
    const bytes = writeFileText(this.#text);
    const tick = this.#tick;
    await replaceFile(this.path, bytes, this.#copies);
    this.#seen = bytes;
    this.#savedTick = tick;
    return "saved" as const;
  }

  /** An answer costs money, so it is known before that the file can take it, and that it is the text as it was read. */
  async #saveBeforeRequest() {
    if (!(await this.#isAsSeen())) return "conflict" as const;
    await access(this.path, constants.W_OK).catch((error: unknown) => {
      const reason = systemReason(error) ?? messageOf(error);
      throw new Error(`${this.path} cannot be written, so nothing was asked: ${reason}`);
    });
    return this.save();
  }

  async #isAsSeen(): Promise<boolean> {
    const now = await readFile(this.path).catch(() => null);
    return now?.equals(this.#seen) ?? false;
  }

  onSplice(listener: (splice: Splice) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** A file as lines and back, so that what nobody edited is written byte for byte as it was read. Pure. */

export interface FileLine {
  readonly text: string;
  /** The line's own bytes, where its text does not give them back: it is not valid UTF-8. */
  readonly bytes: Uint8Array | null;
}

export interface FileText {
  readonly lines: readonly FileLine[];
  /** The byte order mark, if there is one; no part of the first line, as in an editor. */
  readonly mark: Uint8Array;
  /** CR LF when every line that ends does so; else a CR belongs to its line. */
  readonly lineEnd: "\n" | "\r\n";
  /** The last line, when the file did not end it. As long as it stays the last, it is not ended. */
  readonly openLine: FileLine | null;
}

const byteOrderMark = Uint8Array.of(0xef, 0xbb, 0xbf);
const none = new Uint8Array(0);

export function readFileText(bytes: Buffer): FileText {
  const mark = bytes.subarray(0, 3).equals(byteOrderMark) ? byteOrderMark : none;
  const pieces = split(bytes.subarray(mark.length));
  const open = pieces.pop();
  const isDos = pieces.length > 0 && pieces.every((piece) => piece.at(-1) === 0x0d);
  const lines = pieces.map((piece) => toLine(isDos ? piece.subarray(0, -1) : piece));
  const openLine = open === undefined || open.length === 0 ? null : toLine(open);
  if (openLine !== null) lines.push(openLine);
  return { lines, mark, lineEnd: isDos ? "\r\n" : "\n", openLine };
}

export function unreadableLines({ lines }: FileText): readonly number[] {
  return lines.flatMap(({ bytes }, line) => (bytes === null ? [] : [line]));
}

export function writeFileText({ lines, mark, lineEnd, openLine }: FileText): Buffer {
  const end = Buffer.from(lineEnd);
  const pieces: Uint8Array[] = [mark];
  for (const line of lines) pieces.push(line.bytes ?? Buffer.from(line.text), end);
  if (openLine !== null && lines.at(-1) === openLine) pieces.pop();
  return Buffer.concat(pieces);
}

/** What stands between the line feeds; the last piece is empty when the bytes end in one. */
function split(bytes: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, start)) {
    pieces.push(bytes.subarray(start, end));
    start = end + 1;
  }
  pieces.push(bytes.subarray(start));
  return pieces;
}

function toLine(bytes: Buffer): FileLine {
  const text = bytes.toString("utf8");
  const isWhole = !text.includes("\ufffd") || bytes.equals(Buffer.from(text));
  return { text, bytes: isWhole ? null : bytes };
}
