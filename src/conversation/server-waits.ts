/** What calls and answers wait for while servers are unavailable, in words for the user. */
import { visible, visibleText } from "../shared/visible.ts";
import type { Tool, UnlistedServer } from "./ports.ts";

/** A server that is starting. */
export interface StartingServer {
  readonly name: string;
  /** Since the start began. */
  readonly seconds: number;
}

/** Finds the server that a tool's name points to, among those whose tools are not known. */
export function serverMeant(
  name: string,
  unlisted: readonly UnlistedServer[],
): UnlistedServer | null {
  return unlisted.find(({ toolsBegin }) => name.startsWith(toolsBegin)) ?? null;
}

interface ServerWait {
  /** Shown in the line of the call. */
  readonly text: string;
  /**
   * Whether the call will be shown with its tool as soon as its server is ready; until then an approval opens the list.
   */
  readonly isPending: boolean;
}

/** Returns what the call waits for. Null: nothing, and all there is to know about the call is known. */
export function waitOf(
  name: string,
  tool: Tool | null,
  unlisted: readonly UnlistedServer[],
  starting: readonly StartingServer[],
): ServerWait | null {
  const meant = tool === null ? serverMeant(name, unlisted) : null;
  const server = tool?.server ?? meant?.server ?? null;
  const start = starting.find((one) => one.name === server);
  if (start) return { text: `starting, ${start.seconds} s`, isPending: tool === null };
  if (meant === null) return null;
  const shown = visibleText(meant.server);
  switch (meant.state) {
    case "off":
    case "starting":
      return { text: `server ${shown}, not started here yet`, isPending: true };
    case "unasked":
      return { text: `server ${shown} waits for your approval`, isPending: true };
    case "unusable":
      return { text: `server ${shown} cannot be used now`, isPending: false };
  }
}

/** Why an approval of this call cannot be accepted now; null when nothing prevents it. */
export function unusableText(name: string, unlisted: readonly UnlistedServer[]): string | null {
  const meant = serverMeant(name, unlisted);
  if (meant === null) return null;
  const [first = ""] = meant.why.split("\n");
  const why = first === "" ? "It is not running." : first;
  return `MCP server ${visibleText(meant.server)} cannot be used now, so nothing was decided. ${visibleText(why)}`;
}

/** For the model: why a call of a tool that is not offered did not run; null: no known server would have the tool. */
export function absentServerText(name: string, unlisted: readonly UnlistedServer[]): string | null {
  const meant = serverMeant(name, unlisted);
  if (meant === null) return null;
  const [first = ""] = meant.why.split("\n");
  const why = {
    off: "It was not started yet.",
    starting: "It is still starting; its tools are offered as soon as it is ready.",
    unasked: "The user has not approved its start yet.",
    unusable: visibleText(first),
  }[meant.state];
  return `MCP server ${visibleText(meant.server)}, which has this tool, cannot be used now, so the tool was not run. ${why}`.trimEnd();
}

const tickMs = 1000;

/** Reports once a second which servers the answer waits for (`starting github, 14 s`), until `end` is called. */
export function reportStarting(
  starting: () => readonly StartingServer[],
  report: ((text: string) => void) | undefined,
): { end(): void } {
  const timer = setInterval(() => {
    const lines = starting().map(({ name, seconds }) => `${visible(name)}, ${seconds} s`);
    if (lines.length > 0) report?.(`starting ${lines.join("; ")}`);
  }, tickMs);
  return { end: () => clearInterval(timer) };
}
