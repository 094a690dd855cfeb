/** Everything that goes into one request, from the text and from what its question names. */

import { homedir } from "node:os";
import { join } from "node:path";
import type { ChatTools, OfferedTools } from "../../conversation/chat-tools.ts";
import type { ModelName, ModelRequest, Tool } from "../../conversation/ports.ts";
import { buildMessages } from "../../conversation/request/build-messages.ts";
import {
  type LoadedFile,
  neededFiles,
  sentSteps,
} from "../../conversation/request/needed-files.ts";
import { openState } from "../../conversation/request/provider-state.ts";
import {
  estimateSize,
  type RequestSize,
  tokensOf,
  tokensOfImage,
} from "../../conversation/request/request-size.ts";
import { instructionsText } from "../../conversation/request/server-instructions.ts";
import {
  type ChatSettings,
  chatSettings,
  chosenSampling,
} from "../../conversation/settings/chat-settings.ts";
import { choiceOfRequest, formatModelName } from "../../conversation/settings/model-name.ts";
import {
  builtinGroup,
  parseSelection,
  selectable,
  unknownWords,
} from "../../conversation/settings/tool-selection.ts";
import { toolSearch } from "../../conversation/tool-search.ts";
import type { PreparedRequest, PrepareOptions } from "../../conversation/turn/chat.ts";
import { type ModelFacts, moneyText, shortCount } from "../../conversation/usage.ts";
import { mockServerName } from "../../mcp/mcp-host.ts";
import { sizeText } from "../../shared/counted.ts";
import { given } from "../../shared/given.ts";
import { sha256 } from "../../shared/hash.ts";
import { type AlmostReference, almostReferences } from "../../transcript/references.ts";
import type { Exchange, Reference, Step, Transcript } from "../../transcript/transcript.ts";
import type { Configuration } from "../configuration/options.ts";
import { loadFiles } from "../references/files.ts";
import {
  type ReadContent,
  type ReadPorts,
  type ReadReferences,
  readReferences,
} from "../references/read-references.ts";
import type { ResourceSource } from "../references/read-resource.ts";
import { type ReadRules, readRulesFiles } from "../references/rules-files.ts";

/** What the requests of one chat are made from. */
export interface RequestSources {
  readonly configuration: Configuration;
  readonly tools: ChatTools;
  /** In place of the tool selection of the header and the configuration; null: there is none. */
  readonly selection: string | null;
  /** The servers there are, by their names in a tool selection. */
  readonly servers: readonly string[];
  readonly resources: ResourceSource;
  readonly around: ReadPorts["around"];
  readonly workingDirectory: string;
  /** Of the transcript; null while it has none. */
  readonly path: string | null;
  confirm(question: string): Promise<boolean>;
  /** References that the person was asked about already, as written; absent: none. */
  readonly decided?: ReadonlyMap<string, boolean>;
  /** A remark for the person. */
  tell(message: string): void;
  modelOf(settings: ChatSettings): ModelName;
  /** A sentence to show once when the model is only a fallback. */
  offlineNotice(model: ModelName, settings: ChatSettings): readonly string[];
  /** Whether the hint at tools was never given before; it counts as given. */
  isFirstHint(): boolean;
  /** Context window and price. */
  factsOf(model: ModelName): Promise<ModelFacts>;
  /** The local secret, if one was made; without it no provider state in the text can be ours. */
  findSecret(): Promise<string | null>;
}

export interface PrepareHow extends PrepareOptions {
  /** False for a preview: nothing is fetched, asked or written; what needs that is sent as written. */
  readonly online: boolean;
}

