/**
 * How one MCP server is started. Values are final: variables were put in by whoever read the files.
 */
export interface ServerConfiguration {
  /** An executable, run without a shell. */
  readonly command: string;
  readonly args?: readonly string[];
  /**
   * Added to the small safe set that every server gets; nothing else of our environment reaches it.
   */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Whether it may ask for answers of the person's model, each with a yes; the host's default when absent. */
  readonly sampling?: "off" | "ask";
  /** Milliseconds a call may take; the host's default when absent. */
  readonly timeoutMs?: number;
}
