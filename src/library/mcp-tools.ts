/** MCP servers as tools of a program, configured as in a file of Claude or VS Code. */

import { resolve } from "node:path";
import type { Tool, ToolHost } from "../conversation/ports.ts";
import { includesTool, readEntries, type ServerEntry } from "../mcp/configured/entry.ts";
import { expandEntry } from "../mcp/configured/expand-entry.ts";
import { type VariableSources, valueOfCommand } from "../mcp/configured/expand-variables.ts";
import { nothingKept } from "../mcp/kept-servers.ts";
import { createMcpHost } from "../mcp/mcp-host.ts";
import type { OAuthLogin } from "../mcp/oauth/login.ts";
import type { FoundServer } from "../mcp/registry.ts";
import { homeFolder } from "../system/standard-folders.ts";
import type { JsonArguments } from "../tools/from-json-schema.ts";
import { validateArguments } from "../tools/schema-validation.ts";
import { ToolArgumentError } from "../tools/tool-errors.ts";
import type { TypedTool } from "../tools/typed-tool.ts";

export interface McpOptions {
  /** Source of `${VAR}`; the environment of the process when absent. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** `${workspaceFolder}`, the base of each `cwd`, and the root that servers get; the process's folder when absent. */
  readonly workingFolder?: string;
  /** Milliseconds that a call may take; 60 seconds when absent. */
  readonly timeoutMs?: number;
  /**
   * Returns the access token for a server behind an address; called before each request; null: none. The program itself
   * has to log in. `isRefused`: the server answered 401 to the last token, and is tried once more.
   */
  token?(
    server: { readonly name: string; readonly url: string },
    last: { readonly isRefused: boolean },
  ): Promise<string | null>;
  /** Returns the value of `${input:ID}`, which an editor asks the user for; null: none, and the server is left out. */
  input?(id: string): string | null | Promise<string | null>;
  /** Receives what servers report and what goes wrong, in full. */
  log?(text: string): void;
}

export interface McpServers {
  /** For `runTurn`; listed when the servers were opened. */
  readonly tools: readonly TypedTool<JsonArguments>[];
  /** Sentences about servers and tools that could not be used. */
  readonly notices: readonly string[];
  /** Stops the servers. */
  close(): Promise<void>;
}

/**
 * Starts the servers and lists their tools, named `mcp__SERVER__TOOL`. The program decides which servers may run:
 * nothing is asked, and requests by a server are declined. Never throws: `notices` says what is missing.
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
    userHome: homeFolder(),
    run: valueOfCommand,
    refusal: () => null,
    input: async (id) => {
      const value = await options.input?.(id);
      if (typeof value === "string") return value;
      throw new Error(
        `Its input ${id} has no value; the option input of openMcpServers gives one.`,
      );
    },
  };
  const used = entries.filter(({ isDisabled }) => !isDisabled);
  const { token = null } = options;
  const found = used.map((entry) => toFound(entry, sources, token));
  const host = createMcpHost({
    servers: async () => ({ servers: found, notices: [], remarks: [] }),
    mock: { enabled: false, command: process.execPath, args: [] },
    timeoutMs,
    // Tools are listed when the servers are opened, so nothing has to be remembered from before.
    memory: { keep: async () => {}, recall: async () => nothingKept },
    version: "library",
    restartWords: "another openMcpServers()",
    log,
    features: {
      roots: async () => [workingFolder],
      user: null,
      sampler: {
        model: () => "none",
        answer: async () => {
          throw new Error("This program does not answer requests of servers.");
        },
      },
      sampling: "off",
      notify: (level, message) => log(`${level}: ${message}`),
      toolsChanged: () => {},
      toolsMayHaveChanged: () => {},
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

function toFound(
  entry: ServerEntry,
  sources: VariableSources,
  token: NonNullable<McpOptions["token"]> | null,
): FoundServer {
  return {
    name: entry.name,
    version: "1",
    leftOut: null,
    includes: (tool) => includesTool(entry.tools, tool),
    start: () =>
      expandEntry(entry, sources, {
        passed: (names) => names,
        folder: async () => ({ cwd: resolve(sources.workspaceFolder) }),
        mayGo: async () => {},
        login: async ({ href }) => token && tokenLogin(token, { name: entry.name, url: href }),
      }),
  };
}

/** A login that the program provides: it returns a token, and another one after a 401. */
function tokenLogin(
  token: NonNullable<McpOptions["token"]>,
  server: { readonly name: string; readonly url: string },
): OAuthLogin {
  let isRefused = false;
  return {
    // The user cannot help here.
    isForPeople: false,
    authProvider: {
      async token() {
        const last = { isRefused };
        isRefused = false;
        return (await token(server, last)) ?? undefined;
      },
      async onUnauthorized() {
        isRefused = true;
      },
    },
    wantsScope: async () => {},
    needsLogin: async () => false,
    login: async () => {
      throw new Error("Logging in is the program's own matter.");
    },
    logout: async () => false,
  };
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
