/** MCP servers as tools of a program, configured as in a file of Claude's or of VS Code. */
import { homedir } from "node:os";
import { resolve } from "node:path";
import type { Tool, ToolHost } from "../conversation/ports.ts";
import { includesTool, readEntries, type ServerEntry } from "../mcp/configured/entry.ts";
import type { ServerConfiguration } from "../mcp/configured/launch-configuration.ts";
import { expandLaunch, expandRemote, type VariableSources } from "../mcp/configured/variables.ts";
import { createMcpHost } from "../mcp/host.ts";
import { nothingKept } from "../mcp/kept-servers.ts";
import type { FoundServer } from "../mcp/registry.ts";
import { checkHeaders, readHttpAddress } from "../mcp/transport/http-transport.ts";
import { given } from "../shared/given.ts";
import type { JsonArguments } from "../tools/from-json-schema.ts";
import { validateArguments } from "../tools/schema-validation.ts";
import { ToolArgumentError } from "../tools/tool-errors.ts";
import type { TypedTool } from "../tools/typed-tool.ts";

export interface McpOptions {
  /** Where `${VAR}` and `cwd` are looked for; those of the process when absent. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly workingFolder?: string;
  /** Milliseconds that a call may take; 60 seconds when absent. */
  readonly timeoutMs?: number;
  /** What servers say and what goes wrong, in full. */
  log?(text: string): void;
}

export interface McpServers {
  /** For `runTurn`; listed when they were opened. */
  readonly tools: readonly TypedTool<JsonArguments>[];
  /** Sentences about servers and tools that could not be had. */
  readonly notices: readonly string[];
  /** Ends the servers. */
  close(): Promise<void>;
}

/**
 * Starts the servers and lists their tools, named `mcp__SERVER__TOOL`. Which servers may run is the program's own
 * matter: nobody is asked, and what a server asks for itself is declined. Never throws: `notices` says what is missing.
 */
export async function openMcpServers(
  servers: Readonly<Record<string, unknown>>,
  options: McpOptions = {},
): Promise<McpServers> {
  const { log = () => {}, timeoutMs = 60_000, workingFolder = process.cwd() } = options;
  const { entries, mistakes } = readEntries(servers);
  const sources: VariableSources = {
    environment: options.environment ?? process.env,
    workspaceFolder: workingFolder,
    userHome: homedir(),
    run: null,
    refusal: () => null,
    input: async (id) => {
      throw new Error(`Its input ${id} can be asked for only in an editor; use \${VAR} instead.`);
    },
  };
  const used = entries.filter(({ isDisabled }) => !isDisabled);
  const found = used.map((entry) => toFound(entry, sources));
  const host = createMcpHost({
    servers: async () => ({ servers: found, notices: [], remarks: [] }),
    mock: { enabled: false, command: process.execPath, args: [] },
    timeoutMs,
    // They are listed when they are opened, so nothing is to be known of them before.
    memory: { keep: async () => {}, recall: async () => nothingKept },
    version: "library",
    log,
    features: {
      roots: async () => [workingFolder],
      person: null,
      sampler: {
        model: () => "none",
        answer: async () => {
          throw new Error("This program answers no requests of servers.");
        },
      },
      sampling: "off",
      notify: (level, message) => log(`${level}: ${message}`),
      toolsChanged: () => {},
    },
  });
  const { tools, notices } = await host.list(null, "library/program");
  const wrong = mistakes.map(
    ({ name, path, reason }) => `MCP server ${[name, ...path].join(".")}: ${reason}.`,
  );
  return {
    tools: tools.map((tool) => toTyped(tool, host, log)),
    notices: [...wrong, ...notices],
    close: () => host.close(),
  };
}

function toFound(entry: ServerEntry, sources: VariableSources): FoundServer {
  return {
    name: entry.name,
    version: "1",
    leftOut: null,
    includes: (tool) => includesTool(entry.tools, tool),
    start: () => startOf(entry, sources),
  };
}

async function startOf(
  { launch, protocol, timeoutMs, startTimeoutMs, tellsRoots }: ServerEntry,
  sources: VariableSources,
): Promise<ServerConfiguration> {
  const common = given({
    protocol,
    timeoutMs,
    startTimeoutMs,
    roots: tellsRoots ? null : false,
  });
  if (launch.type === "remote") {
    const { url, headers } = await expandRemote(launch, sources);
    checkHeaders(headers);
    const address = readHttpAddress(url);
    return { ...common, url: address, headers, transport: launch.transport, session: null };
  }
  if (launch.envFile !== null) {
    throw new Error("envFile is read in the editor alone; give its variables as env.");
  }
  const { command, args, env, cwd } = await expandLaunch(launch, sources);
  const folder = resolve(sources.workspaceFolder, cwd ?? "");
  return { ...common, command, args, env, envPass: launch.envPass, cwd: folder };
}

function toTyped(
  tool: Tool,
  host: ToolHost,
  log: (text: string) => void,
): TypedTool<JsonArguments> {
  return {
    ...tool,
    async parse(value) {
      const misfit = await validateArguments(tool, JSON.stringify(value), log);
      if (misfit !== null) throw new ToolArgumentError(tool.name, misfit);
      return value as JsonArguments;
    },
    async run(args, { signal, progress }) {
      const call = { id: "call", name: tool.name, arguments: JSON.stringify(args) };
      const { status, text, media } = await host.run(call, { signal, progress });
      const images = media.map(({ mime, data }) => ({ type: "image" as const, mime, data }));
      const said = text === "" && images.length > 0 ? [] : [{ type: "text" as const, text }];
      return { content: [...said, ...images], isError: status !== "ok" };
    },
  };
}
