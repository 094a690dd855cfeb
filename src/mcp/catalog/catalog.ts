/** What a connected server offers besides tools: resources and prompts, cached until it announces a change. */
import { given } from "../../shared/given.ts";
import { isObject, type JsonObject } from "../../shared/json.ts";
import { readPages } from "./content.ts";
import {
  type PromptMessage,
  type ServerPrompt,
  toCompletions,
  toPromptMessages,
  toPrompts,
} from "./prompts.ts";
import {
  type ResourceList,
  type ResourcePart,
  toResourceParts,
  toResources,
  toTemplates,
} from "./resources.ts";

/** Sizes of the last lists; null: not listed yet. */
export interface CatalogCounts {
  readonly resources: number | null;
  readonly prompts: number | null;
}

/** All methods throw errors that can be shown to the user. */
export interface Catalog {
  resources(): Promise<ResourceList>;
  read(uri: string, signal: AbortSignal): Promise<readonly ResourcePart[]>;
  prompts(): Promise<readonly ServerPrompt[]>;
  prompt(
    name: string,
    values: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<readonly PromptMessage[]>;
  /** Values that the server suggests for an argument of a prompt; empty if it suggests none. */
  complete(
    prompt: string,
    argument: string,
    given: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<readonly string[]>;
  counts(): CatalogCounts;
}

export interface CatalogOptions {
  /** The server's capabilities; known after the handshake. */
  readonly capabilities: () => JsonObject;
  /** Hides the server's keys in a text for models and chats. */
  readonly hide: (text: string) => string;
  /** Sends one request. Throws an error for the user. */
  readonly ask: (method: string, params: JsonObject, signal?: AbortSignal) => Promise<unknown>;
}

/** `forgetResources` and `forgetPrompts` drop the cached list after the server's change notification. */
export function createCatalog({ capabilities, hide, ask }: CatalogOptions) {
  const has = (name: string) => isObject(capabilities()[name]);
  const list = (method: string, key: string) =>
    readPages(key, (cursor) => ask(method, cursor === undefined ? {} : { cursor }));
  const resources = keptOnce(async (): Promise<ResourceList> => {
    if (!has("resources")) return { resources: [], templates: [] };
    const listed = await list("resources/list", "resources");
    // Some servers with resources do not support templates.
    const templates = await list("resources/templates/list", "resourceTemplates").catch(() => []);
    return { resources: toResources(listed), templates: toTemplates(templates) };
  });
  const prompts = keptOnce(async () =>
    has("prompts") ? toPrompts(await list("prompts/list", "prompts")) : [],
  );
  const catalog: Catalog = {
    resources: resources.get,
    async read(uri, signal) {
      if (!has("resources")) throw new Error("It has no resources.");
      const parts = toResourceParts(await ask("resources/read", { uri }, signal), uri);
      return parts.map((part) => ("text" in part ? { ...part, text: hide(part.text) } : part));
    },
    prompts: prompts.get,
    async prompt(name, values, signal) {
      const result = await ask("prompts/get", { name, arguments: values }, signal);
      const messages = toPromptMessages(result);
      return messages.map(({ role, content }) => ({ role, content: hiddenIn(content, hide) }));
    },
    async complete(prompt, argument, known, signal) {
      if (!has("completions")) return [];
      const params = {
        ref: { type: "ref/prompt", name: prompt },
        argument: { name: argument, value: "" },
        ...given({ context: Object.keys(known).length === 0 ? null : { arguments: known } }),
      };
      return toCompletions(await ask("completion/complete", params, signal));
    },
    counts() {
      const found = resources.last();
      return {
        resources: found && found.resources.length + found.templates.length,
        prompts: prompts.last()?.length ?? null,
      };
    },
  };
  return { catalog, forgetResources: resources.forget, forgetPrompts: prompts.forget };
}

/** The content block with keys hidden in its text and in that of its resource. */
function hiddenIn(content: unknown, hide: (text: string) => string): unknown {
  if (!isObject(content)) return content;
  const { text, resource } = content;
  return {
    ...content,
    ...given({
      text: typeof text === "string" ? hide(text) : null,
      resource: isObject(resource) ? hiddenIn(resource, hide) : null,
    }),
  };
}

/** Caches a result. A failure is not cached: the next caller loads again. */
function keptOnce<T>(load: () => Promise<T>) {
  let loading: Promise<T> | null = null;
  let last: T | null = null;
  return {
    async get(): Promise<T> {
      const own = loading ?? load();
      loading = own;
      try {
        last = await own;
        return last;
      } catch (error) {
        if (loading === own) loading = null;
        throw error;
      }
    },
    last: () => last,
    forget() {
      loading = null;
    },
  };
}
