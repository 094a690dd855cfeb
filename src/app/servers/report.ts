/** Reports about the servers, for the editor and the command line. */

import type { ListedServer } from "../../mcp/registry.ts";
import { counted, secondsSince } from "../../shared/counted.ts";
import { ellipsize, visible } from "../../shared/visible.ts";
import type { InstructionsStatus } from "../state/seen-instructions.ts";

/** One line: state, known numbers of tools, resources and prompts, and how the server is reached. */
export function serverLine(server: ListedServer): string {
  const { name, state, tools, catalog, reached, transport } = server;
  const counts = [
    ...(tools == null ? [] : [counted(tools.length, "tool")]),
    ...(catalog?.resources ? [counted(catalog.resources, "resource")] : []),
    ...(catalog?.prompts ? [counted(catalog.prompts, "prompt")] : []),
  ];
  const words = [state, ...counts].join(", ");
  const way = [transport, reached?.revision].filter((word) => word != null).join(", ");
  return `${visible(name)}: ${words}${way === "" ? "" : ` (${way})`}`;
}

/** In columns, for a screen of 80. */
const columns = { name: 18, state: 11, tools: 9, start: 8 };

/** A heading and one line for each server: its state, its tools, how long it took to start, and its transport. */
export function serverTable(servers: readonly ListedServer[]): readonly string[] {
  if (servers.length === 0) return [];
  const row = (name: string, state: string, tools: string, start: string, way: string) =>
    [
      inColumn(name, columns.name),
      inColumn(state, columns.state),
      tools.padStart(columns.tools),
      start.padStart(columns.start),
      `  ${way}`,
    ]
      .join("")
      .trimEnd();
  const rows = servers.map((server) => {
    const { name, state, tools, reached, transport } = server;
    const way = [transport, reached?.revision].filter((word) => word != null).join(" ");
    const count = tools === null ? "" : counted(tools.length, "tool");
    return row(visible(name), state, count, startText(server), way);
  });
  return [row("server", "state", "tools", "start", "by"), ...rows];
}

/** The text cut or padded to this many characters, the last of which is a blank. */
export function inColumn(text: string, width: number): string {
  return ellipsize(text, width - 2).padEnd(width);
}

/** How long its start took, or has taken so far. */
function startText({ startMs, startedAt }: ListedServer): string {
  if (startMs !== null) return `${(startMs / 1000).toFixed(1)} s`;
  return startedAt === null ? "" : `${secondsSince(startedAt)} s …`;
}

/** Says why there is no such server, without a full stop: it may exist but be disabled. */
export function noServer(name: string, disabled: ReadonlyMap<string, string>): string {
  const from = disabled.get(name);
  const quoted = JSON.stringify(name);
  if (from === undefined) return `There is no MCP server ${quoted}`;
  return `The MCP server ${quoted} is disabled in ${visible(from)}`;
}

/** The same as a sentence, with the command that lists the servers. */
export function noServerSentence(name: string, disabled: ReadonlyMap<string, string>): string {
  return `${noServer(name, disabled)}; :Parley mcp lists what there is.`;
}

/** Lists disabled servers (by name: the file that disables each), which would otherwise look as if not configured. */
export function disabledServerNotes(disabled: ReadonlyMap<string, string>): readonly string[] {
  return [...disabled].map(([name, from]) => `${visible(name)} is disabled in ${visible(from)}.`);
}

/** Everything known about each server, as Markdown. */
export function serverReport(
  servers: readonly ListedServer[],
  notices: readonly string[],
  statuses: ReadonlyMap<string, InstructionsStatus> = new Map(),
): readonly string[] {
  const listed = servers.flatMap((server) => [
    `# ${serverLine(server)}`,
    ...(server.leftOut === null ? [] : ["", server.leftOut]),
    ...(server.problem === null ? [] : ["", ...server.problem.split("\n")]),
    ...(server.problems.length === 0 ? [] : ["", ...server.problems]),
    ...instructionLines(server, statuses),
    ...(server.tools === null || server.tools.length === 0
      ? []
      : ["", server.tools.map((name) => visible(name)).join(", ")]),
    ...stderrLines(server),
    "",
  ]);
  // Much of this is text of servers: a line of an editor cannot contain a line break, so `visible` is applied below.
  const table = serverTable(servers).map((line) => `    ${line}`);
  // A server that is left out or disabled is still configured.
  const isNothing = servers.length === 0 && notices.length === 0;
  const head = table.length === 0 ? [] : [...table, ""];
  return [...head, ...listed, ...(isNothing ? [noServers] : []), ...notices].map((line) =>
    visible(line),
  );
}

/** Whether the instructions go to the model, and how long they are. */
function instructionLines(
  { name, instructions }: ListedServer,
  statuses: ReadonlyMap<string, InstructionsStatus>,
): readonly string[] {
  const status = statuses.get(name);
  if (instructions === null || status === undefined) return [];
  const { length } = instructions.text;
  return [
    "",
    `instructions, ${length} characters: ${instructionsStatusText(status)}; :Parley mcp instructions ${name} shows them`,
  ];
}

export function instructionsStatusText(status: InstructionsStatus): string {
  switch (status) {
    case "sent":
      return "sent to the model with its tools";
    case "unseen":
      return "not sent, you have not seen them yet";
    case "changed":
      return "not sent, they changed since they were last sent";
    case "refused":
      return "not sent, you declined them";
  }
}

export const noServers =
  "No MCP server is configured. Add one to mcp.json beside config.json (:help parley-mcp).";

/** The last lines of stderr, as code. */
export function stderrLines({ stderr }: Pick<ListedServer, "stderr">): readonly string[] {
  return stderr === "" ? [] : ["", "stderr:", ...stderr.split("\n").map((line) => `    ${line}`)];
}
