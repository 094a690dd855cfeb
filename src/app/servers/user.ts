/** The user who is asked about servers; on the command line there is none. */
import type { Dialogue } from "../../mcp/asking/dialogue.ts";

export interface User {
  confirm(question: string): Promise<boolean>;
  /** Null when nothing was typed. */
  secret(prompt: string): Promise<string | null>;
}

/** The user as asked about servers: approves them and gives the values that they need. */
export type ServersUser = User & Pick<Dialogue, "select" | "input">;
