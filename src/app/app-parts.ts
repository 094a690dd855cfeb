/** How each part of the app is made from its options and the configuration. */
import { homedir } from "node:os";
import { join } from "node:path";
import type { Configuration } from "../conversation/configuration.ts";
import type { ToolHost } from "../conversation/types.ts";
import { createMcpHost, type McpHost } from "../mcp/servers.ts";
import { defaultTimeouts } from "../providers/connection.ts";
import { type AllModels, createModels } from "../providers/models.ts";
import type { AppOptions } from "./app-options.ts";
import { createBuiltinTools } from "./builtin/builtin-tools.ts";
import { fileWorkspace } from "./builtin/file-workspace.ts";
import { projectRoots } from "./roots.ts";
import { createSampler, type SamplerSources } from "./sampler.ts";
import type { Servers } from "./servers.ts";
import { createToolFiles } from "./tool-files.ts";

export function openModels(
  { environment, workingDirectory, log }: AppOptions,
  { providers, max_retries, idle_timeout }: Configuration,
): AllModels {
  const idleMs = idle_timeout * 1000;
  return createModels({
    providers,
    environment,
    log,
    folder: workingDirectory,
    // A model that thinks first may be silent for longer than an answer that has begun.
    timeouts: { idleMs, firstByteMs: Math.max(idleMs, defaultTimeouts.firstByteMs) },
    retries: { maxRetries: max_retries },
  });
}

export function openOwnTools(
  { configurationFolder, log }: AppOptions,
  { tool_files, tool_timeout }: Configuration,
): ToolHost {
  return createToolFiles({
    files: tool_files?.map((path) => ({ path, isOptional: false })) ?? [
      { path: join(configurationFolder, "tools.mjs"), isOptional: true },
    ],
    timeoutMs: tool_timeout * 1000,
    log,
  });
}

export function openServers(
  options: AppOptions,
  configuration: Configuration,
  servers: Servers,
  sources: { workingFolder(): string } & SamplerSources,
): McpHost {
  const { root, version, log, person, notify } = options;
  return createMcpHost({
    servers: servers.find,
    mock: {
      enabled: configuration.mcp.mock ? true : "mock-models-only",
      command: process.execPath,
      args: [join(root, "dist", "mock-server.js")],
    },
    timeoutMs: configuration.tool_timeout * 1000,
    version,
    log,
    features: {
      person,
      sampler: createSampler(sources),
      sampling: configuration.mcp.sampling,
      notify,
      roots: () => projectRoots(sources.workingFolder(), options.chatPaths?.() ?? [], homedir()),
      toolsChanged: () => options.toolsChanged?.(),
    },
  });
}

export function openBuiltinTools(
  { configuration, configurationFolder, stateFolder, workspace, person, log }: AppOptions,
  workingFolder: () => string,
): ToolHost {
  return createBuiltinTools({
    workspace: workspace ?? fileWorkspace,
    workingFolder,
    ownFolders: [configurationFolder, stateFolder],
    confirm: person?.confirm ?? null,
    timeoutMs: configuration.tool_timeout * 1000,
    log,
  });
}
