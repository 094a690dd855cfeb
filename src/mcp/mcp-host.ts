/** All MCP servers of a configuration as one tool host: lists their tools and runs calls. */
import type {
  RunOptions,
  Tool,
  ToolHost,
  ToolOutput,
  UnlistedServer,
} from "../conversation/ports.ts";
import { failedOutput, unknownToolText } from "../conversation/results.ts";
import {
  mayWantServer,
  namesTool,
  readSelection,
  type ServerSelection,
  wantsTool,
} from "../conversation/settings/tool-selection.ts";
import { secondsSince } from "../shared/counted.ts";
import { given } from "../shared/given.ts";
import { isObject, parseJson } from "../shared/json.ts";
import { longestTimer } from "../shared/waiting.ts";
import type { ToolCall } from "../transcript/transcript.ts";
import { createClientFeatures, type GivenFeatures } from "./asking/client-features.ts";
import type { ListedTool } from "./catalog/tool-list.ts";
import { type Catalogs, createCatalogs } from "./catalogs.ts";
import { keptAfter, type ServerMemory } from "./kept-servers.ts";
import { assignWireNames, type ToolAddress, wireBegin, wirePrefix } from "./names.ts";
import {
  createRegistry,
  type FindServers,
  type FoundServer,
  instructionsOf,
  registryActions,
  type ServerActions,
} from "./registry.ts";
import { Server, shortProblem } from "./server.ts";
import type { ServerOptions } from "./server-options.ts";

/** The built-in server's key in the configuration, in the header and in `Tool.server`. */
export const mockServerName = "mock";
/** A model that is offered the tools of all servers, including the mock's: for lists outside of any chat. */
export const modelOfferedAll = "mock/demo";
/** The mock's only tool; its wire name has no prefix. */
const mockTool = "web_search";

/** Milliseconds that an answer waits for a server to start, since its user can ask again. */
const startWaitMs = 10_000;
const connectTimeoutMs = 30_000;
const startTimeoutMs = 120_000;

export interface McpHost extends ToolHost, ServerActions {
  /** Servers that are starting, with the seconds since the start began. */
  starting(): readonly { readonly name: string; readonly seconds: number }[];
  /** Tells the running servers the current working folders if they changed. */
  rootsChanged(): Promise<void>;
  readonly catalogs: Catalogs;
}

export interface McpHostOptions {
  /** Called before every list, so that a changed file takes effect at once. */
  readonly servers: FindServers;
  readonly mock: MockOptions;
  /** Timeout of a call in milliseconds, for servers that configure none. */
  readonly timeoutMs: number;
  readonly memory: ServerMemory;
  /** Parley's version, which servers log. */
  readonly version: string;
  /** Writes to the log file: what servers reported and what went wrong, in full. */
  readonly log: (text: string) => void;
  /** What servers may request from the client and show to the user. */
  readonly features: GivenFeatures;
  /** Tells the user how to restart a server that is no longer started; absent: the editor's command. */
  readonly restartWords?: string;
}

export interface MockOptions {
  /**
   * `mock-models-only` is the default of the configuration: offered to `mock/*` models, and to
   * others only when the selection names it. `true` offers it to every model, `false` to none.
   */
  readonly enabled: boolean | "mock-models-only";
  /** How dist/mock-server.js is run. */
  readonly command: string;
  readonly args: readonly string[];
}

interface OfferedTool extends ToolAddress {
  readonly of: Server;
  readonly projectFile: string | undefined;
  readonly definition: ListedTool;
}

/**
 * The tools of all configured MCP servers and of the built-in mock. No server starts before its tools are requested.
 */
