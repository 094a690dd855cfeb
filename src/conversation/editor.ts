/** The port through which a text is read and written: a Neovim buffer, or a file of the command line. */
import type { Edit } from "../transcript/transcript.ts";

/** `Editor.read` rejects with this when the text is no longer open. Its file holds what was last written. */
export class TextGone extends Error {
  constructor() {
    super("The text is no longer open, so there is nothing to read.");
  }
}

export interface Snapshot {
  readonly lines: readonly string[];
  /** Grows with every change of the text. */
  readonly tick: number;
}

/** Lines `start` up to `end` (exclusive) were replaced by `lines`; reported in order, including our own writes. */
export type Splice = Edit;

/** Writes with the same group form one undo step as long as nothing else changes the text between them. */
export type UndoGroup = string;

/** The position where an answer streams in; it moves with the text when the user edits around it. */
export interface StreamTip {
  /**
   * Appends text (may hold LF) at the tip. `render` receives the text before the tip on its line, as it is at that
   * moment, and returns what to write; it may be called again when the user changed that line.
   * `gone`: the answer's first line or the tip was removed; nothing was written.
   */
  write(render: (linePrefix: string) => string): Promise<"written" | "gone">;
  /** The line of the tip now, or null when the tip is gone. */
  line(): Promise<number | null>;
  /**
   * The line of the unfinished mark below the tip. If the user typed into the mark, it is repaired first, with the
   * typed text below it. Null when the answer's first line, the tip or the mark is gone.
   */
  mark(): Promise<number | null>;
  /** As `mark`, but a deleted mark is written again when the answer and its tip still exist. */
  restoreMark(): Promise<number | null>;
  close(): Promise<void>;
}

export type SaveEnd = "saved" | "reloaded" | "conflict" | "unnamed" | "failed";

/** One text being edited: a Neovim buffer, or a file of the command line. */
export interface Editor {
  /** The current text; always consistent with the splices reported so far. Rejects with `TextGone`. */
  read(): Promise<Snapshot>;
  /**
   * Applies all edits in one undo step, or none: `stale` when the text is no longer the one they were computed from.
   */
  apply(
    from: Snapshot,
    edits: readonly Edit[],
    undo: UndoGroup,
  ): Promise<"applied" | "stale" | "gone">;
  /**
   * Applies the edits and opens a tip at the end of line `line` of the result, as one atomic operation; `answerLine` is
   * the `🤖:` line that must stay. With `saves`, the same operation first does what `save(true)` does, and does nothing
   * else unless that ends with `saved`. A text other than that of `from` is not saved.
   */
  openTip(
    from: Snapshot,
    opening: {
      readonly edits: readonly Edit[];
      readonly tip: { readonly line: number; readonly answerLine: number };
    },
    undo: UndoGroup,
    saves?: boolean,
  ): Promise<StreamTip | "stale" | "gone" | { readonly unsaved: Exclude<SaveEnd, "saved"> }>;
  /**
   * Writes the file. `conflict`: the file changed on disk; nothing was written and the user was informed. `reloaded`:
   * the file changed on disk, there were no changes here, and the text is now that of the file. `quick`: all programs
   * see the written file and it survives their exit, but a power failure in the next moment may lose it. Without it,
   * the text is on the disk.
   */
  save(quick?: boolean): Promise<SaveEnd>;
  onSplice(listener: (splice: Splice) => void): () => void;
}
