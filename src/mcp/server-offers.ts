/** Resources and prompts of all servers that are configured and agreed to. */

import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../shared/json.ts";
import type { Offers } from "./catalog/offers.ts";
import type { PromptMessage, ServerPrompt } from "./catalog/prompts.ts";
import type { ResourceList, ResourcePart } from "./catalog/resources.ts";
import type { createRegistry } from "./registry.ts";

export interface OfferedPrompt extends ServerPrompt {
  readonly server: string;
}

/** All but `names` and `count` may start a server, and throw a sentence for one that is not there or not used. */
export interface ServerOffers {
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
  ): Promise<{ readonly prompts: readonly OfferedPrompt[]; readonly notices: readonly string[] }>;
  prompt(
    prompt: OfferedPrompt,
    values: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<readonly PromptMessage[]>;
  /** Never throws: a person can type what is not proposed. */
  complete(
    prompt: OfferedPrompt,
    argument: string,
    given: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<readonly string[]>;
}

export function serverOffers(
  registry: ReturnType<typeof createRegistry>,
  log: (text: string) => void,
): ServerOffers {
  const offersOf = async (name: string, signal: AbortSignal): Promise<Offers> => {
    const { entries } = await registry.read();
    const entry = entries.find(({ found }) => found.name === name);
    if (entry === undefined) throw new Error(`There is no MCP server ${JSON.stringify(name)}.`);
    if (entry.found.leftOut !== null) throw new Error(entry.found.leftOut);
    return entry.server.offers(signal);
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
        const offers = await server.offers(signal);
        await Promise.all([server.tools(waitMs), offers.resources(), offers.prompts()]);
      });
      const late = delay(waitMs, null, { signal }).catch(() => null);
      // What a server does not answer is not counted.
      await Promise.race([Promise.allSettled(lists), late]);
      patience.abort();
    },
    resources: async (server, signal) => (await offersOf(server, signal)).resources(),
    read: async (server, uri, signal) => (await offersOf(server, signal)).read(uri, signal),
    async prompts(wanted, signal) {
      const { entries } = await registry.read();
      const names = entries
        .filter(({ found }) => (wanted === null ? found.leftOut === null : found.name === wanted))
        .map(({ found }) => found.name);
      const notices: string[] = [];
      const lists = names.map(async (server) => {
        try {
          const prompts = await (await offersOf(server, signal)).prompts();
          return prompts.map((prompt): OfferedPrompt => ({ ...prompt, server }));
        } catch (error) {
          notices.push(`MCP server ${server}: ${messageOf(error)}`);
          return [];
        }
      });
      return { prompts: (await Promise.all(lists)).flat(), notices };
    },
    prompt: async ({ server, name }, values, signal) =>
      (await offersOf(server, signal)).prompt(name, values, signal),
    async complete({ server, name }, argument, given, signal) {
      try {
        return await (await offersOf(server, signal)).complete(name, argument, given, signal);
      } catch (error) {
        log(`MCP server ${server}: no values for ${argument}: ${messageOf(error)}`);
        return [];
      }
    },
  };
}