export function createMcpHost(options: McpHostOptions): McpHost {
  const { mock, timeoutMs, version, log, restartWords } = options;
  const features = createClientFeatures(options.features);
  // A program that nobody watches lists tools once, so it waits until each server is ready or given up.
  const waitMs = features.user === null ? longestTimer : startWaitMs;
  const times = { connectTimeoutMs, startTimeoutMs, timeoutMs };
  const common: ServerOptions = { version, ...times, log, features, ...given({ restartWords }) };
  const mockServer = new Server(mockServerName, { command: mock.command, args: mock.args }, common);
  const registry = createRegistry(options, common, mockServerName);
  /**
   * Every tool listed since the start, so that a call finds its server even after a new list.
   */
  const known = new Map<string, OfferedTool>();
  const reportOnce = createOnce();

  return {
    ...registryActions(registry),
    catalogs: createCatalogs(registry, log),

    async list(selectionText, model, { asRemembered } = { asRemembered: false }) {
      const selection = readSelection(selectionText);
      const { entries, notices, remarks, isNameTaken } = await registry.read();
      const wanted = entries.filter(({ found }) => mayWant(selection, found.name));
      const used = wanted.filter(({ found }) => found.leftOut === null);
      const lists = await Promise.all([
        ...(includesMock(mock.enabled, selection, model)
          ? [listTools(mockServer, connectTimeoutMs)]
          : []),
        ...used.map(({ server, found }) =>
          asRemembered
            ? rememberedTools(server, found, options.memory)
            : listTools(server, waitMs, found, options.memory).then(reportOnce),
        ),
      ]);
      // Names are assigned before any tool is filtered out, so that a selection never changes a tool's name.
      const named = nameTools(lists.flatMap((list) => list.tools));
      const tools: Tool[] = [];
      for (const [name, tool] of named) {
        known.set(name, tool);
        const { server, tool: serverTool } = tool;
        if (wantsTool(selection, { name, server, serverTool })) tools.push(toTool(name, tool));
      }
      const own = isNameTaken ? [...remarks, mockNameTaken] : remarks;
      const heard = lists.flatMap((list) => list.notices);
      const instructions = asRemembered
        ? []
        : used.flatMap(({ found, server }) => instructionsOf(found, server) ?? []);
      return {
        tools,
        instructions,
        notices: [...notices, ...own, ...wanted.flatMap(leftOutNotice), ...heard],
        unlisted: wanted.flatMap((entry) => unlisted(entry, lists) ?? []),
        isPassing: lists.some(({ server }) => !isListed(server)),
        calls: { run: (call, how) => runListed(named, call, how) },
      };
    },

    run: (call, how) => runListed(known, call, how),

    starting: () => registry.servers().flatMap(startUnderWay),
    rootsChanged: createRootsReporter(features, registry.servers, log),

    async close() {
      await Promise.all([mockServer.close(), registry.close()]);
    },
  };
}

async function runListed(
  listed: ReadonlyMap<string, OfferedTool>,
  call: ToolCall,
  how: RunOptions,
): Promise<ToolOutput> {
  const tool = listed.get(call.name);
  if (!tool) return failedOutput(unknownToolText(call.name, [...listed.keys()]));
  const args = parseJson(call.arguments);
  if (!isObject(args)) {
    return failedOutput("The call was not made: its arguments are not a JSON object.");
  }
  return tool.of.call(tool.tool, args, how);
}

const mayWant = (selection: ServerSelection, server: string) =>
  mayWantServer(selection, server, wirePrefix);

function leftOutNotice({ found: { name, leftOut } }: { readonly found: FoundServer }) {
  return leftOut === null ? [] : [`MCP server ${name}: ${leftOut}`];
}

/** Null if the server's tools are known, even if it has none. */
function unlisted(
  { server, found }: { readonly server: Server; readonly found: FoundServer },
  lists: readonly ServerTools[],
): UnlistedServer | null {
  const { name, leftOut, isUnanswered = false } = found;
  const about = { server: name, toolsBegin: wireBegin(name) };
  if (leftOut !== null) {
    return { ...about, state: isUnanswered ? "unasked" : "unusable", why: leftOut };
  }
  const hasTools = lists.some((list) => list.server === server && list.tools.length > 0);
  if (hasTools || isListed(server)) return null;
  const { state, problem } = server.status();
  const why = problem ?? (state === "stopped" ? "It was stopped." : "");
  return { ...about, state: state === "off" || state === "starting" ? state : "unusable", why };
}

