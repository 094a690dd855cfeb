/** Resources and prompts of all servers that are configured and agreed to. */

import { messageOf } from "../shared/json.ts";
import { within } from "../shared/waiting.ts";
import type { Catalog } from "./catalog/catalog.ts";
import type { PromptMessage, ServerPrompt } from "./catalog/prompts.ts";
import type { ResourceList, ResourcePart } from "./catalog/resources.ts";
import type { createRegistry } from "./registry.ts";

export interface ListedPrompt extends ServerPrompt {
  readonly server: string;
}

/** All but `names` and `count` may start a server, and throw a sentence for one that is not there or not used. */
export interface Catalogs {
  /** Of all servers that are configured. */
  names(): Promise<readonly string[]>;
  /** Has the servers that run list what they did not list yet, for `status`; waits `waitMs` milliseconds at most. */
  count(waitMs: number): Promise<void>;
  resources(server: string, signal: AbortSignal): Promise<ResourceList>;
  read(server: string, uri: string, signal: AbortSignal): Promise<readonly ResourcePart[]>;
  /** Those of one server, or of all that can be had; never throws, what went wrong is in `notices`. */
  prompts(
    server: string | null,
    signal: AbortSignal,
  ): Promise<{ readonly prompts: readonly ListedPrompt[]; readonly notices: readonly string[] }>;
  prompt(
    prompt: ListedPrompt,
    values: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<readonly PromptMessage[]>;
  /** Never throws: a person can type what is not proposed. */
  complete(
    prompt: ListedPrompt,
    argument: string,
    given: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<readonly string[]>;
}

export function createCatalogs(
  registry: ReturnType<typeof createRegistry>,
  log: (text: string) => void,
): Catalogs {
  const catalogOf = async (name: string, signal: AbortSignal): Promise<Catalog> => {
    const { entries } = await registry.read();
    const entry = entries.find(({ found }) => found.name === name);
    if (entry === undefined) throw new Error(`There is no MCP server ${JSON.stringify(name)}.`);
    if (entry.found.leftOut !== null) throw new Error(entry.found.leftOut);
    return entry.server.catalog(signal);
  };
  return {
    async names() {
      const { entries } = await registry.read();
      return entries.map(({ found }) => found.name);
    },
    async count(waitMs) {
      const { entries } = await registry.read();
      const running = entries.filter(({ server }) => server.status().state === "ready");
      const patience = new AbortController();
      const { signal } = patience;
      const lists = running.map(async ({ server }) => {
        const catalog = await server.catalog(signal);
        await Promise.all([server.tools(waitMs), catalog.resources(), catalog.prompts()]);
      });
      // What a server does not answer is not counted.
      await within(Promise.allSettled(lists), waitMs);
      patience.abort();
    },
    resources: async (server, signal) => (await catalogOf(server, signal)).resources(),
    read: async (server, uri, signal) => (await catalogOf(server, signal)).read(uri, signal),
    async prompts(wanted, signal) {
      const { entries } = await registry.read();
      const names = entries
        .filter(({ found }) => (wanted === null ? found.leftOut === null : found.name === wanted))
        .map(({ found }) => found.name);
      const notices: string[] = [];
      const lists = names.map(async (server) => {
        try {
          const prompts = await (await catalogOf(server, signal)).prompts();
          return prompts.map((prompt): ListedPrompt => ({ ...prompt, server }));
        } catch (error) {
          notices.push(`MCP server ${server}: ${messageOf(error)}`);
          return [];
        }
      });
      return { prompts: (await Promise.all(lists)).flat(), notices };
    },
    prompt: async ({ server, name }, values, signal) =>
      (await catalogOf(server, signal)).prompt(name, values, signal),
    async complete({ server, name }, argument, given, signal) {
      try {
        return await (await catalogOf(server, signal)).complete(name, argument, given, signal);
      } catch (error) {
        log(`MCP server ${server}: no values for ${argument}: ${messageOf(error)}`);
        return [];
      }
    },
  };
}
