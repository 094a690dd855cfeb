/** How a person is asked: what the host offers to the questions of servers. All texts are made visible before. */

export interface Selection {
  /** One line. */
  readonly prompt: string;
  /** What the person is to read before choosing, in lines. */
  readonly details: readonly string[];
  readonly items: readonly string[];
}

/** A text to fill in. */
export interface Page {
  /** One line. */
  readonly title: string;
  readonly lines: readonly string[];
  /** Zero-based line to begin at; the cursor stands behind its end. */
  readonly cursor: number;
  /** Words that complete a value, by what stands before the colon of its line. */
  readonly completions: Readonly<Record<string, readonly string[]>>;
}

export interface PageMistake {
  /** Zero-based. */
  readonly line: number;
  readonly text: string;
}

/** What is wrong with a text as it was written; empty: it is taken. */
export type CheckPage = (
  lines: readonly string[],
) => readonly PageMistake[] | Promise<readonly PageMistake[]>;

export interface Dialogue {
  /** The lines as the person wrote them, once `check` finds nothing wrong; null: they left it. Rejects once the signal is aborted. */
  fill(page: Page, check: CheckPage, signal: AbortSignal): Promise<readonly string[] | null>;
  /** The index of the chosen item; null when the person left. Rejects once the signal is aborted. */
  select(selection: Selection, signal: AbortSignal): Promise<number | null>;
  /** The text typed; null when the person left. Rejects once the signal is aborted. */
  input(prompt: string, text: string, signal: AbortSignal): Promise<string | null>;
  /** Opens a web address outside of the editor; null, or a sentence on why it could not. */
  openAddress(address: string): Promise<string | null>;
}
