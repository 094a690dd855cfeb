/** `parley mcp add` and `parley mcp import`: add servers to the user's own mcp.json. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { App } from "../app/app.ts";
import { type OtherProgram, otherPrograms } from "../app/servers/other-programs.ts";
import { type Added, addServers } from "../app/servers/own-file.ts";
import { rawServers, rawServersOfToml } from "../mcp/configured/add-entry.ts";
import { readHttpAddress } from "../mcp/configured/http-address.ts";
import { given } from "../shared/given.ts";
import { messageOf } from "../shared/json.ts";
import { visible } from "../shared/visible.ts";
import { homeFolder } from "../system/standard-folders.ts";
import { systemSentence } from "../system/system-error.ts";
import { exitCodes } from "./end.ts";
import type { McpCommand } from "./mcp-arguments.ts";
import { print } from "./terminal.ts";

type Notify = (text: string) => void;

export async function addServer(
  app: App,
  { server, command, url, env, headers }: Extract<McpCommand, { action: "add" }>,
  notify: Notify,
): Promise<number> {
  if (url !== null && !url.includes("${")) {
    try {
      readHttpAddress(url);
    } catch (error) {
      notify(`${visible(server)} was not added. ${messageOf(error)}`);
      return exitCodes.failed;
    }
  }
  const [program, ...args] = command;
  const entry =
    url === null
      ? { command: program, args, ...given({ env: Object.keys(env).length > 0 ? env : null }) }
      : { url, ...given({ headers: Object.keys(headers).length > 0 ? headers : null }) };
  const path = ownFile(app);
  return write(path, { servers: { [server]: entry }, inputs: [] }, notify);
}

/** Without an argument it only lists what it found. */
export async function importServers(
  app: App,
  { sources }: Extract<McpCommand, { action: "import" }>,
  notify: Notify,
): Promise<number> {
  const { environment } = app.options;
  const programs = otherPrograms({ home: homeFolder(), env: environment });
  if (sources.length === 0) return listFound(programs, notify);
  let code: number = exitCodes.finished;
  for (const source of sources) {
    const known = programs.find(({ id }) => id === source);
    const program = known ?? fileOf(source);
    const found = await readProgram(program);
    if (found === null) {
      const names = programs.map(({ id }) => id).join(", ");
      notify(
        known === undefined
          ? `There is no file ${source}; known programs are ${names}.`
          : `${program.name}: there is no ${program.files.join(" and no ")}.`,
      );
      code = exitCodes.failed;
    } else if (found.mistake !== null) {
      notify(`${found.path} is no valid TOML: ${found.mistake} Nothing was imported from it.`);
      code = exitCodes.failed;
    } else if (Object.keys(found.servers).length === 0) {
      notify(`${found.path}: no MCP servers were found in it.`);
      code = exitCodes.failed;
    } else code = Math.max(code, await write(ownFile(app), found, notify));
  }
  return code;
}

function fileOf(path: string): OtherProgram {
  return { id: path, name: path, files: [path] };
}

function ownFile(app: App): string {
  return join(app.options.configurationFolder, "mcp.json");
}

async function readProgram({ files }: OtherProgram) {
  for (const path of files) {
    const text = await readFile(path, "utf8").catch(() => null);
    if (text === null) continue;
    return path.endsWith(".toml")
      ? { path, ...(await rawServersOfToml(text)) }
      : { path, mistake: null, ...rawServers(text) };
  }
  return null;
}

async function listFound(programs: readonly OtherProgram[], notify: Notify): Promise<number> {
  let count = 0;
  for (const program of programs) {
    const found = await readProgram(program);
    if (found === null) continue;
    const names = Object.keys(found.servers).map(visible);
    if (names.length === 0) continue;
    count += 1;
    print(`${program.id}\t${found.path}\t${names.join(", ")}\n`);
  }
  notify(
    count === 0
      ? "No servers of other programs were found; parley mcp import FILE reads any file of servers."
      : "parley mcp import PROGRAM adds them to your mcp.json; it overwrites nothing there.",
  );
  return exitCodes.finished;
}

async function write(
  path: string,
  servers: Parameters<typeof addServers>[1],
  notify: Notify,
): Promise<number> {
  let result: Added;
  try {
    result = await addServers(path, servers);
  } catch (error) {
    notify(systemSentence(error) ?? messageOf(error));
    return exitCodes.failed;
  }
  const { added, kept, mistakes } = result;
  for (const name of added) print(`added\t${visible(name)}\t${path}\n`);
  for (const name of kept) notify(`${visible(name)} is already in ${path} and was left alone.`);
  for (const mistake of mistakes) notify(visible(mistake));
  if (added.length > 0) notify("parley mcp check starts them and says whether they answer.");
  return added.length > 0 ? exitCodes.finished : exitCodes.failed;
}
