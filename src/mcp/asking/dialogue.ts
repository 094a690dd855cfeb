/** How the host asks the user a server's questions. All texts are already free of invisible characters. */

export interface Selection {
  /** One line. */
  readonly prompt: string;
  /** Lines for the user to read before choosing. */
  readonly details: readonly string[];
  readonly items: readonly string[];
}

/** A text to fill in. */
export interface Page {
  /** One line. */
  readonly title: string;
  readonly lines: readonly string[];
  /** Zero-based line to start at; the cursor is put at its end. */
  readonly cursor: number;
  /** Completions of a value, keyed by the text before the colon of its line. */
  readonly completions: Readonly<Record<string, readonly string[]>>;
}

export interface PageMistake {
  /** Zero-based. */
  readonly line: number;
  readonly text: string;
}

/** Returns the mistakes in a text as the user wrote it; empty: the text is accepted. */
export type CheckPage = (
  lines: readonly string[],
) => readonly PageMistake[] | Promise<readonly PageMistake[]>;

export interface Dialogue {
  /** Returns the lines once `check` finds no mistake; null: the user left. Rejects when the signal is aborted. */
  fill(page: Page, check: CheckPage, signal: AbortSignal): Promise<readonly string[] | null>;
  /** Returns the index of the chosen item; null: the user cancelled. Rejects when the signal is aborted. */
  select(selection: Selection, signal: AbortSignal): Promise<number | null>;
  /** Returns the typed text; null: the user cancelled. Rejects when the signal is aborted. */
  input(prompt: string, text: string, signal: AbortSignal): Promise<string | null>;
  /** Opens a web address in the browser; returns null, or a sentence why that failed. */
  openAddress(address: string): Promise<string | null>;
}
