/**
 * How one MCP server is reached. Values are final: variables were put in by whoever read the files.
 */
import type { Sandbox } from "../../system/sandbox.ts";
import type { OAuthLogin } from "../oauth/login.ts";

/** Which revision of the protocol is spoken: `legacy` is 2025-11-25 and older, `auto` the newest that both know. */
export type ProtocolChoice = "auto" | "legacy" | "2026-07-28";

interface CommonConfiguration {
  /** Absent: `auto`. */
  readonly protocol?: ProtocolChoice;
  /** Whether it may ask for answers of the person's model, each with a yes; the host's default when absent. */
  readonly sampling?: "off" | "ask";
  /** False: it is not told which folders are worked in, so it keeps to those of its own arguments. */
  readonly roots?: boolean;
  /** Milliseconds a call may take; the host's default when absent. */
  readonly timeoutMs?: number;
  /** Milliseconds a start may take; the host's default when absent. */
  readonly startTimeoutMs?: number;
}

/** A process that we start. */
export interface StdioConfiguration extends CommonConfiguration {
  /** An executable, run without a shell. */
  readonly command: string;
  readonly args?: readonly string[];
  /**
   * Added to the small safe set that every server gets; nothing else of our environment reaches it.
   */
  readonly env?: Readonly<Record<string, string>>;
  /** Names of variables of our own environment that it gets beside the safe set. */
  readonly envPass?: readonly string[];
  readonly cwd?: string;
  /** With absolute folders. Absent: it runs as a program of the person's own. */
  readonly sandbox?: Sandbox;
  /** It spoke an older revision when it ran last, or did not start: it is not asked for the newer one first. */
  readonly isOlder?: boolean;
  /** The folder is our empty one, since this program runs what it finds in its folder. */
  readonly emptyFor?: string;
}

/** A server that runs already, behind an address. */
export interface HttpConfiguration extends CommonConfiguration {
  /** As `readHttpAddress` takes it. */
  readonly url: URL;
  /** Sent with each request to the origin of `url`, and nowhere else. */
  readonly headers?: Readonly<Record<string, string>>;
  /** `http`: Streamable HTTP, and the older SSE where a server knows only that. */
  readonly transport: "http" | "sse";
  /** Null: it is never logged in to. */
  readonly login: OAuthLogin | null;
}

export type ServerConfiguration = StdioConfiguration | HttpConfiguration;