/** Reads the question's files, lists the tools and builds the messages. What could not be had is in the notices. */
export async function prepareRequest(
  sources: RequestSources,
  transcript: Transcript,
  exchange: Exchange,
  how: PrepareHow,
): Promise<PreparedRequest> {
  const { settings } = chatSettings(transcript.header, sources.configuration);
  const model = sources.modelOf(settings);
  const [offered, files, facts, rules] = await Promise.all([
    sources.tools.look(transcript),
    readFiles(sources, transcript, exchange, settings, how),
    sources.factsOf(model),
    readRules(sources, settings, how),
  ]);
  const wasRead = files.read.length === 0 ? [] : [readText(files.read, facts)];
  if (how.online) for (const text of wasRead) sources.tell(`Read for the question: ${text}`);
  const all = [...offered.tools.values()];
  const search = toolSearch(all, () => stepsAbove(transcript, exchange, how), settings.tool_search);
  const tools = search?.tools ?? all;
  const isBare = all.length === 0 && hasNeverHadTools(sources, transcript, settings, model);
  const openSealed = await stateOpener(sources, exchange, model);
  const { messages, notices } = buildMessages(transcript, {
    exchange,
    files: files.loaded,
    maxFullExchanges: settings.max_full_exchanges,
    copies: files.copies,
    openState: openSealed,
    ...given({ steps: how.steps }),
  });
  const isFirst = isFirstRequest(exchange, how);
  const ofRules = isFirst ? rulesNotices(rules) : [];
  if (how.online) for (const notice of ofRules) sources.tell(notice);
  const hasCopies = Object.keys(files.copies).length > 0;
  const request = {
    ...buildRequest(settings, isFirst, { model, messages, tools }),
    system: systemText(settings, offered, rules.text),
    ...cacheKeyOf(sources.path),
  };
  const size = estimateSize(request);
  return {
    request,
    size,
    facts,
    label: settings.label ?? model.id,
    model: formatModelName(model),
    files: isFirst && hasCopies ? files.copies : null,
    references: isFirst ? sizesOf(files) : [],
    offered,
    search,
    answered: () => {
      if (how.online && isBare && sources.isFirstHint()) sources.tell(toolsHint);
    },
    notices: [
      ...sources.offlineNotice(model, settings),
      ...selectionNotices(sources, settings, all),
      ...offered.notices,
      ...(how.online ? [] : ofRules),
      ...(how.online ? [] : wasRead.map((text) => `Read for this preview: ${text}`)),
      ...files.notices,
      ...notices,
      ...contextNotices(request, size, facts.contextWindow),
    ],
  };
}

/** How long the texts are that the question refers to, by the references as written. */
function sizesOf({ copies, loaded }: Awaited<ReturnType<typeof readFiles>>) {
  return Object.entries(copies).flatMap(([source, name]) => {
    const file = loaded.get(name);
    return file?.kind === "text" ? [{ source, tokens: tokensOf(file.text) }] : [];
  });
}

const toolsHint =
  "This chat has no tools. `tools: mock` in the header tries a whole turn; `:help parley-mcp` adds real tools.";

/** A new chat with a real model, of somebody who chose no tools and has no servers. */
function hasNeverHadTools(
  { selection, servers }: RequestSources,
  { exchanges }: Transcript,
  settings: ChatSettings,
  { provider }: ModelName,
): boolean {
  const isOwn = servers.some((name) => name !== builtinGroup && name !== mockServerName);
  const isChosen =
    selection !== null || settings.tools !== null || settings.server_tools.length > 0;
  return exchanges.length === 1 && provider !== "mock" && !isOwn && !isChosen;
}

/** Of all exchanges that stand above, in full or not, and of the answer as far as it is sent. */
function stepsAbove(
  { exchanges }: Transcript,
  exchange: Exchange,
  { fresh, steps }: PrepareOptions,
): readonly Step[] {
  const above = exchanges.slice(0, exchange.index).flatMap(({ answer }) => answer?.steps ?? []);
  const own = fresh ? [] : (exchange.answer?.steps.slice(0, sentSteps(exchange, steps)) ?? []);
  return [...above, ...own];
}

function systemText(
  { system_prompt }: ChatSettings,
  { instructions, tools }: OfferedTools,
  rules: string,
) {
  const parts = [system_prompt, rules, instructionsText(instructions, [...tools.values()])];
  return parts.filter((text) => text !== "").join("\n\n");
}

