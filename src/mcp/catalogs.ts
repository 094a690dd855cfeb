/** Resources and prompts of all configured and approved servers. */

import { messageOf } from "../shared/json.ts";
import { within } from "../shared/waiting.ts";
import type { Catalog } from "./catalog/catalog.ts";
import type { PromptMessage, ServerPrompt } from "./catalog/prompts.ts";
import type { ResourceList, ResourcePart } from "./catalog/resources.ts";
import type { createRegistry } from "./registry.ts";

export interface ListedPrompt extends ServerPrompt {
  readonly server: string;
}

/** All methods but `names` and `count` may start a server; they throw an error for the user if it cannot be used. */
export interface Catalogs {
  /** Names of all configured servers. */
  names(): Promise<readonly string[]>;
  /** Makes running servers list what they have not listed yet, for `status`; waits at most `waitMs` milliseconds. */
  count(waitMs: number): Promise<void>;
  resources(server: string, signal: AbortSignal): Promise<ResourceList>;
  read(server: string, uri: string, signal: AbortSignal): Promise<readonly ResourcePart[]>;
  /** Prompts of one server, or of all usable ones. Never throws; failures are in `notices`. */
  prompts(
    server: string | null,
    signal: AbortSignal,
  ): Promise<{ readonly prompts: readonly ListedPrompt[]; readonly notices: readonly string[] }>;
  prompt(
    prompt: ListedPrompt,
    values: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<readonly PromptMessage[]>;
  /** Never throws: the user can also type a value that is not suggested. */
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
      // Lists that have not arrived by then are not counted.
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
