/** What is told of the servers, in the editor and on the command line. */
import type { ListedServer } from "../mcp/registry.ts";

/** One line: its state and how many tools it has. */
export function serverLine({ name, state, tools, leftOut }: ListedServer): string {
  if (leftOut !== null) return `${name}: not used`;
  const count = tools === null ? "" : `, ${tools.length} ${tools.length === 1 ? "tool" : "tools"}`;
  return `${name}: ${state}${count}`;
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
    ...(server.tools === null || server.tools.length === 0 ? [] : ["", server.tools.join(", ")]),
    ...stderrLines(server),
    "",
  ]);
  return [...listed, ...(servers.length === 0 ? [noServers] : []), ...notices];
}

const noServers =
  "No MCP server is configured. Write it into mcp.json beside config.json (:help parley-mcp).";

/** The last lines on stderr, as code. */
export function stderrLines({ stderr }: Pick<ListedServer, "stderr">): readonly string[] {
  return stderr === "" ? [] : ["", "stderr:", ...stderr.split("\n").map((line) => `    ${line}`)];
}
