/** What a connection needs of a transport, whatever the server is reached by. */
import type { Transport } from "@modelcontextprotocol/client";
import type { Grace } from "../../system/process-group.ts";
import type { StderrTail } from "./stderr-tail.ts";

/** A server refuses whoever is not logged in; only a person can change that. The message is a sentence. */
export class LoginNeededError extends Error {}

/** The command is not there or may not be run: trying again changes nothing. The message is a sentence. */
export class CannotStartError extends Error {}

/** A failure of the way to the server, not of the server's answer. */
export interface TransportFailure {
  readonly sentence: string;
  /** Whether the request may have been carried out. */
  readonly mayHaveRun: boolean;
  /** What the connection is from then on. `unknown-session`: the request was refused since the server has forgotten it. */
  readonly connection: "as-before" | "gone" | "unknown-session" | "needs-login";
}

export interface ServerTransport extends Transport {
  readonly kind: "stdio" | "http" | "sse";
  /** A sentence on how the server ended, once it has. */
  ending: string | null;
  /** What may be the reason when it ends before it has answered, as sentences. */
  readonly hint: string;
  /** Hears what is no message, from the first line on: the SDK's own `onerror` is deaf while it asks for the revision. */
  onnoise?: (text: string) => void;
  /** Its last lines on stderr, where there is one. */
  readonly stderr: Pick<StderrTail, "text">;
  /** Quick while Neovim quits; patient lets it write what it has. */
  close(grace?: Grace): Promise<void>;
  /** What it answered, without the keys that it was given. */
  hide(text: string): string;
  /** Null when the error is none of the transport's. */
  explain(error: unknown): TransportFailure | null;
}
