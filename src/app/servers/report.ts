/** What is told of the servers, in the editor and on the command line. */

import type { ListedServer } from "../../mcp/registry.ts";
import { visible } from "../../shared/visible.ts";

/** One line: its state, how much it offers as far as that was asked, and how it is reached. */
export function serverLine(server: ListedServer): string {
  const { name, state, tools, catalog, reached, transport } = server;
  const counts = [
    counted(tools?.length ?? null, "tool", "tools"),
    counted(catalog?.resources || null, "resource", "resources"),
    counted(catalog?.prompts || null, "prompt", "prompts"),
  ];
  const words = [state, ...counts.filter((count) => count !== null)].join(", ");
  const way = [transport, reached?.revision].filter((word) => word != null).join(", ");
  return `${name}: ${words}${way === "" ? "" : ` (${way})`}`;
}

function counted(count: number | null, one: string, many: string): string | null {
  return count === null ? null : `${count} ${count === 1 ? one : many}`;
}

/** Everything known of each server, as Markdown. */
export function serverReport(
  servers: readonly ListedServer[],
  notices: readonly string[],
): readonly string[] {
  const listed = servers.flatMap((server) => [
    `# ${serverLine(server)}`,
    ...(server.leftOut === null ? [] : ["", server.leftOut]),
    ...(server.problem === null ? [] : ["", ...server.problem.split("\n")]),
    ...(server.problems.length === 0 ? [] : ["", ...server.problems]),
    ...(server.tools === null || server.tools.length === 0
      ? []
      : ["", server.tools.map((name) => visible(name)).join(", ")]),
    ...stderrLines(server),
    "",
  ]);
  // Servers wrote much of it, and a line that holds a break is none for an editor.
  return [...listed, ...(servers.length === 0 ? [noServers] : []), ...notices].map((line) =>
    visible(line),
  );
}

const noServers =
  "No MCP server is configured. Write it into mcp.json beside config.json (:help parley-mcp).";

/** The last lines on stderr, as code. */
export function stderrLines({ stderr }: Pick<ListedServer, "stderr">): readonly string[] {
  return stderr === "" ? [] : ["", "stderr:", ...stderr.split("\n").map((line) => `    ${line}`)];
}
