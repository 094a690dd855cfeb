/** What requests are made from, without processes and folders of a person. */

import { type Configuration, defaults } from "../../src/app/configuration/options.ts";
import type { ChatOptions, RequestSources } from "../../src/app/prepare.ts";
import type { ResourceSource } from "../../src/app/references/read-resource.ts";
import type { Editor } from "../../src/conversation/editor.ts";
import type { Tool } from "../../src/conversation/ports.ts";
import type { ChatEvent } from "../../src/conversation/turn/chat.ts";
import { type ModelFacts, unknownFacts } from "../../src/conversation/usage.ts";
import { createModels } from "../../src/providers/models.ts";

export const webSearch: Tool = {
  name: "web_search",
  description: "Searches the web.",
  inputSchema: { type: "object", properties: { query: { type: "string" } } },
  server: "mock",
};

export interface Sources extends RequestSources {
  readonly models: ReturnType<typeof createModels>;
  /** What `tools.list` was asked. */
  readonly asked: readonly (string | null)[];
}

export function sources(
  options: {
    readonly configuration?: Partial<Configuration>;
    readonly workingDirectory?: string;
    readonly secret?: string;
    readonly notices?: readonly string[];
    readonly resources?: ResourceSource;
    readonly facts?: ModelFacts;
  } = {},
): Sources {
  const asked: (string | null)[] = [];
  return {
    configuration: { ...defaults, ...options.configuration },
    models: createModels({ providers: {}, environment: {} }),
    workingDirectory: options.workingDirectory ?? "/nowhere",
    servers: ["mock"],
    resources: options.resources ?? { names: async () => [], read: async () => [] },
    asked,
    modelOf: ({ model }) => model ?? { provider: "mock", id: "demo" },
    offlineNotice: () => [],
    factsOf: async () => options.facts ?? unknownFacts,
    findSecret: async () => options.secret ?? null,
    tools: {
      list: async (selection) => {
        asked.push(selection);
        const tools = selection === "none" ? [] : [webSearch];
        return { tools, notices: options.notices ?? [] };
      },
      run: async () => ({ status: "error", text: "not in this test", media: [] }),
      close: async () => {},
    },
  };
}

const noEditor: Editor = {
  read: async () => ({ lines: [], tick: 0 }),
  apply: async () => "gone",
  openTip: async () => "gone",
  save: async () => "failed",
  onSplice: () => () => {},
};

export function chatOptions(
  options: Partial<ChatOptions> = {},
): ChatOptions & { readonly events: readonly ChatEvent[] } {
  const events: ChatEvent[] = [];
  return {
    editor: noEditor,
    path: () => null,
    confirm: async () => false,
    report: (event) => events.push(event),
    ...options,
    events,
  };
}
