/** `parley mcp`: the user's own servers without an editor. */
import type { App } from "../app/app.ts";
import type { LoginEnd } from "../app/servers/logins.ts";
import { disabledServerNotes, noServer, serverLine } from "../app/servers/report.ts";
import { sayingStarts, whenStarted } from "../app/servers/when-started.ts";
import { selectionOfServer } from "../conversation/settings/tool-selection.ts";
import { mockServerName, modelOfferedAll } from "../mcp/mcp-host.ts";
import { visible } from "../shared/visible.ts";
import { validateArguments } from "../tools/schema-validation.ts";
import { exitCodes } from "./end.ts";
import { loginAtTerminal } from "./login-user.ts";
import { addServer, importServers } from "./mcp-add.ts";
import type { McpCommand } from "./mcp-arguments.ts";
import { print } from "./terminal.ts";

export async function mcp(
  app: App,
  command: McpCommand,
  notify: (text: string) => void,
): Promise<number> {
  switch (command.action) {
    case "tools":
      return showTools(app, command.server, notify);
    case "call":
      return call(app, command, notify);
    case "check":
      return check(app, notify);
    case "add":
      return addServer(app, command, notify);
    case "import":
      return importServers(app, command, notify);
    case "login":
      return login(app, command.server, notify);
    case "logout":
      return reportLogin(await app.logins.logout(command.server), notify);
  }
}

/** Prints one line for each tool: its name on the wire, its server and its own name. */
async function showTools(
  app: App,
  server: string | null,
  notify: (text: string) => void,
): Promise<number> {
  const { tools, notices } = await listTools(app, server, notify);
  for (const notice of notices) notify(notice);
  const listed = tools.filter((tool) => server === null || tool.server === server);
  for (const tool of listed) {
    const of =
      tool.server === null ? "" : `\t${tool.server}\t${visible(tool.serverTool ?? tool.name)}`;
    print(`${tool.name}${of}\n`);
  }
  if (server !== null && listed.length === 0) notify(await whyNone(app, server, null));
  return server !== null && listed.length === 0 ? exitCodes.failed : exitCodes.finished;
}

/** Of this server, or of all. */
async function listTools(app: App, server: string | null, say: (text: string) => void) {
  const selection = server && selectionOfServer(server);
  return sayingStarts(app, say, () => app.now.tools.list(selection, modelOfferedAll));
}

/** Why a server has no tools, or none of this name. */
async function whyNone(app: App, server: string, tool: string | null): Promise<string> {
  const names = (await app.now.mcp.status()).servers.map(({ name }) => name);
  if (tool !== null && (names.includes(server) || server === mockServerName)) {
    return `The server ${JSON.stringify(server)} offers no tool ${JSON.stringify(tool)}, so nothing was called.`;
  }
  if (names.includes(server)) return `The server ${JSON.stringify(server)} offers no tool here.`;
  const disabled = app.servers.disabled();
  const why = `${noServer(server, disabled)}.`;
  if (disabled.has(server)) return why;
  if (names.length > 0) return `${why} There are ${names.join(", ")}.`;
  return [
    why,
    ...(disabled.size === 0 ? ["None is configured."] : disabledServerNotes(disabled)),
  ].join(" ");
}

/** The user typed the call, so it needs no other approval. */
async function call(
  app: App,
  { server, tool: wanted, json }: Extract<McpCommand, { action: "call" }>,
  notify: (text: string) => void,
): Promise<number> {
  const { tools, notices, calls } = await listTools(app, server, notify);
  for (const notice of notices) notify(notice);
  const tool = tools.find(
    (one) => one.server === server && (one.serverTool ?? one.name) === wanted,
  );
  if (tool === undefined) {
    notify(await whyNone(app, server, wanted));
    return exitCodes.failed;
  }
  const misfit = await validateArguments(tool, json, () => {});
  if (misfit !== null) {
    notify(misfit);
    return exitCodes.wrongUsage;
  }
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  const output = await calls.run(
    { id: "call_1", name: tool.name, arguments: json },
    { signal: stop.signal, progress: (text) => void (text !== "" && notify(text)) },
  );
  const { text, media, personal } = output;
  // The user who typed the call may also see the part of the result that is for users only.
  for (const part of [text, personal?.text]) if (part !== undefined) print(`${part}\n`);
  for (const { mime } of [...media, ...(personal?.media ?? [])])
    notify(`The result holds ${mime}, which is not shown here.`);
  if (output.status === "ok") return exitCodes.finished;
  notify(`The call ended with: ${output.status}.`);
  return exitCodes.failed;
}

/** Starts every server. */
async function check(app: App, notify: (text: string) => void): Promise<number> {
  const { servers, notices, remarks } = await app.now.mcp.status();
  const notes = [...notices, ...remarks, ...disabledServerNotes(app.servers.disabled())];
  for (const text of notes) notify(text);
  if (servers.length === 0 && notes.length === 0) {
    notify("No MCP server is configured; parley mcp add and parley mcp import do that.");
  }
  await Promise.all(servers.map(({ name }) => app.now.mcp.restart(name)));
  await whenStarted(app, { server: null, say: notify });
  let isClean = notices.length === 0;
  for (const server of (await app.now.mcp.status()).servers) {
    print(`${serverLine(server)}\n`);
    for (const problem of server.problems) notify(`${server.name}: ${problem}`);
    const why = server.leftOut ?? server.problem;
    if (why === null) continue;
    isClean = false;
    notify(`${server.name}: ${why}`);
  }
  return isClean ? exitCodes.finished : exitCodes.failed;
}

async function login(app: App, server: string, notify: (text: string) => void): Promise<number> {
  process.once("SIGINT", () => app.logins.stop(server));
  return reportLogin(await app.logins.login(server, loginAtTerminal(notify)), notify);
}

function reportLogin({ isGood, text }: LoginEnd, notify: (text: string) => void): number {
  if (isGood) print(`${text}\n`);
  else notify(text);
  return isGood ? exitCodes.finished : exitCodes.failed;
}
