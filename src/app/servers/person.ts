/** The one who sits there and is asked about servers; nobody does on the command line. */
import type { Dialogue } from "../../mcp/asking/dialogue.ts";

export interface Person {
  confirm(question: string): Promise<boolean>;
  /** Null when nothing was typed. */
  secret(prompt: string): Promise<string | null>;
}

/** Who agrees to servers and gives what they want to know. */
export type ServersPerson = Person & Pick<Dialogue, "select" | "input">;
