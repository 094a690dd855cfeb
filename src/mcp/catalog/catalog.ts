/** What one connected server offers beside tools: resources and prompts, listed once until it says that they changed. */
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

/** Of the lists as they came last; null: not listed yet. */
export interface CatalogCounts {
  readonly resources: number | null;
  readonly prompts: number | null;
}

/** All of these throw sentences. */
export interface Catalog {
  resources(): Promise<ResourceList>;
  read(uri: string, signal: AbortSignal): Promise<readonly ResourcePart[]>;
  prompts(): Promise<readonly ServerPrompt[]>;
  prompt(
    name: string,
    values: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<readonly PromptMessage[]>;
  /** Values that the server proposes for an argument of a prompt; none where it proposes nothing. */
  complete(
    prompt: string,
    argument: string,
    given: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<readonly string[]>;
  counts(): CatalogCounts;
}

export interface CatalogOptions {
  /** The server's capabilities; known once it is connected. */
  readonly capabilities: () => JsonObject;
  /** A text for models and chats without the keys that the server was given. */
  readonly hide: (text: string) => string;
  /** Makes one request. Throws a sentence. */
  readonly ask: (method: string, params: JsonObject, signal?: AbortSignal) => Promise<unknown>;
}

/** `forgetResources` and `forgetPrompts` are for the notifications that say so. */
export function createCatalog({ capabilities, hide, ask }: CatalogOptions) {
  const has = (name: string) => isObject(capabilities()[name]);
  const list = (method: string, key: string) =>
    readPages(key, (cursor) => ask(method, cursor === undefined ? {} : { cursor }));
  const resources = keptOnce(async (): Promise<ResourceList> => {
    if (!has("resources")) return { resources: [], templates: [] };
    const listed = await list("resources/list", "resources");
    // Not every server with resources knows templates.
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

/** The content block with its own text, or that of its resource, hidden. */
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

/** A failure is not kept: the next one asks again. */
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
