/** The Editor port over one file: lines in memory, written atomically after each step. */
import { randomBytes } from "node:crypto";
import { type FileHandle, open, readFile, realpath, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Editor, Splice, StreamTip } from "../conversation/types.ts";
import { applyEdits } from "../transcript/apply-edits.ts";
import type { Edit } from "../transcript/types.ts";

/** How the file looked when it was read or written last; another look of it means somebody else wrote. */
interface Seen {
  readonly text: string;
  readonly mode: number;
}

export class FileEditor implements Editor {
  /** The file itself, behind any symbolic links. */
  readonly path: string;
  #lines: readonly string[];
  #tick = 0;
  #savedTick = 0;
  #seen: Seen;
  readonly #listeners = new Set<(splice: Splice) => void>();

  private constructor(path: string, seen: Seen) {
    this.path = path;
    this.#seen = seen;
    // Carriage returns and a byte order mark stay in the lines, so that lines nobody edits are written as they were.
    const lines = seen.text.split("\n");
    if (lines.at(-1) === "") lines.pop();
    this.#lines = lines;
  }

  /** Reads the file; rejects with the system's error when it cannot. */
  static async open(path: string): Promise<FileEditor> {
    const real = await realpath(path);
    return new FileEditor(real, await look(real));
  }

  async read() {
    return { lines: this.#lines, tick: this.#tick };
  }

  async apply(tick: number, edits: readonly Edit[]) {
    if (tick !== this.#tick) return "stale" as const;
    this.#lines = applyEdits(this.#lines, edits);
    this.#tick += 1;
    // Bottom up, so that each splice is told in lines that are still where they were.
    for (const edit of [...edits].sort((a, b) => b.start - a.start)) {
      for (const listener of this.#listeners) listener(edit);
    }
    return "applied" as const;
  }

  async openTip(tick: number, place: { readonly line: number }): Promise<StreamTip | "stale"> {
    if (tick !== this.#tick) return "stale";
    let line = place.line;
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

  async save() {
    if (this.#tick === this.#savedTick) return "saved" as const;
    const now = await look(this.path).catch(() => null);
    if (now === null || now.text !== this.#seen.text) return "conflict" as const;
    const text = this.#lines.map((line) => `${line}\n`).join("");
    await replaceFile(this.path, text, now.mode);
    this.#seen = { text, mode: now.mode };
    this.#savedTick = this.#tick;
    return "saved" as const;
  }

  onSplice(listener: (splice: Splice) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

async function look(path: string): Promise<Seen> {
  const text = await readFile(path, "utf8");
  return { text, mode: (await stat(path)).mode & 0o7777 };
}

/** The whole text or nothing: a crash in the middle leaves the old file. */
async function replaceFile(path: string, text: string, mode: number): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}`);
  let file: FileHandle | null = null;
  try {
    file = await open(temporary, "wx", mode);
    await file.writeFile(text);
    await file.chmod(mode);
    await file.sync();
    await file.close();
    file = null;
    await rename(temporary, path);
  } catch (error) {
    await file?.close();
    await unlink(temporary).catch(() => {});
    throw error;
  }
}
