/** `:Parley mcp`: what the servers do, and what a person does with them. */
import type { App } from "../../app/app.ts";
import { serverLine, serverReport, standingText, stderrLines } from "../../app/servers/report.ts";
import {
  decideInstructions,
  type InstructionStanding,
  standingOf,
} from "../../app/state/seen-instructions.ts";
import type { ListedServer } from "../../mcp/registry.ts";
import { shownLines } from "../../shared/visible.ts";
import type { HostContext } from "../context.ts";
import { loginInNeovim } from "./login-person.ts";
import { tryTool } from "./try-command.ts";

/** Milliseconds that the list waits for what servers have not listed yet. */
const countPatienceMs = 1500;

export async function runMcpCommand(
  context: HostContext,
  app: App,
  [action = "list", word, ...rest]: readonly string[],
): Promise<void> {
  const name = word ?? null;
  switch (action) {
    case "list": {
      await app.now.mcp.catalogs.count(countPatienceMs);
      const { servers, notices, remarks } = await app.now.mcp.status();
      const standings = await standingsOf(servers, app.options.stateFolder);
      await open(context, "mcp", serverReport(servers, [...notices, ...remarks], standings));
      return;
    }
    case "restart":
      return restart(context, app, name);
    case "stop":
      return stop(context, app, name);
    case "log":
      return showStderr(context, app, name);
    case "login":
    case "logout":
      return logInOrOut(context, app, action, name);
    case "try":
      return tryTool(context, app, rest.length > 0 ? [word, ...rest].join(" ") : name);
    case "instructions":
      return showInstructions(context, app, name);
    case "trust":
      if (!(await app.servers.trust(name))) {
        context.notify("info", nothingToAgree(name));
      }
      return;
    default:
      context.notify(
        "warn",
        `There is no :Parley mcp ${JSON.stringify(action)}; there are list, restart, stop, log, try, instructions, login, logout and trust.`,
      );
  }
}

/** Those of this name, or all; warns when there are none. */
async function meant(
  context: HostContext,
  app: App,
  name: string | null,
): Promise<readonly ListedServer[]> {
  const { servers } = await app.now.mcp.status();
  const found = servers.filter((server) => name === null || server.name === name);
  if (found.length === 0)
    context.notify("warn", `${unknown(name)}; :Parley mcp lists what there is.`);
  return found;
}

async function restart(context: HostContext, app: App, name: string | null): Promise<void> {
  app.servers.forgetRefusedInputs();
  const servers = await meant(context, app, name);
  const states = await Promise.all(
    servers.map(async (server) => {
      const now = await app.now.mcp.restart(server.name);
      if (now === null) return [];
      const why = now.leftOut ?? now.problem;
      const text = `MCP server ${serverLine(now)}${why === null ? "" : `. ${why}`}`;
      return [{ isGood: why === null, text }];
    }),
  );
  // In one message: of several only the last would stay on the screen.
  const told = states.flat();
  if (told.length === 0) return;
  const level = told.every(({ isGood }) => isGood) ? "info" : "warn";
  context.notify(level, told.map(({ text }) => text).join("\n"));
}

async function stop(context: HostContext, app: App, name: string | null): Promise<void> {
  const servers = await meant(context, app, name);
  for (const server of servers) app.logins.stop(server.name);
  await Promise.all(servers.map((server) => app.now.mcp.stop(server.name)));
  const names = servers.map((server) => server.name).join(", ");
  if (servers.length === 1)
    context.notify("info", `MCP server ${names} is stopped until :Parley mcp restart.`);
  if (servers.length > 1)
    context.notify("info", `Stopped until :Parley mcp restart: the MCP servers ${names}.`);
}

async function logInOrOut(
  context: HostContext,
  app: App,
  action: "login" | "logout",
  name: string | null,
): Promise<void> {
  if (name === null) {
    context.notify("warn", `Name the server: :Parley mcp ${action} NAME.`);
    return;
  }
  const { isGood, text } =
    action === "login"
      ? await app.logins.login(name, loginInNeovim(context))
      : await app.logins.logout(name);
  context.notify(isGood ? "info" : "warn", text);
}

async function showStderr(context: HostContext, app: App, name: string | null): Promise<void> {
  const servers = await meant(context, app, name);
  const lines = servers.flatMap((server) => [
    `# ${serverLine(server)}`,
    ...(server.stderr === "" ? ["", "It wrote nothing to stderr."] : stderrLines(server)),
    "",
  ]);
  if (servers.length > 0) await open(context, "mcp log", lines);
}

/** Shows what a server would tell the model, and asks whether it may. */
async function showInstructions(
  context: HostContext,
  app: App,
  name: string | null,
): Promise<void> {
  if (name === null) {
    context.notify("warn", "Name the server: :Parley mcp instructions NAME.");
    return;
  }
  await app.now.mcp.list(name, "mock/demo");
  const [server] = await meant(context, app, name);
  if (server === undefined) return;
  const { instructions } = server;
  if (instructions === null) {
    const why = server.leftOut ?? server.problem ?? "It has none, or they are turned off.";
    context.notify("info", `No instructions of the MCP server ${name}. ${why}`);
    return;
  }
  const { stateFolder } = app.options;
  const standing = standingText(await standingOf(stateFolder, instructions));
  const lines = shownLines(instructions.text);
  await open(context, "mcp instructions", [`# ${name}: ${standing}`, "", ...lines]);
  const choice = await context.ask({
    kind: "select",
    prompt: `Send these instructions of ${name} to the model with its tools?`,
    items: ["Do not send them", "Send them"],
  });
  if (typeof choice !== "string") return;
  await decideInstructions(stateFolder, instructions, choice === "Send them");
  app.toolsChanged.tell();
}

async function open(context: HostContext, title: string, lines: readonly string[]): Promise<void> {
  await context.lua.call("open", lines, { title, filetype: "markdown" });
}

function nothingToAgree(name: string | null): string {
  return name === null
    ? "No MCP server here needs your yes."
    : `No MCP server ${JSON.stringify(name)} here needs your yes; :Parley mcp lists what there is.`;
}

function unknown(name: string | null): string {
  return name === null
    ? "There is no MCP server"
    : `There is no MCP server ${JSON.stringify(name)}`;
}

async function standingsOf(
  servers: readonly ListedServer[],
  stateFolder: string,
): Promise<ReadonlyMap<string, InstructionStanding>> {
  const found = servers.flatMap(({ instructions }) => instructions ?? []);
  return new Map(
    await Promise.all(
      found.map(async (one) => [one.server, await standingOf(stateFolder, one)] as const),
    ),
  );
}
