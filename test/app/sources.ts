/** What requests are made from, without processes and folders of a user. */

import type { Configuration } from "../../src/app/configuration/options.ts";
import { fileWorkspace } from "../../src/app/files/file-workspace.ts";
import type { Workspace } from "../../src/app/files/workspace.ts";
import type { ChatOptions } from "../../src/app/open-chat/chat-ports.ts";
import type { RequestSources } from "../../src/app/open-chat/prepare.ts";
import type { ResourceSource } from "../../src/app/references/read-resource.ts";
import { noTools } from "../../src/conversation/chat-tools.ts";
import type { Editor } from "../../src/conversation/editor.ts";
import type { Tool } from "../../src/conversation/ports.ts";
import { chatSettings } from "../../src/conversation/settings/chat-settings.ts";
import { parseModelName } from "../../src/conversation/settings/model-name.ts";
import type { ChatEvent } from "../../src/conversation/turn/chat.ts";
import { type ModelFacts, unknownFacts } from "../../src/conversation/usage.ts";
import { createModels } from "../../src/providers/models.ts";
import type { Transcript } from "../../src/transcript/transcript.ts";
import { defaults } from "../support/configuration.ts";

export const webSearch: Tool = {
  name: "web_search",
  description: "Searches the web.",
  inputSchema: { type: "object", properties: { query: { type: "string" } } },
  server: "mock",
};

type OfApp = Omit<RequestSources, "tools" | "selection" | "path" | "confirm" | "notice">;

/** What references find beside files, over an editor's texts where there are some. */
export function aroundFiles(workspace: Partial<Workspace> = {}): RequestSources["around"] {
  return {
    workspace: { ...fileWorkspace, ...workspace },
    readDenial: () => null,
    environment: process.env,
    withheldVariables: new Set(["OPENAI_API_KEY"]),
  };
}

export interface Sources extends OfApp {
  list(selection: string | null): {
    readonly tools: readonly Tool[];
    readonly notices: readonly string[];
  };
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
    readonly isFirstHint?: () => boolean;
  } = {},
): Sources {
  const asked: (string | null)[] = [];
  return {
    configuration: { ...defaults, ...options.configuration },
    models: createModels({ providers: {}, environment: {} }),
    workingDirectory: options.workingDirectory ?? "/nowhere",
    servers: ["mock"],
    disabled: [],
    resources: options.resources ?? { names: async () => [], read: async () => [] },
    around: aroundFiles(),
    asked,
    modelOf: ({ model }) => model ?? { provider: "mock", id: "demo" },
    offlineNotice: () => [],
    isFirstHint: options.isFirstHint ?? (() => false),
    factsOf: async () => options.facts ?? unknownFacts,
    findSecret: async () => options.secret ?? null,
    list(selection) {
      asked.push(selection);
      const tools = selection === "none" ? [] : [webSearch];
      return { tools, notices: options.notices ?? [] };
    },
  };
}

/** Of one chat of such an app. */
export function sourcesOf({ list, modelOf, ...app }: Sources, chat: ChatOptions): RequestSources {
  const offered = async ({ header }: Transcript) => {
    const { settings } = chatSettings(header, app.configuration);
    const { tools, notices } = list(chat.tools ?? settings.tools);
    return { ...noTools, tools: new Map(tools.map((tool) => [tool.name, tool])), notices };
  };
  return {
    ...app,
    tools: {
      look: offered,
      current: offered,
      remembered: offered,
      approved: async () => {},
      onChange: () => () => {},
    },
    selection: chat.tools ?? null,
    path: chat.path(),
    confirm: chat.confirm,
    notice: (message) => chat.report({ type: "notice", level: "info", message }),
    modelOf: (settings) => (chat.model && parseModelName(chat.model)) || modelOf(settings),
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
