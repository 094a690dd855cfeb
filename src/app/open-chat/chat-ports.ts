/** Connects one chat with the app: the ports that the conversation needs. */
import { basename } from "node:path";
import type { ChatTools } from "../../conversation/chat-tools.ts";
import type { Editor } from "../../conversation/editor.ts";
import type { RunOptions } from "../../conversation/ports.ts";
import { referencesToRead } from "../../conversation/request/needed-files.ts";
import { reportStarting } from "../../conversation/server-waits.ts";
import { type ChatSettings, chatSettings } from "../../conversation/settings/chat-settings.ts";
import { formatModelName, parseModelName } from "../../conversation/settings/model-name.ts";
import { builtinGroup } from "../../conversation/settings/tool-selection.ts";
import type { BudgetLimits } from "../../conversation/turn/budget-limits.ts";
import type { Chat, ChatPorts } from "../../conversation/turn/chat.ts";
import type { TopicModel } from "../../conversation/turn/topic.ts";
import { mockServerName } from "../../mcp/mcp-host.ts";
import { keyVariables } from "../../providers/vendors/key-sources.ts";
import { unlessAborted } from "../../shared/abort.ts";
import { realPathNow } from "../../system/real-path.ts";
import { validateArguments } from "../../tools/schema-validation.ts";
import type { Exchange, Step, Transcript } from "../../transcript/transcript.ts";
import type { App } from "../app.ts";
import { chatModel } from "../configuration/default-model.ts";
import { fileWorkspace } from "../files/file-workspace.ts";
import { servedFactsOf } from "../models/served-facts.ts";
import { keepOutput } from "../references/keep-output.ts";
import { driveChat, preloadLocks } from "../state/locks.ts";
import { addRecords, dropRecords, loadRecords } from "../state/remembered-store.ts";
import { beginTexts, keepText } from "../state/remembered-texts.ts";
import { keepReplaced } from "../state/replaced-answers.ts";
import { createChatTools, type WantedTools } from "../tools/chat-tools.ts";
import { type Policy, pathFrame, policyOf } from "../tools/policy.ts";
import { lastSpent, recordSpent, spentToday } from "../usage/ledger.ts";
import { type ChatOrigin, createChatOrigin } from "./chat-origin.ts";
import { createExits, type ExitsChat } from "./exits.ts";
import { prepareRequest, type RequestSources } from "./prepare.ts";
import { rehearsedRequest } from "./rehearsed-request.ts";

export interface ChatOptions extends ExitsChat {
  readonly editor: Editor;
  confirm(question: string): Promise<boolean>;
  /** Waits until the text as last read was checked (`ChatOrigin.loaded`). Absent: the caller did that on opening. */
  loaded?(): Promise<void>;
  /** Called with the text as it was read from its file, once for each reading. */
  isRead?(transcript: Transcript): void;
  /** `provider/id`, instead of the model in the header or the configuration. */
  readonly model?: string | null;
  /** A tool selection, instead of the one in the header or the configuration. */
  readonly tools?: string | null;
  /** Instead of the limits in the configuration. */
  readonly budget?: Partial<BudgetLimits>;
}

/** One chat of the app. */
export interface OpenedChat {
  readonly ports: ChatPorts;
  /** What its requests are made from at this moment. */
  sources(): RequestSources;
  readonly origin: ChatOrigin;
  /** Asks the user about the servers that the chat may use and that need approval. */
  agreeToServers(transcript: Transcript): Promise<void>;
}

