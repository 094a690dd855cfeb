/** What is told of the servers, in the editor and on the command line. */

import type { ListedServer } from "../../mcp/registry.ts";
import { visible } from "../../shared/visible.ts";
import type { InstructionStanding } from "../state/seen-instructions.ts";

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
  standings: ReadonlyMap<string, InstructionStanding> = new Map(),
): readonly string[] {
  const listed = servers.flatMap((server) => [
    `# ${serverLine(server)}`,
    ...(server.leftOut === null ? [] : ["", server.leftOut]),
    ...(server.problem === null ? [] : ["", ...server.problem.split("\n")]),
    ...(server.problems.length === 0 ? [] : ["", ...server.problems]),
    ...instructionLines(server, standings),
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

/** What of the instructions goes to the model, with how they begin. */
function instructionLines(
  { name, instructions }: ListedServer,
  standings: ReadonlyMap<string, InstructionStanding>,
): readonly string[] {
  const standing = standings.get(name);
  if (instructions === null || standing === undefined) return [];
  const { length } = instructions.text;
  return [
    "",
    `instructions, ${length} characters: ${standingText(standing)}; :Parley mcp instructions ${name} shows them`,
  ];
}

export function standingText(standing: InstructionStanding): string {
  switch (standing) {
    case "sent":
      return "sent to the model with its tools";
    case "unseen":
      return "not sent, nobody has seen them yet";
    case "changed":
      return "not sent, they changed since they were sent last";
    case "refused":
      return "not sent, you said no";
  }
}

const noServers =
  "No MCP server is configured. Write it into mcp.json beside config.json (:help parley-mcp).";

/** The last lines on stderr, as code. */
export function stderrLines({ stderr }: Pick<ListedServer, "stderr">): readonly string[] {
  return stderr === "" ? [] : ["", "stderr:", ...stderr.split("\n").map((line) => `    ${line}`)];
}