/** It runs and its list succeeded. */
function isListed(server: Server): boolean {
  const { state, problem } = server.status();
  return state === "ready" && problem === null;
}

function startUnderWay(server: Server) {
  const { name, startedAt } = server.status();
  return startedAt === null ? [] : [{ name, seconds: secondsSince(startedAt) }];
}

/** Tells servers the working folders, but only if they changed since the last time. */
function createRootsReporter(
  { roots }: Pick<GivenFeatures, "roots">,
  servers: () => readonly Server[],
  log: (text: string) => void,
): () => Promise<void> {
  let reported = "";
  return async () => {
    const now = JSON.stringify(await roots());
    if (now === reported) return;
    reported = now;
    const report = (server: Server) =>
      server.rootsChanged().catch((error) => log(`MCP server ${server.name}: ${error}`));
    await Promise.all(servers().map(report));
  };
}

const mockNameTaken =
  `The configured MCP server ${mockServerName} is left out: the name is that of the built-in mock server. ` +
  "Give yours another name.";

function includesMock(
  enabled: MockOptions["enabled"],
  selection: ServerSelection,
  model: string,
): boolean {
  const tool = { name: mockTool, server: mockServerName, serverTool: mockTool };
  if (enabled === false || !wantsTool(selection, tool)) return false;
  return (
    enabled === true || model.startsWith("mock/") || namesTool(selection, mockServerName, mockTool)
  );
}

async function listTools(
  server: Server,
  waitMs: number,
  found: FoundServer | null = null,
  memory: ServerMemory | null = null,
): Promise<ServerTools> {
  const { tools, problems } = await server.tools(waitMs);
  const { reached } = server.status();
  if (found !== null && memory !== null && reached !== null) {
    await memory.keep(found, keptAfter(await memory.recall(found), { tools, ...reached }));
  }
  return {
    server,
    tools: offeredTools(server, found, tools),
    notices: problems.map((problem) => `MCP server ${server.name}: ${shortProblem(problem)}`),
  };
}

/** Starts nothing: returns what a running server listed, or else what it listed in its last run. */
async function rememberedTools(
  server: Server,
  found: FoundServer,
  memory: ServerMemory,
): Promise<ServerTools> {
  const tools = server.listed() ?? (await memory.recall(found)).tools;
  return { server, tools: offeredTools(server, found, tools), notices: [] };
}

/** Reports a failure only once per cause: the user knows it, and answers go on without the server. */
function createOnce() {
  const reported = new Map<Server, string | null>();
  return (list: ServerTools): ServerTools => {
    const { state, problem } = list.server.status();
    if (problem === null || (state !== "failed" && state !== "ready")) {
      reported.delete(list.server);
      return list;
    }
    const isKnown = reported.get(list.server) === problem;
    reported.set(list.server, problem);
    return isKnown ? { ...list, notices: [] } : list;
  };
}

interface ServerTools {
  readonly server: Server;
  readonly tools: readonly OfferedTool[];
  readonly notices: readonly string[];
}

function offeredTools(
  server: Server,
  found: FoundServer | null,
  tools: readonly ListedTool[],
): readonly OfferedTool[] {
  const includes = found?.includes ?? (() => true);
  return tools
    .filter(({ name }) => includes(name))
    .map((definition) => ({
      server: server.name,
      tool: definition.name,
      of: server,
      projectFile: found?.projectFile,
      definition,
    }));
}

function nameTools(tools: readonly OfferedTool[]): ReadonlyMap<string, OfferedTool> {
  const isBare = ({ server }: OfferedTool) => server === mockServerName;
  const bare = tools.filter(isBare).map((tool) => [tool.tool, tool] as const);
  return new Map([...bare, ...assignWireNames(tools.filter((tool) => !isBare(tool)))]);
}

function toTool(name: string, { server, projectFile, definition }: OfferedTool): Tool {
  const { title, description, inputSchema, annotations } = definition;
  return {
    name,
    description,
    inputSchema,
    server,
    ...given({ serverFile: projectFile }),
    serverTool: definition.name,
    ...given({ title, annotations }),
  };
}