export function openChat(app: App, chat: ChatOptions): OpenedChat {
  const { stateFolder, log } = app.options;
  const wanted = wantedTools(app, chat);
  const tools = createChatTools({
    stateFolder,
    changes: app.toolChanges,
    tools: () => app.now.tools,
    wanted,
    policy: () => policyNow(app),
    inChat: (how) => inChat(chat, how),
    keep: (written) => app.kept(written),
  });
  const sources = () => requestSources(app, chat, tools);
  const origin = createChatOrigin(app, chat.path, chat.isRead);
  const exits = createExits(chat, origin, log);
  const agreeToServers = agreement(app, wanted);
  const ports: ChatPorts = {
    editor: chat.editor,
    stream: (request, how) => app.now.models.stream(request, how),
    tools,
    async prepare(transcript, exchange, how) {
      const named = serversNamed(exchange);
      const opened = await exits.open(transcript, {
        references: referencesToRead(exchange, how),
        isBegun: !how.fresh && (exchange.answer?.steps.some(isWritten) ?? false),
      });
      if (opened.refusal !== null) return opened.refusal;
      await agreeToServers(opened.transcript, named, how.signal);
      const from = { ...sources(), decided: opened.decided };
      const reporting = reportStarting(() => app.now.mcp.starting(), how.waiting);
      try {
        return await prepareRequest(from, opened.transcript, exchange, { ...how, online: true });
      } finally {
        reporting.end();
      }
    },
    validate: (tool, argumentsText) => validateArguments(tool, argumentsText, log),
    keepOutput: (output) =>
      keepOutput(output, { path: chat.path(), limit: app.now.configuration.result_limit }),
    async drive() {
      const path = chat.path();
      // No other process can have a chat open that has no file.
      if (path === null) return { type: "holding", release: async () => {} };
      try {
        return await driveChat(stateFolder, path);
      } catch (error) {
        // The lock is only advice: comparing the file shows what another process wrote.
        log(`driver: ${error}`);
        return { type: "holding", release: async () => {} };
      }
    },
    keepReplaced: (text) => keepReplaced(stateFolder, text),
    remembered: rememberedTools(app, chat, origin),
    secret: app.secret.own,
    spent: (spent) => keepSpent(app, chat, spent),
    limits: () => ({ modelCalls: app.now.configuration.max_model_calls }),
    budget: {
      limits: () => ({ ...app.now.configuration, ...chat.budget }),
      today: () => spentToday(stateFolder),
    },
    topicModel: () => topicModel(app),
    confirm: chat.confirm,
    report: chat.report,
  };
  const agree = (transcript: Transcript) =>
    agreeToServers(transcript, [], new AbortController().signal);
  return { ports, sources, origin, agreeToServers: agree };
}

/** The servers whose resources the question names. */
function serversNamed({ question }: Exchange): readonly string[] {
  return question.references.flatMap(({ kind, label }) => (kind === "resource" ? [label] : []));
}

const isWritten = ({ blocks }: Step) => blocks.length > 0;

/** The verdict on calls by the user's rules and those of the project. */
export function policyNow(app: App): Policy {
  const { auto_approve, rules } = app.now.configuration;
  const all = { ...rules, autoApprove: auto_approve, deny: app.denied() };
  return policyOf(all, pathFrame(app.workingDirectory));
}

/** Loads what the first request needs, so that it is sent without delay. A failure shows when the request is made. */
export async function preload(app: App, transcript: Transcript): Promise<void> {
  const { configuration, models } = app.now;
  const { settings } = chatSettings(transcript.header, configuration);
  const model = chatModel(settings, { configuration, environment: app.options.environment });
  const facts = servedFactsOf(app.modelServers, model);
  const request = rehearsedRequest(transcript, settings, model);
  await Promise.all([models.warm(request), facts, preloadLocks()]).catch((error: unknown) =>
    app.options.log(`warm: ${error}`),
  );
}

function modelOf(app: App, { model }: ChatOptions, settings: ChatSettings) {
  const { configuration } = app.now;
  const { environment } = app.options;
  return (model && parseModelName(model)) || chatModel(settings, { configuration, environment });
}

function requestSources(app: App, chat: ChatOptions, tools: ChatTools): RequestSources {
  const { configuration, mcp } = app.now;
  return {
    configuration,
    tools,
    selection: chat.tools ?? null,
    servers: [builtinGroup, mockServerName, ...app.servers.names()],
    disabled: [...app.servers.disabled().keys()],
    resources: mcp.catalogs,
    around: {
      workspace: app.options.workspace ?? fileWorkspace,
      readDenial: (path) => app.readDenial({ written: path, absolute: path, real: path }),
      environment: app.options.environment,
      withheldVariables: keyVariables(configuration),
    },
    workingDirectory: app.workingDirectory,
    path: chat.path(),
    confirm: chat.confirm,
    notice: (message) => chat.report({ type: "notice", level: "info", message }),
    modelOf: (settings) => modelOf(app, chat, settings),
    offlineNotice: app.offlineNotice,
    // Hints are for users who begin to look around, which they do not do on the command line.
    isFirstHint: () => app.options.user !== null && app.hints.first("tools"),
    factsOf: (model) => servedFactsOf(app.modelServers, model),
    findSecret: app.secret.find,
  };
}

/** Only the configured topic model: a chat from elsewhere cannot choose which model reads it. */
async function topicModel(app: App): Promise<TopicModel | null> {
  const name = parseModelName(app.now.configuration.topic_model ?? "");
  if (name === null) return null;
  const facts = await servedFactsOf(app.modelServers, name);
  return { name, model: formatModelName(name), facts };
}