/** A vendor gets to know which requests are of one chat, and not where it is. */
function cacheKeyOf(path: string | null): Pick<ModelRequest, "cacheKey"> {
  if (path === null) return {};
  return { cacheKey: sha256(path).slice(0, 32) };
}

/** A sentence for each word of the tool selection that means none. */
function selectionNotices(
  { selection: own, servers }: RequestSources,
  settings: ChatSettings,
  tools: readonly Tool[],
): readonly string[] {
  const wanted = own ?? settings.tools;
  if (wanted === null) return [];
  const { selection, problems } = parseSelection(wanted);
  const unknown = unknownWords(selection, tools.map(selectable), servers);
  // Those of the header and of the configuration are told at their lines.
  return own === null ? unknown : [...problems, ...unknown];
}

/** Most chats carry no provider state; for those no secret is looked for. */
async function stateOpener(sources: RequestSources, exchange: Exchange, model: ModelName) {
  const isSealed = exchange.answer?.steps.some(({ record }) => record.state !== undefined) ?? false;
  const secret = isSealed ? await sources.findSecret() : null;
  return (step: Step) => (secret === null ? undefined : openState(step, model, secret));
}

function buildRequest(
  settings: ChatSettings,
  isFirst: boolean,
  parts: Pick<ModelRequest, "model" | "messages" | "tools">,
): ModelRequest {
  const { tool_choice, tool_protocol, server_tools } = settings;
  return {
    ...parts,
    system: settings.system_prompt,
    ...given({
      toolChoice: tool_choice === null ? null : choiceOfRequest(tool_choice, isFirst),
      parallelToolCalls: settings.parallel_tool_calls,
      toolProtocol: tool_protocol === "auto" ? null : tool_protocol,
      maxOutputTokens: settings.max_tokens,
      reasoningEffort: settings.reasoning_effort,
      sampling: chosenSampling(settings),
      serverTools: server_tools.length === 0 ? null : server_tools,
    }),
  };
}

/** The request that begins an answer. */
function isFirstRequest(exchange: Exchange, { steps, fresh }: PrepareHow): boolean {
  return sentSteps(exchange, steps) === 0 || fresh;
}

async function readFiles(
  sources: RequestSources,
  transcript: Transcript,
  exchange: Exchange,
  { max_full_exchanges: maxFullExchanges }: ChatSettings,
  how: PrepareHow,
) {
  const needed = neededFiles(transcript, exchange, {
    maxFullExchanges,
    fresh: how.fresh,
    ...given({ steps: how.steps }),
  });
  const { path } = sources;
  const stored = path === null ? nothingStored : await loadFiles(path, needed.names);
  const { meant, notices } = await withoutText(sources.resources, needed.reads);
  const isFirst = isFirstRequest(exchange, how);
  const almost = isFirst ? almostReferences(exchange.question.text) : [];
  const read = await readNow(sources, meant, how);
  return {
    loaded: new Map([...stored.files, ...read.files]),
    copies: { ...needed.copies, ...read.copies },
    read: read.read,
    notices: [...stored.notices, ...notices, ...almost.map(almostText), ...read.notices],
  };
}

const almostText = ({ written, meant }: AlmostReference) =>
  `${written} names no file, so it is sent as written; ${meant} would send one.`;

/** What reads like a resource is one only when its server is there; else it is text, which is told where it looks like none. */
async function withoutText(resources: ResourceSource, reads: readonly Reference[]) {
  const isResource = ({ kind }: Reference) => kind === "resource";
  const names = reads.some(isResource) ? await resources.names() : [];
  const isUnknown = (reference: Reference) =>
    isResource(reference) && !names.includes(reference.label);
  return {
    meant: reads.filter((reference) => !isUnknown(reference)),
    notices: reads
      .filter((reference) => isUnknown(reference) && reference.target.includes("://"))
      .map(
        ({ label, source }) =>
          `There is no MCP server ${JSON.stringify(label)}, so ${source} is sent as written.`,
      ),
  };
}

