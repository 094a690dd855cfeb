/** `:Parley mcp`: shows the servers, and carries out the user's actions on them. */
import type { App } from "../../app/app.ts";
import {
  disabledServerNotes,
  instructionsStatusText,
  noServerSentence,
  noServers,
  serverLine,
  serverReport,
  stderrLines,
} from "../../app/servers/report.ts";
import {
  decideInstructions,
  type InstructionsStatus,
  instructionsStatus,
} from "../../app/state/seen-instructions.ts";
import type { ServerInstructions } from "../../conversation/ports.ts";
import { selectionOfServer } from "../../conversation/settings/tool-selection.ts";
import { modelOfferedAll } from "../../mcp/mcp-host.ts";
import type { ListedServer } from "../../mcp/registry.ts";
import { shownLines } from "../../shared/visible.ts";
import type { OpenHost } from "../context.ts";
import { loginInNeovim } from "./login-user.ts";

/** Milliseconds that the list waits for servers that have not listed everything yet. */
const countPatienceMs = 1500;

export async function runMcpCommand(
  host: OpenHost,
  [action = "list", ...words]: readonly string[],
): Promise<void> {
  // Names of servers may contain blanks.
  const name = words.join(" ") || null;
  switch (action) {
    case "list": {
      await host.app.now.mcp.catalogs.count(countPatienceMs);
      const { servers, notices, remarks } = await host.app.now.mcp.status();
      const statuses = await statusesOf(servers, host.app);
      const remarksShown = [
        ...notices,
        ...remarks,
        ...disabledServerNotes(host.app.servers.disabled()),
      ];
      await open(host, "mcp", serverReport(servers, remarksShown, statuses));
      return;
    }
    case "restart":
      return restart(host, name);
    case "stop":
      return stop(host, name);
    case "log":
      return showStderr(host, name);
    case "login":
    case "logout":
      return logInOrOut(host, action, name);
    case "try": {
      // Loaded on use: it contains the schema compiler, which is a fifth of the host.
      const { tryTool } = await import("./try-command.ts");
      return tryTool(host, name);
    }
    case "instructions":
      return showInstructions(host, name);
    case "trust":
      if (!(await host.app.servers.trust(name))) {
        host.notify("info", nothingToAgree(name));
      }
      return;
    default:
      host.notify(
        "warn",
        `:Parley mcp takes one of list, restart, stop, log, try, instructions, login, logout and trust, not ${JSON.stringify(action)}.`,
      );
  }
}

/** The servers with this name, or all; warns when there are none. */
async function meant(host: OpenHost, name: string | null): Promise<readonly ListedServer[]> {
  const { servers } = await host.app.now.mcp.status();
  const found = servers.filter((server) => name === null || server.name === name);
  if (found.length === 0) {
    const disabled = host.app.servers.disabled();
    host.notify("warn", name === null ? noServers : noServerSentence(name, disabled));
  }
  return found;
}

async function restart(host: OpenHost, name: string | null): Promise<void> {
  host.app.servers.forgetRefusedInputs();
  const servers = await meant(host, name);
  const states = await Promise.all(
    servers.map(async (server) => {
      const now = await host.app.now.mcp.restart(server.name);
      if (now === null) return [];
      const why = now.leftOut ?? now.problem;
      const text = `MCP server ${serverLine(now)}${why === null ? "" : `. ${why}`}`;
      return [{ isGood: why === null, text }];
    }),
  );
  // In one message: of several, only the last would stay on the screen.
  const statesShown = states.flat();
  if (statesShown.length === 0) return;
  const level = statesShown.every(({ isGood }) => isGood) ? "info" : "warn";
  host.notify(level, statesShown.map(({ text }) => text).join("\n"));
}

async function stop(host: OpenHost, name: string | null): Promise<void> {
  const servers = await meant(host, name);
  for (const server of servers) host.app.logins.stop(server.name);
  await Promise.all(servers.map((server) => host.app.now.mcp.stop(server.name)));
  const names = servers.map((server) => server.name).join(", ");
  if (servers.length === 1)
    host.notify("info", `MCP server ${names} is stopped until :Parley mcp restart.`);
  if (servers.length > 1)
    host.notify("info", `The MCP servers ${names} are stopped until :Parley mcp restart.`);
}

async function logInOrOut(
  host: OpenHost,
  action: "login" | "logout",
  name: string | null,
): Promise<void> {
  if (name === null) {
    host.notify("warn", `Name the server: :Parley mcp ${action} NAME.`);
    return;
  }
  const { isGood, text } =
    action === "login"
      ? await host.app.logins.login(name, loginInNeovim(host))
      : await host.app.logins.logout(name);
  host.notify(isGood ? "info" : "warn", text);
}

async function showStderr(host: OpenHost, name: string | null): Promise<void> {
  const servers = await meant(host, name);
  const lines = servers.flatMap((server) => [
    `# ${serverLine(server)}`,
    ...(server.stderr === "" ? ["", "It wrote nothing to stderr."] : stderrLines(server)),
    "",
  ]);
  if (servers.length > 0) await open(host, "mcp log", lines);
}

/** Shows what a server would tell the model, and asks whether it may be sent. */
async function showInstructions(host: OpenHost, name: string | null): Promise<void> {
  if (name === null) {
    host.notify("warn", "Name the server: :Parley mcp instructions NAME.");
    return;
  }
  await host.app.now.mcp.list(selectionOfServer(name), modelOfferedAll);
  const [server] = await meant(host, name);
  if (server === undefined) return;
  const { instructions } = server;
  if (instructions === null) {
    const why = server.leftOut ?? server.problem ?? "It has none, or they are turned off.";
    host.notify("info", `No instructions of the MCP server ${name}. ${why}`);
    return;
  }
  const { stateFolder } = host.app.options;
  const status = instructionsStatusText(await statusIn(host.app, instructions));
  const lines = shownLines(instructions.text);
  await open(host, "mcp instructions", [`# ${name}: ${status}`, "", ...lines]);
  const choice = await host.ask({
    kind: "select",
    prompt: `Send these instructions of ${name} to the model with its tools?`,
    items: ["Do not send them", "Send them"],
  });
  if (typeof choice !== "string") return;
  await decideInstructions(stateFolder, instructions, choice === "Send them");
  host.app.toolChanges.changed();
}

async function open(host: OpenHost, title: string, lines: readonly string[]): Promise<void> {
  await host.lua.call("open", { what: lines, options: { title, filetype: "markdown" } });
}

function nothingToAgree(name: string | null): string {
  return name === null
    ? "No MCP server here needs your approval."
    : `No MCP server ${JSON.stringify(name)} here needs your approval; :Parley mcp lists what there is.`;
}

async function statusesOf(
  servers: readonly ListedServer[],
  app: App,
): Promise<ReadonlyMap<string, InstructionsStatus>> {
  const found = servers.flatMap(({ instructions }) => instructions ?? []);
  return new Map(
    await Promise.all(found.map(async (one) => [one.server, await statusIn(app, one)] as const)),
  );
}

function statusIn(app: App, instructions: ServerInstructions): Promise<InstructionsStatus> {
  return instructionsStatus(app.options.stateFolder, instructions, (written) => app.kept(written));
}