/** Adds the name of the chat to the place of a call. */
function inChat(chat: ChatOptions, how: RunOptions): RunOptions {
  const { origin } = how;
  const path = chat.path();
  if (origin === undefined || path === null) return how;
  return { ...how, origin: { ...origin, place: () => `${origin.place()} of ${basename(path)}` } };
}

/** For a chat that was asked before it was opened here: how much of the context window its last request took. */
export async function recallContext(app: App, chat: Chat, path: string): Promise<void> {
  const real = realPathNow(path);
  const spent = real === null ? null : await lastSpent(app.options.stateFolder, real);
  const model = spent && parseModelName(spent.model);
  if (spent === null || model === null) return;
  const { contextWindow } = await servedFactsOf(app.modelServers, model);
  const { input, output } = spent;
  chat.recallLast({ model: spent.model, usage: { input, output }, window: contextWindow });
}

/** Recorded in the background; no answer waits for it. */
function keepSpent(
  { options: { stateFolder, log } }: App,
  chat: ChatOptions,
  { usage: { input, output }, ...rest }: Parameters<ChatPorts["spent"]>[0],
): void {
  const path = chat.path();
  const real = path === null ? null : (realPathNow(path) ?? path);
  const spent = { at: Date.now(), input, output, ...rest, chat: real };
  recordSpent(stateFolder, spent).catch((error: unknown) => log(`usage: ${error}`));
}

function rememberedTools(app: App, chat: ChatOptions, origin: ChatOrigin): ChatPorts["remembered"] {
  const { stateFolder, notify } = app.options;
  // As of the last reading. Without records, no save waits for reading the files of records.
  let hasRecords = true;
  return {
    async path() {
      const path = chat.path();
      return path === null ? null : realPathNow(path);
    },
    async records() {
      const path = chat.path();
      if (path === null) return [];
      await chat.loaded?.();
      const file = realPathNow(path);
      if (file === null) return [];
      const { records, notices } = await loadRecords(stateFolder, file);
      for (const notice of notices) notify("warn", notice);
      hasRecords = records.length > 0;
      return records;
    },
    async add(records) {
      hasRecords = true;
      const paths = new Set(records.map(({ transcriptPath }) => transcriptPath));
      for (const path of paths) await app.kept(beginTexts(stateFolder, path));
      await app.kept(addRecords(stateFolder, records));
    },
    drop: (records) => dropRecords(stateFolder, records),
    async willWrite(transcript) {
      // The text is saved even if the facts about it cannot be.
      await origin
        .willWrite(transcript)
        .catch((error: unknown) => app.options.log(`origin: ${error}`));
      const path = chat.path();
      if (path === null || !hasRecords) return;
      const file = realPathNow(path);
      if (file === null || (await loadRecords(stateFolder, file)).records.length === 0) return;
      await chat.loaded?.();
      await app.kept(keepText(stateFolder, file, transcript.lines.join("\n")));
    },
  };
}

type WantedIn = (transcript: Transcript) => WantedTools;

/**
 * Asks about servers before a request, since the user who waits for the answer is there to be asked; again only after
 * something changed. A stop does not wait for the user.
 */
function agreement({ servers, toolChanges }: App, wanted: WantedIn) {
  let agreed = "";
  return async (transcript: Transcript, named: readonly string[], signal: AbortSignal) => {
    const { selection } = wanted(transcript);
    toolChanges.look();
    const about = JSON.stringify([selection, named, toolChanges.times]);
    if (about === agreed) return;
    const answers = servers.agree(selection, named).then(() => about);
    agreed = (await unlessAborted(answers, signal)) ?? agreed;
  };
}

/** The tools that a text selects; its header is read again only when it or the configuration has changed. */
function wantedTools(app: App, chat: ChatOptions): WantedIn {
  let known: { readonly for: readonly unknown[]; readonly wanted: WantedTools } | null = null;
  return ({ header }) => {
    const { configuration } = app.now;
    const from = [JSON.stringify(header.entries), configuration];
    if (known?.for.every((one, index) => one === from[index])) return known.wanted;
    const { settings } = chatSettings(header, configuration);
    const selection = chat.tools ?? settings.tools;
    const wanted = { selection, model: formatModelName(modelOf(app, chat, settings)) };
    known = { for: from, wanted };
    return wanted;
  };
}
