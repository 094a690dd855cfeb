/** Implements the Editor port on one file: lines in memory, written atomically after each step. */

import { access, constants, readFile, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Editor, Snapshot, Splice, StreamTip, UndoGroup } from "../../conversation/editor.ts";
import { applyEdits } from "../../transcript/edits/layout.ts";
import type { Edit } from "../../transcript/transcript.ts";
import { type FileText, readFileText, unreadableLines, writeFileText } from "./file-text.ts";
import { reasonOf } from "./reason-of.ts";
import { interruptedCopy, replaceFile } from "./replace-file.ts";

export class FileEditor implements Editor {
  /** The path of the file, with symbolic links resolved. */
  readonly path: string;
  #text: FileText;
  #lines: readonly string[];
  #tick = 0;
  #savedTick = 0;
  /** The bytes last read or written; other bytes in the file mean that another program wrote it. */
  #seen: Buffer;
  /** The folder that keeps a copy of the text during a write in place. */
  readonly #copies: string;
  readonly #listeners = new Set<(splice: Splice) => void>();

  private constructor(path: string, bytes: Buffer, copies: string) {
    this.path = path;
    this.#copies = copies;
    this.#seen = bytes;
    this.#text = readFileText(bytes);
    this.#lines = this.#text.lines.map(({ text }) => text);
  }

  /** Opens the file; rejects with a sentence when it cannot be read, or when its last write was interrupted. */
  static async open(path: string, stateFolder: string): Promise<FileEditor> {
    const copies = join(stateFolder, "saving");
    try {
      const real = await realpath(path);
      if (!(await stat(real)).isFile()) throw new Error("it is not a regular file");
      const copy = await interruptedCopy(real, copies);
      if (copy !== null)
        throw new Error(`writing it was interrupted; the whole text is in ${copy}`);
      return new FileEditor(real, await readFile(real), copies);
    } catch (error) {
      const reason = reasonOf(error);
      throw new Error(`${path} could not be read, so nothing was done: ${reason}.`);
    }
  }

  /** Lines, counted from 0, with invalid UTF-8: their invalid bytes are sent as U+FFFD. */
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
    // Bottom up, so that the lines of each reported splice are still where they were.
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
      // Nobody types in a file, so the mark is still where it was written.
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
    // Writing the new text takes time, and another program may write the file meanwhile.
    const isWritten = await replaceFile(this.path, bytes, this.#copies, () => this.#isAsSeen());
    if (!isWritten) return "conflict" as const;
    this.#seen = bytes;
    this.#savedTick = tick;
    return "saved" as const;
  }

  /** An answer costs money, so checks first that the file can be written and still holds the text that was read. */
  async #saveBeforeRequest() {
    if (!(await this.#isAsSeen())) return "conflict" as const;
    await access(this.path, constants.W_OK).catch((error: unknown) => {
      const reason = reasonOf(error);
      throw new Error(`${this.path} cannot be written, so nothing was sent: ${reason}`);
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
