/** What a connection needs of a transport, for local and remote servers alike. */
import type { Transport } from "@modelcontextprotocol/client";
import type { Grace } from "../../system/process-group.ts";
import type { StderrTail } from "./stderr-tail.ts";

/** The server refuses requests without a login, and only the user can log in. The message is a sentence. */
export class LoginNeededError extends Error {}

/** The command does not exist or may not run, so another attempt is pointless. The message is a sentence. */
export class CannotStartError extends Error {}

/** A failure on the way to the server, rather than an error in its response. */
export interface TransportFailure {
  readonly sentence: string;
  /** Whether the request may have been carried out. */
  readonly mayHaveRun: boolean;
  /** The connection's state afterwards. `unknown-session`: refused because the server has forgotten the session. */
  readonly connection: "as-before" | "gone" | "unknown-session" | "needs-login";
}

export interface ServerTransport extends Transport {
  readonly kind: "stdio" | "http" | "sse";
  /** A sentence on how the server ended; null until it ends. */
  ending: string | null;
  /** Likely reasons if the server ends before it has answered, as sentences. */
  readonly hint: string;
  /** Receives lines that are not messages, from the first on: the SDK's `onerror` does not work during negotiation. */
  onnoise?: (text: string) => void;
  /** Its last lines on stderr, if it has one. */
  readonly stderr: Pick<StderrTail, "text">;
  /** Quick while Neovim quits; patient lets the server finish writing. */
  close(grace?: Grace): Promise<void>;
  /** Hides the server's keys in a text that it sent. */
  hide(text: string): string;
  /** Null if the error is not about the transport. */
  explain(error: unknown): TransportFailure | null;
}
