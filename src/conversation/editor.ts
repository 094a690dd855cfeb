/** The port behind which a text is read and written: a buffer of Neovim, or a file of the command line. */
import type { Edit } from "../transcript/transcript.ts";

/** `Editor.read` rejects with this when the text is no longer open: what its file holds is what was last written. */
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

/** Lines `start` up to `end` (exclusive) were replaced by `lines`; reported in order, our own writes included. */
export type Splice = Edit;

/** Writes with the same group are one undo step as long as nobody else changes the text between them. */
export type UndoGroup = string;

/** Where a streaming answer grows; follows the text when a person edits around it. */
export interface StreamTip {
  /**
   * Appends text (may hold LF) at the tip. `render` gets what stands before the tip on its line, as it is
   * at that moment, and returns what to write; it may be asked again when the person changed that line.
   * `gone`: the answer's first line or the tip was removed; nothing was written.
   */
  write(render: (linePrefix: string) => string): Promise<"written" | "gone">;
  /** The tip's line at this moment, or null when it is gone. */
  line(): Promise<number | null>;
  /**
   * The line of the unfinished mark below the tip, put right when somebody typed in it: what was typed stands below
   * it then. Null when the answer's first line, the tip or the mark is gone.
   */
  mark(): Promise<number | null>;
  /** As `mark`, but a mark that was deleted is written again when the answer and its tip are still there. */
  restoreMark(): Promise<number | null>;
  close(): Promise<void>;
}

export type SaveEnd = "saved" | "reloaded" | "conflict" | "unnamed" | "failed";

/** One text being worked on: a Neovim buffer, or a file of the command line. */
export interface Editor {
  /** The text as it is now; always consistent with the splices reported so far. Rejects with `TextGone`. */
  read(): Promise<Snapshot>;
  /** All edits in one undo step, or none: `stale` when the text is no longer the one that they were computed from. */
  apply(
    from: Snapshot,
    edits: readonly Edit[],
    undo: UndoGroup,
  ): Promise<"applied" | "stale" | "gone">;
  /**
   * Applies the edits and opens a tip at the end of line `line` as it is then, with nobody in between;
   * `answerLine` is the `🤖:` line that must stay. `saves`: what `save(true)` does comes first, with nobody in between
   * either, and nothing else is done where it does not end with `saved`. Another text than the one of `from` is not saved.
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
   * Writes the file. `conflict`: it changed on disk; nothing was written and the person was told. `reloaded`: it
   * changed on disk, nothing was changed here, and the text is the one of the file now. `quick`: what was written is
   * in the file for every program and outlives all of them, but a machine that loses its power in the next moment may
   * lose it. Without it, it is on the disk.
   */
  save(quick?: boolean): Promise<SaveEnd>;
  onSplice(listener: (splice: Splice) => void): () => void;
}
