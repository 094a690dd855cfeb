/** Reads the configuration and puts the app together, for the host and for the command line. */
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Configuration } from "../conversation/configuration.ts";
import type { Dialogue } from "../mcp/dialogue.ts";
import { App } from "./app.ts";
import type { Workspace } from "./builtin/workspace.ts";
import { checkSetup, mergeConfiguration, readConfigurationFile } from "./config.ts";
import { parleyFolders, type StandardPaths } from "./paths.ts";
import type { Person } from "./servers.ts";

export interface OpenOptions {
  readonly root: string;
  readonly paths: StandardPaths;
  /** What `setup` was given; undefined without Neovim. */
  readonly setup?: unknown;
  readonly workingDirectory: string;
  /** Null where nobody can be asked. */
  readonly person: (Person & Dialogue) | null;
  /** A file of MCP servers that the person named. */
  readonly serversFile: string | null;
  /** The texts that the built-in tools work on; absent: files alone. */
  readonly workspace?: Workspace;
  chatPaths?(): readonly string[];
  toolsChanged?(): void;
  log(text: string): void;
  notify(level: "info" | "warn" | "error", message: string): void;
}

/** The configuration as it is now. Mistakes in it are told by `notify`; the rest of it is used. */
export async function readConfiguration({
  paths,
  setup: given,
  notify,
}: Pick<OpenOptions, "paths" | "setup" | "notify">): Promise<Configuration> {
  const folders = parleyFolders(paths);
  const file = await readConfigurationFile(folders.configurationFile);
  const setup = checkSetup(given);
  for (const mistake of [...file.mistakes, ...setup.mistakes]) notify("warn", mistake);
  const places = { home: homedir(), chats: folders.chats, config: folders.config };
  const merged = mergeConfiguration(file.values, setup.values, places);
  const { agent, agents } = merged;
  if (agent !== null && !Object.hasOwn(agents, agent)) {
    notify("warn", `agent: there is no agent ${JSON.stringify(agent)} among agents; none is used.`);
  }
  return merged;
}

export async function openApp(options: OpenOptions): Promise<App> {
  const folders = parleyFolders(options.paths);
  return new App({
    configuration: await readConfiguration(options),
    root: options.root,
    configurationFolder: folders.config,
    stateFolder: folders.state,
    workingDirectory: options.workingDirectory,
    environment: process.env,
    person: options.person,
    serversFile: options.serversFile,
    version: await packageVersion(options.root),
    ...(options.workspace === undefined ? {} : { workspace: options.workspace }),
    ...(options.chatPaths ? { chatPaths: options.chatPaths } : {}),
    ...(options.toolsChanged ? { toolsChanged: options.toolsChanged } : {}),
    log: options.log,
    notify: options.notify,
  });
}

async function packageVersion(root: string): Promise<string> {
  const value: unknown = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const hasVersion = typeof value === "object" && value !== null && "version" in value;
  return hasVersion ? String(value.version) : "0";
}
