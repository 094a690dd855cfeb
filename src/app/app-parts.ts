/** Makes each part of the app from its options and the configuration. */

import { join } from "node:path";
import type { ToolHost } from "../conversation/ports.ts";
import type { Dialogue } from "../mcp/asking/dialogue.ts";
import { createMcpHost, type McpHost } from "../mcp/mcp-host.ts";
import type { FindServers } from "../mcp/registry.ts";
import { defaultTimeouts } from "../providers/endpoint.ts";
import { type AllModels, createModels } from "../providers/models.ts";
import { homeFolder } from "../system/standard-folders.ts";
import { type BuiltinOptions, createBuiltinTools } from "./builtin/builtin-tools.ts";
import { changeLines } from "./builtin/change-lines.ts";
import type { PathAccessOptions } from "./builtin/path-access.ts";
import type { Configuration } from "./configuration/options.ts";
import { fileWorkspace } from "./files/file-workspace.ts";
import { realPath } from "./files/inside.ts";
import { projectRoots } from "./files/repository.ts";
import type { Workspace } from "./files/workspace.ts";
import { createSampler, type SamplerSources } from "./servers/sampler.ts";
import type { User } from "./servers/user.ts";
import { createLessonStore } from "./state/lesson-store.ts";
import { createServerMemory } from "./state/listed-tools.ts";
import type { SeenFiles } from "./tools/tool-changes.ts";
import { createToolFiles } from "./tools/tool-files.ts";

/** What `openModels` needs of a configuration: while it stays the same, connections stay open. */
export function optionsOfModels({ providers, max_retries, idle_timeout }: Configuration) {
  return { providers, max_retries, idle_timeout };
}

export function openModels(
  { environment, workingDirectory, stateFolder, packageFolder, log }: AppOptions,
  { providers, max_retries, idle_timeout }: ReturnType<typeof optionsOfModels>,
): AllModels {
  const idleMs = idle_timeout * 1000;
  return createModels({
    providers,
    environment,
    log,
    folder: workingDirectory,
    packageFolder,
    lessons: createLessonStore(stateFolder, log),
    // A reasoning model may stay silent for longer before its first byte than between later ones.
    timeouts: { idleMs, firstByteMs: Math.max(idleMs, defaultTimeouts.firstByteMs) },
    retries: { maxRetries: max_retries },
  });
}

/** What `openOwnTools` needs of a configuration: while it stays the same, so do the tools. */
export function optionsOfOwnTools({ tool_files, tool_timeout }: Configuration) {
  return { tool_files, tool_timeout };
}

export function openOwnTools(
  { configurationFolder, workspace = fileWorkspace, log }: AppOptions,
  { tool_files, tool_timeout }: ReturnType<typeof optionsOfOwnTools>,
  seen: SeenFiles,
): ToolHost {
  return createToolFiles({
    files: tool_files?.map((path) => ({ path, isOptional: false })) ?? [
      { path: join(configurationFolder, "tools.mjs"), isOptional: true },
    ],
    seen,
    timeoutMs: tool_timeout * 1000,
    planning: {
      read: async (path) => (await workspace.read((await realPath(path)) ?? path))?.text ?? null,
      draw: (path, before, after) => changeLines({ path, before, after }, path),
    },
    log,
  });
}

export interface McpSources extends SamplerSources {
  readonly servers: FindServers;
  /** A server's tools have changed. */
  toolsChanged(): void;
  /** A server says that its tools have changed, and the new list has not arrived yet. */
  toolsMayHaveChanged(): void;
  workingFolder(): string;
}

/** What `openServers` needs of a configuration: while it stays the same, the servers run on. */
export function optionsOfServers({ mcp: { mock, sampling }, tool_timeout }: Configuration) {
  return { mock, sampling, tool_timeout };
}

export function openServers(
  options: AppOptions,
  { mock, sampling, tool_timeout }: ReturnType<typeof optionsOfServers>,
  sources: McpSources,
): McpHost {
  const { root, version, log, user, notify } = options;
  return createMcpHost({
    memory: createServerMemory(options.stateFolder, log),
    servers: sources.servers,
    mock: {
      enabled: mock ? true : "mock-models-only",
      command: process.execPath,
      args: [join(root, "dist", "mock-server.js")],
    },
    timeoutMs: tool_timeout * 1000,
    version,
    log,
    features: {
      user: user,
      sampler: createSampler(sources),
      sampling,
      notify,
      roots: () => projectRoots(sources.workingFolder(), options.chatPaths?.() ?? [], homeFolder()),
      toolsChanged: sources.toolsChanged,
      toolsMayHaveChanged: sources.toolsMayHaveChanged,
    },
  });
}

/** Which files may be touched: for the built-in tools, and for taking their edits back. */
export function pathAccessOptions(
  {
    configurationFolder,
    stateFolder,
    packageFolder,
    user,
  }: Pick<AppOptions, "configurationFolder" | "stateFolder" | "packageFolder" | "user">,
  workingFolder: () => string,
): PathAccessOptions {
  return {
    workingFolder,
    // Packages installed in `node_modules` are loaded into the host; by default chats lie in the same folder.
    ownFolders: [configurationFolder, stateFolder, join(packageFolder, "node_modules")],
    confirm: user?.confirm ?? null,
  };
}

export function openBuiltinTools(
  options: AppOptions,
  workingFolder: () => string,
  { readDenial, command, timeoutMs }: Pick<BuiltinOptions, "readDenial" | "command" | "timeoutMs">,
): ToolHost {
  const { workspace, log } = options;
  return createBuiltinTools({
    ...pathAccessOptions(options, workingFolder),
    workspace: workspace ?? fileWorkspace,
    readDenial,
    command,
    timeoutMs,
    log,
  });
}

/** What the host or the command line gives the app. */
export interface AppOptions {
  readonly configuration: Configuration;
  /** Sentences about configuration values that were ignored. */
  readonly configurationMistakes: readonly string[];
  /** The options that `setup` was given. */
  readonly optionsOfSetup: ReadonlySet<string>;
  /** The package's folder, where dist/ is. */
  readonly root: string;
  /** Where the configuration file is. */
  readonly configurationFolder: string;
  /** Parley's own folder under the state folder. */
  readonly stateFolder: string;
  /** Parley's own folder under the data folder; packages that the user adds lie in its `node_modules`. */
  readonly packageFolder: string;
  readonly workingDirectory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** Null where there is no user to ask; then files of a project start nothing. */
  readonly user: (User & Dialogue) | null;
  /** A file of MCP servers that the user named. */
  readonly serversFile: string | null;
  /** The texts that the built-in tools work on; absent: files only. */
  readonly workspace?: Workspace;
  /** The files of the open chats; absent: none. */
  chatPaths?(): readonly string[];
  log(text: string): void;
  notify(level: "info" | "warn" | "error", message: string): void;
}
