/** Makes one request from the text and from what its question names. */

import type { ChatTools, OfferedTools } from "../../conversation/chat-tools.ts";
import type { ModelName, ModelRequest } from "../../conversation/ports.ts";
import { buildMessages } from "../../conversation/request/build-messages.ts";
import { sentSteps } from "../../conversation/request/needed-files.ts";
import { openState } from "../../conversation/request/provider-state.ts";
import { estimateSize } from "../../conversation/request/request-size.ts";
import { instructionsText } from "../../conversation/request/server-instructions.ts";
import {
  type ChatSettings,
  chatSettings,
  chosenSampling,
} from "../../conversation/settings/chat-settings.ts";
import { formatModelName } from "../../conversation/settings/model-name.ts";
import { toolChoiceOfRequest } from "../../conversation/settings/tool-choice.ts";
import { toolSearch } from "../../conversation/tool-search.ts";
import type { PreparedRequest, PrepareOptions } from "../../conversation/turn/chat.ts";
import type { ModelFacts } from "../../conversation/usage.ts";
import { given } from "../../shared/given.ts";
import { sha256 } from "../../shared/hash.ts";
import { homeFolder } from "../../system/standard-folders.ts";
import type { Exchange, Step, Transcript } from "../../transcript/transcript.ts";
import type { Configuration } from "../configuration/options.ts";
import { type ReadRules, readRulesFiles } from "../references/rules-files.ts";
import {
  isFirstRequest,
  type PrepareHow,
  type QuestionSources,
  readQuestionFiles,
  sizesOf,
} from "./question-files.ts";
import {
  type ChosenTools,
  contextNotices,
  hasNeverHadTools,
  readFilesText,
  rulesNotices,
  selectionNotices,
  toolsHint,
} from "./request-notices.ts";

/** What the requests of one chat are made from. */
export interface RequestSources extends QuestionSources, ChosenTools {
  readonly configuration: Configuration;
  readonly tools: ChatTools;
  /** Shows a notice to the user. */
  notice(message: string): void;
  modelOf(settings: ChatSettings): ModelName;
  /** A sentence to show once when the model is only a fallback. */
  offlineNotice(model: ModelName, settings: ChatSettings): readonly string[];
  /** Whether the hint about tools was never shown before; this call counts as showing it. */
  isFirstHint(): boolean;
  /** Context window and price. */
  factsOf(model: ModelName): Promise<ModelFacts>;
  /** The local secret, if one was made. Without it, provider state in the text cannot come from this machine. */
  findSecret(): Promise<string | null>;
}

/** Reads the question's files, lists the tools and builds the messages. The notices say what could not be read. */
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
    readQuestionFiles(sources, transcript, exchange, settings.max_full_exchanges, how),
    sources.factsOf(model),
    readRules(sources, settings, how),
  ]);
  const wasRead = files.read.length === 0 ? [] : [readFilesText(files.read, facts)];
  if (how.online) for (const text of wasRead) sources.notice(`Read for the question: ${text}`);
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
  if (how.online) for (const notice of ofRules) sources.notice(notice);
  const hasCopies = Object.keys(files.copies).length > 0;
  const system = systemText(settings, offered, rules.text);
  const parts = { model, messages, tools, system, ...cacheKeyOf(sources.path) };
  const request = buildRequest(settings, isFirst, parts);
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
      if (how.online && isBare && sources.isFirstHint()) sources.notice(toolsHint);
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

/** The steps of all exchanges above, sent in full or not, and those of the current answer that are sent. */
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

/** Lets a vendor see which requests belong to one chat, without its path. */
function cacheKeyOf(path: string | null): Pick<ModelRequest, "cacheKey"> {
  if (path === null) return {};
  return { cacheKey: sha256(path).slice(0, 32) };
}

/** Most chats contain no provider state; for those no secret is looked up. */
async function stateOpener(sources: RequestSources, exchange: Exchange, model: ModelName) {
  const isSealed = exchange.answer?.steps.some(({ record }) => record.state !== undefined) ?? false;
  const secret = isSealed ? await sources.findSecret() : null;
  return (step: Step) => (secret === null ? undefined : openState(step, model, secret));
}

/** The request with what the settings say about it. `isFirst`: the first one of a turn. */
export function buildRequest(
  settings: ChatSettings,
  isFirst: boolean,
  parts: ModelRequest,
): ModelRequest {
  const { tool_choice, tool_protocol, server_tools } = settings;
  return {
    ...parts,
    ...given({
      toolChoice: tool_choice === null ? null : toolChoiceOfRequest(tool_choice, isFirst),
      parallelToolCalls: settings.parallel_tool_calls,
      toolProtocol: tool_protocol === "auto" ? null : tool_protocol,
      maxOutputTokens: settings.max_tokens,
      reasoningEffort: settings.reasoning_effort,
      sampling: chosenSampling(settings),
      serverTools: server_tools.length === 0 ? null : server_tools,
    }),
  };
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
    home: homeFolder(),
    own: new Set(configuration.rules_files),
  });
}
