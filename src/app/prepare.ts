/** Everything that goes into one request, from the text and from what its question names. */
import { homedir } from "node:os";
import type { ChatEvent, PreparedRequest, PrepareOptions } from "../conversation/chat.ts";
import type { Configuration } from "../conversation/configuration.ts";
import { buildMessages } from "../conversation/messages.ts";
import { parseModelName } from "../conversation/model-name.ts";
import { openState } from "../conversation/provider-state.ts";
import { neededFiles, sentSteps } from "../conversation/references.ts";
import { type ChatSettings, chatSettings } from "../conversation/settings.ts";
import type { Editor, ModelName, ModelRequest, Tool, ToolHost } from "../conversation/types.ts";
import type { Exchange, Reference, Transcript } from "../transcript/types.ts";
import { loadFiles } from "./files.ts";
import { type ReadReferences, readReferences } from "./read-references.ts";

/** What requests are made from; the app is one. */
export interface RequestSources {
  readonly configuration: Configuration;
  readonly tools: ToolHost;
  readonly workingDirectory: string;
  modelOf(settings: ChatSettings): ModelName;
  /** A sentence to show once when the model is only a fallback. */
  offlineNotice(model: ModelName, settings: ChatSettings): readonly string[];
  secret(): Promise<string>;
}

export interface ChatOptions {
  readonly editor: Editor;
  /** Path of the transcript; null while it has none. */
  path(): string | null;
  confirm(question: string): Promise<boolean>;
  report(event: ChatEvent): void;
  /** In place of the header's and the configuration's. */
  readonly model?: string | null;
  readonly tools?: string | null;
}

export interface PrepareHow extends PrepareOptions {
  /** False for a preview: nothing is fetched, asked or written, and unread references are sent as written. */
  readonly online: boolean;
}

/** Reads the question's files, lists the tools and builds the messages. What could not be had is in the notices. */
export async function prepareRequest(
  app: RequestSources,
  chat: ChatOptions,
  transcript: Transcript,
  exchange: Exchange,
  how: PrepareHow,
): Promise<PreparedRequest> {
  const { settings } = chatSettings(transcript.header, app.configuration);
  const model = (chat.model && parseModelName(chat.model)) || app.modelOf(settings);
  const name = `${model.provider}/${model.id}`;
  const [offered, files] = await Promise.all([
    app.tools.list(chat.tools ?? settings.tools, name),
    readFiles(app, chat, transcript, exchange, settings, how),
  ]);
  const secret = await app.secret();
  const { messages, notices } = buildMessages(transcript, {
    exchange,
    files: files.loaded,
    maxFullExchanges: settings.maxFullExchanges,
    copies: files.copies,
    openState: (step) => openState(step, model, secret),
    ...(how.steps === undefined ? {} : { steps: how.steps }),
  });
  const isFirst = sentSteps(exchange, how.steps) === 0 || how.fresh;
  const hasCopies = Object.keys(files.copies).length > 0;
  return {
    request: buildRequest(settings, model, messages, offered.tools),
    label: model.id,
    model: name,
    files: isFirst && hasCopies ? files.copies : null,
    tools: new Map(offered.tools.map((tool) => [tool.name, tool])),
    notices: [
      ...app.offlineNotice(model, settings),
      ...offered.notices,
      ...files.notices,
      ...notices,
    ],
  };
}

function buildRequest(
  settings: ChatSettings,
  model: ModelName,
  messages: ModelRequest["messages"],
  tools: readonly Tool[],
): ModelRequest {
  const { toolChoice, parallelToolCalls, maxTokens } = settings;
  return {
    model,
    system: settings.systemPrompt,
    messages,
    tools,
    ...(toolChoice === null ? {} : { toolChoice }),
    ...(parallelToolCalls === null ? {} : { parallelToolCalls }),
    ...(maxTokens === null ? {} : { maxOutputTokens: maxTokens }),
  };
}

async function readFiles(
  app: RequestSources,
  chat: ChatOptions,
  transcript: Transcript,
  exchange: Exchange,
  { maxFullExchanges }: ChatSettings,
  how: PrepareHow,
) {
  const needed = neededFiles(transcript, exchange, {
    maxFullExchanges,
    fresh: how.fresh,
    ...(how.steps === undefined ? {} : { steps: how.steps }),
  });
  const path = chat.path();
  const stored = path === null ? nothingStored : await loadFiles(path, needed.names);
  const read = how.online ? await readNow(app, chat, path, needed.reads, how.signal) : nothingRead;
  if (read.read.length > 0) {
    chat.report({
      type: "notice",
      level: "info",
      message: `Read for the question: ${read.read.join(", ")}`,
    });
  }
  return {
    loaded: new Map([...stored.files, ...read.files]),
    copies: { ...needed.copies, ...read.copies },
    notices: [...stored.notices, ...read.notices],
  };
}

const nothingStored = { files: new Map(), notices: [] };
const nothingRead: ReadReferences = { copies: {}, files: new Map(), read: [], notices: [] };

async function readNow(
  app: RequestSources,
  chat: ChatOptions,
  path: string | null,
  references: readonly Reference[],
  signal: AbortSignal,
): Promise<ReadReferences> {
  if (references.length === 0) return nothingRead;
  if (path === null) {
    const notice =
      "The chat has no file yet, so the files its question names cannot be kept beside it; they are sent as written. Save it (:write) and respond again.";
    return { ...nothingRead, notices: [notice] };
  }
  const roots = { workingFolder: app.workingDirectory, transcriptPath: path, home: homedir() };
  return readReferences(references, roots, { confirm: chat.confirm, signal });
}
