/**
 * How one MCP server is reached. Values are final: all variables are already expanded.
 */
import type { Sandbox } from "../../system/sandbox.ts";
import type { OAuthLogin } from "../oauth/login.ts";

/** The protocol revision: `legacy` is 2025-11-25 and older, `auto` the newest that both sides support. */
export type ProtocolChoice = "auto" | "legacy" | "2026-07-28";

interface CommonConfiguration {
  /** Absent: `auto`. */
  readonly protocol?: ProtocolChoice;
  /** Whether it may request answers from the user's model, each with approval; absent: the host's default. */
  readonly sampling?: "off" | "ask";
  /** False: it does not get the working folders (roots), so it only has those in its own arguments. */
  readonly roots?: boolean;
  /** Timeout of a call in milliseconds; absent: the host's default. */
  readonly timeoutMs?: number;
  /** Timeout of a start in milliseconds; absent: the host's default. */
  readonly startTimeoutMs?: number;
}

/** A server process that Parley starts. */
export interface StdioConfiguration extends CommonConfiguration {
  /** An executable, run without a shell. */
  readonly command: string;
  readonly args?: readonly string[];
  /**
   * Added to the small safe set of variables that every server gets; it gets nothing else of our environment.
   */
  readonly env?: Readonly<Record<string, string>>;
  /** Names of our own environment variables that it gets in addition to the safe set. */
  readonly envPass?: readonly string[];
  readonly cwd?: string;
  /** With absolute folders. Absent: no sandbox; it runs like any program that the user starts. */
  readonly sandbox?: Sandbox;
  /** In its last run it used an older revision or did not start, so Parley does not try the newer one first. */
  readonly isOlder?: boolean;
  /** The program that runs code it finds in its working directory; `cwd` is therefore an empty folder of Parley. */
  readonly emptyFor?: string;
}

/** A server that already runs, behind an address. */
export interface HttpConfiguration extends CommonConfiguration {
  /** Checked by `readHttpAddress`. */
  readonly url: URL;
  /** Sent with each request to the origin of `url`, and to no other. */
  readonly headers?: Readonly<Record<string, string>>;
  /** `http`: Streamable HTTP, with a fallback to the older SSE transport. */
  readonly transport: "http" | "sse";
  /** Null: Parley never logs in. */
  readonly login: OAuthLogin | null;
}

export type ServerConfiguration = StdioConfiguration | HttpConfiguration;
