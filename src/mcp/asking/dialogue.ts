/** How a person is asked: what the host offers to the questions of servers. All texts are made visible before. */

export interface Selection {
  /** One line. */
  readonly prompt: string;
  /** What the person is to read before choosing, in lines. */
  readonly details: readonly string[];
  readonly items: readonly string[];
}

export interface Dialogue {
  /** The index of the chosen item; null when the person left. Rejects once the signal is aborted. */
  select(selection: Selection, signal: AbortSignal): Promise<number | null>;
  /** The text typed; null when the person left. Rejects once the signal is aborted. */
  input(prompt: string, text: string, signal: AbortSignal): Promise<string | null>;
  /** Opens a web address outside of the editor; null, or a sentence on why it could not. */
  openAddress(address: string): Promise<string | null>;
}
