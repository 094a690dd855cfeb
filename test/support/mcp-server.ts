import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { ToolOutput } from "../../src/conversation/ports.ts";
import { createClientFeatures } from "../../src/mcp/asking/client-features.ts";
import type { ServerConfiguration } from "../../src/mcp/configured/launch-configuration.ts";
import { nothingKept } from "../../src/mcp/kept-servers.ts";
import { Server } from "../../src/mcp/server.ts";
import type { ServerOptions, ServerStart } from "../../src/mcp/server-options.ts";

/** The script of the misbehaving server, and how to run it; its modes are written in it. */
export const badServer = fileURLToPath(new URL("bad-server.mjs", import.meta.url));

const askingServer = fileURLToPath(new URL("asking-server.mjs", import.meta.url));

/** The server that asks its client what a call says. */
export const asking = { command: process.execPath, args: [askingServer] };

/** Nobody is there, and nothing is reported. */
export const noFeatures = {
  user: null,
  sampler: {
    model: () => "none/none",
    answer: async () => {
      throw new Error("There is no model here.");
    },
  },
  sampling: "off" as const,
  notify: () => {},
  roots: async () => [],
  toolsChanged: () => {},
  toolsMayHaveChanged: () => {},
};

/** Nothing that servers listed is kept. */
export const noMemory = { keep: async () => {}, recall: async () => nothingKept };

export function configuration(
  mode: string,
  more: Partial<ServerConfiguration> = {},
): ServerConfiguration {
  return { command: process.execPath, args: [badServer, mode], ...more };
}

/** A server that is closed after the test. */
export function start(
  mode: string | ServerStart,
  options: Partial<ServerOptions> = {},
): { readonly server: Server; readonly logged: string[] } {
  const logged: string[] = [];
  const log = (text: string) => logged.push(text);
  const patience = {
    connectTimeoutMs: 15_000,
    startTimeoutMs: 15_000,
    timeoutMs: 15_000,
    firstBackoffMs: 10,
  };
  const features = createClientFeatures(noFeatures);
  const all = { version: "0", ...patience, log, features, ...options };
  const server = new Server("bad", typeof mode === "string" ? configuration(mode) : mode, all);
  onTestFinished(() => server.close());
  return { server, logged };
}

export async function namesOf(server: Server): Promise<readonly string[]> {
  return (await server.tools(15_000)).tools.map((tool) => tool.name);
}

export function call(
  server: Server,
  tool: string,
  args: Record<string, unknown> = {},
  signal = new AbortController().signal,
): Promise<ToolOutput> {
  return server.call(tool, args, { signal, progress: () => {} });
}