const nothingStored = { files: new Map(), notices: [] };
const nothingRead: ReadReferences = { copies: {}, files: new Map(), read: [], notices: [] };

async function readNow(
  { path, workingDirectory, resources, around, confirm, decided = new Map() }: RequestSources,
  references: readonly Reference[],
  { online, signal }: PrepareHow,
): Promise<ReadReferences> {
  if (references.length === 0) return nothingRead;
  if (path === null && online) {
    const notice =
      "The chat has no file yet, so the files its question names cannot be kept beside it; they are sent as written. Save it (:write) and respond again.";
    return { ...nothingRead, notices: [notice] };
  }
  const roots = {
    workingFolder: workingDirectory,
    transcriptPath: path ?? join(workingDirectory, "chat.md"),
    home: homedir(),
  };
  const ports = { confirm, decided, resources, around, online, signal };
  return readReferences(references, roots, ports);
}

function readRules(
  { configuration, around, workingDirectory }: RequestSources,
  { rules_files }: ChatSettings,
  { signal }: PrepareHow,
): Promise<ReadRules> {
  return readRulesFiles(rules_files, {
    ...around,
    signal,
    workingFolder: workingDirectory,
    home: homedir(),
    own: new Set(configuration.rules_files),
  });
}

/** Rules are never sent without a word. */
function rulesNotices({ read, unread }: ReadRules): readonly string[] {
  const tokens = tokensOf(read.map(({ text }) => text).join(""));
  const sent = `Rules sent with every request: ${read.map(({ name }) => name).join(", ")}, about ${shortCount(tokens)} tokens`;
  return [
    ...(read.length === 0 ? [] : [sent]),
    ...(unread.length === 0 ? [] : [`Rules that are not sent: ${unread.join("; ")}.`]),
  ];
}

/** What was read for a question, how large it is and what it costs to send it once. */
function readText(read: readonly ReadContent[], { price }: ModelFacts): string {
  const sizes = read.map(({ name, content }) => ({ name, ...contentSize(content) }));
  const each = sizes.map(({ name, bytes }) => `${name} (${sizeText(bytes)})`);
  const tokens = sizes.reduce((sum, size) => sum + size.tokens, 0);
  const known = price(tokens);
  const money = known === null ? "" : `, ${moneyText((tokens * known.input) / 1_000_000)}`;
  const all = `${read.length > 1 ? "; all of it " : ", "}about ${shortCount(tokens)} tokens${money}`;
  return `${each.join(", ")}${all}`;
}

function contentSize(content: LoadedFile): { readonly bytes: number; readonly tokens: number } {
  if (content.kind === "image") {
    return { bytes: Math.round(content.data.length * 0.75), tokens: tokensOfImage };
  }
  const { text } = content;
  return { bytes: Buffer.byteLength(text), tokens: tokensOf(text) };
}

const toolsShare = 0.05;
const requestShare = 0.8;

/** Sentences for the person; none when the window is not known. They do not change as the chat grows. */
function contextNotices(
  request: ModelRequest,
  size: RequestSize,
  contextWindow: number | null,
): readonly string[] {
  if (contextWindow === null) return [];
  const model = formatModelName(request.model);
  const notices: string[] = [];
  if (size.tools > contextWindow * toolsShare) {
    notices.push(
      `The descriptions of the ${request.tools.length} tools take about ${size.tools} tokens of every request, more than 5 % of the context window of ${model} (${contextWindow}). Offer fewer by tools: in the header.`,
    );
  }
  if (size.all > contextWindow * requestShare) {
    notices.push(
      `This chat nears the context window of ${model} (${contextWindow} tokens). Lower max_full_exchanges in the header, so that older exchanges are sent as their summaries, or begin a new chat.`,
    );
  }
  return notices;
}
