/** The Editor port over one file: lines in memory, written atomically after each step. */
import { readFile, realpath } from "node:fs/promises";
import type { Editor, Splice, StreamTip } from "../conversation/editor.ts";
import { applyEdits } from "../transcript/apply-edits.ts";
import type { Edit } from "../transcript/types.ts";
import { type FileText, readFileText, writeFileText } from "./file-text.ts";
import { replaceFile } from "./replace-file.ts";

export class FileEditor implements Editor {
  /** The file itself, behind any symbolic links. */
  readonly path: string;
  #text: FileText;
  #lines: readonly string[];
  #tick = 0;
  #savedTick = 0;
  /** The file as it was read or written last; other bytes mean that somebody else wrote. */
  #seen: Buffer;
  readonly #listeners = new Set<(splice: Splice) => void>();

  private constructor(path: string, bytes: Buffer) {
    this.path = path;
    this.#seen = bytes;
    this.#text = readFileText(bytes);
    this.#lines = this.#text.lines.map(({ text }) => text);
  }

  /** Reads the file; rejects with a sentence when it cannot. */
  static async open(path: string): Promise<FileEditor> {
    try {
      const real = await realpath(path);
      return new FileEditor(real, await readFile(real));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`${path} could not be read, so nothing was done (${reason}).`);
    }
  }

  async read() {
    return { lines: this.#lines, tick: this.#tick };
  }

  async apply(tick: number, edits: readonly Edit[]) {
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
    tick: number,
    { edits, tip }: { readonly edits: readonly Edit[]; readonly tip: { readonly line: number } },
  ): Promise<StreamTip | "stale"> {
    if ((await this.apply(tick, edits)) === "stale") return "stale";
    let { line } = tip;
    return {
      write: async (render) => {
        const before = this.#lines[line] ?? "";
        const text = render(before);
        if (text === "") return "written";
        const lines = (before + text).split("\n");
        await this.apply(this.#tick, [{ start: line, end: line + 1, lines }]);
        line += lines.length - 1;
        return "written";
      },
      line: async () => line,
      close: async () => {},
    };
  }

  /** Rejects with a sentence when the file cannot be written: nothing may run whose decision is not recorded. */
  async save() {
    if (this.#tick === this.#savedTick) return "saved" as const;
    const now = await readFile(this.path).catch(() => null);
    if (now === null || !now.equals(this.#seen)) return "conflict" as const;
    const bytes = writeFileText(this.#text);
    const tick = this.#tick;
    await replaceFile(this.path, bytes);
    this.#seen = bytes;
    this.#savedTick = tick;
    return "saved" as const;
  }

  onSplice(listener: (splice: Splice) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
