/** What holds for one chat: the configuration, and over it the chat's own header (format, section 3). */
import { problemAt } from "../../transcript/problems.ts";
import type { Header, HeaderEntry, Problem } from "../../transcript/transcript.ts";
import {
  type ModelName,
  type ReasoningEffort,
  reasoningEfforts,
  type ToolChoice,
} from "../ports.ts";
import { type ToolProtocol, toolProtocols } from "../proposed-call.ts";
import type { AgentConfiguration, Configuration } from "./configuration.ts";
import { formatModelName, parseModelName } from "./model-name.ts";
import { parseSelection } from "./tool-selection.ts";

export interface ChatSettings {
  /** Null: none. */
  readonly agent: string | null;
  /** For the `🤖:` line; null: the model's id. */
  readonly label: string | null;
  /** Null when the file has none; `?` asks for one. */
  readonly topic: string | null;
  readonly tags: readonly string[];
  /** Null: chosen by the API keys that are there. */
  readonly model: ModelName | null;
  readonly systemPrompt: string;
  /** A tool selection; see `Configuration.tools` for null. */
  readonly tools: string | null;
  readonly toolChoice: ToolChoice | null;
  readonly parallelToolCalls: boolean | null;
  readonly maxFullExchanges: number;
  /** In tokens; null: the model's own limit. */
  readonly maxTokens: number | null;
  /** Null: the model's own. */
  readonly reasoningEffort: ReasoningEffort | null;
  readonly temperature: number | null;
  readonly topP: number | null;
  /** Tools that the vendor runs itself. */
  readonly serverTools: readonly string[];
  readonly toolProtocol: ToolProtocol;
}

export interface ReadSettings {
  readonly settings: ChatSettings;
  /** Values that cannot be used, at their lines; for those the configured value holds. */
  readonly problems: readonly Problem[];
}

/** What one header line makes of the settings, or why it cannot be used. */
type Reading = ChatSettings | { readonly unusable: string };

type Reader = (settings: ChatSettings, entry: HeaderEntry, header: Header) => Reading;

export function chatSettings(header: Header, configuration: Configuration): ReadSettings {
  const chosen = chosenAgent(header, configuration);
  const withAgent = readHeader(header, { ...configuration, ...chosen.agent }, chosen);
  const { model } = withAgent.settings;
  const ofModel = model && configuration.models[formatModelName(model)];
  if (!ofModel) return withAgent;
  return readHeader(header, { ...configuration, ...ofModel, ...chosen.agent }, chosen);
}

interface ChosenAgent {
  readonly name: string | null;
  readonly agent: AgentConfiguration | null;
  readonly problems: readonly Problem[];
}

const noAgent: ChosenAgent = { name: null, agent: null, problems: [] };

/** The header's, else the configured one. */
function chosenAgent(header: Header, { agent: configured, agents }: Configuration): ChosenAgent {
  const entry = header.entries.findLast(({ key, form }) => {
    return key === "agent" && form !== "unreadable" && form !== "list";
  });
  const name = entry?.value ?? configured;
  if (name === null || name === "none" || name === "") return noAgent;
  const agent = Object.hasOwn(agents, name) ? agents[name] : undefined;
  if (agent !== undefined) return { name, agent, problems: [] };
  if (entry === undefined) return noAgent;
  const known = Object.keys(agents).toSorted().join(", ");
  const there = known === "" ? "None is configured." : `There are: ${known}.`;
  const message = `There is no agent ${JSON.stringify(name)} in the configuration. ${there} The chat goes on without one.`;
  return { ...noAgent, problems: [warning(entry, message)] };
}

function readHeader(
  header: Header,
  configuration: Configuration,
  { name, agent, problems: first }: ChosenAgent,
): ReadSettings {
  const problems: Problem[] = [...first];
  let settings: ChatSettings = {
    ...configuredSettings(configuration),
    agent: name,
    label: agent?.label ?? null,
  };
  for (const entry of header.entries) {
    const read = readers.get(entry.key)?.(settings, entry, header);
    if (read === undefined && entry.key !== "agent") continue;
    const unusable = unusableForm(entry) ?? (read && "unusable" in read ? read.unusable : null);
    if (unusable !== null) {
      problems.push(warning(entry, `${unusable} The configured value of ${entry.key} holds.`));
      continue;
    }
    if (entry.reason !== null) problems.push(warning(entry, takenAsWritten(entry)));
    if (read !== undefined && !("unusable" in read)) settings = read;
    if (entry.key === "tools") {
      problems.push(...parseSelection(entry.value).problems.map((text) => warning(entry, text)));
    }
  }
  return { settings, problems };
}

/** A sentence when the way a value is written says that it is none for this key. */
function unusableForm({ key, form, reason }: HeaderEntry): string | null {
  if (form === "unreadable") return `The value of ${key} cannot be read as YAML (${reason}).`;
  return form === "list" && !listKeys.has(key) ? `${key} is one text, not a list.` : null;
}

function takenAsWritten({ key, reason }: HeaderEntry): string {
  return `The value of ${key} cannot be read as YAML (${reason}). It is taken as it is written.`;
}

/** Keys whose value may be a list, or a text with commas. */
const listKeys: ReadonlySet<string> = new Set(["tags", "tools", "server_tools"]);

function warning({ line }: HeaderEntry, message: string): Problem {
  return problemAt(line, "unusable-header-value", message);
}

function configuredSettings(configuration: Configuration): ChatSettings {
  const choice = configuration.tool_choice;
  return {
    agent: null,
    label: null,
    topic: null,
    tags: [],
    model: configuration.model === null ? null : parseModelName(configuration.model),
    systemPrompt: configuration.system_prompt,
    tools: configuration.tools,
    toolChoice: choice === null ? null : toolChoice(choice),
    parallelToolCalls: configuration.parallel_tool_calls,
    maxFullExchanges: configuration.max_full_exchanges,
    maxTokens: configuration.max_tokens,
    reasoningEffort: configuration.reasoning_effort,
    temperature: configuration.temperature,
    topP: configuration.top_p,
    serverTools: configuration.server_tools,
    toolProtocol: configuration.tool_protocol,
  };
}

function readTags(settings: ChatSettings, { value, append }: HeaderEntry): ChatSettings {
  const tags = words(value);
  return { ...settings, tags: append ? [...settings.tags, ...tags] : tags };
}

function words(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((word) => word !== "");
}

/** `none`, or nothing, switches off what the configuration has on. */
function readServerTools(settings: ChatSettings, { value, append }: HeaderEntry): ChatSettings {
  const named = words(value).filter((word) => word !== "none");
  const serverTools = append ? [...new Set([...settings.serverTools, ...named])] : named;
  return { ...settings, serverTools };
}

const readModel: Reader = (settings, { value }, header) => {
  const provider = lastValue(header, "provider");
  const model = provider === null ? parseModelName(value) : pairedModel(provider, value);
  if (model !== null) return { ...settings, model };
  return {
    unusable: `${JSON.stringify(value)} names no model: write provider/model-id, such as mock/demo.`,
  };
};

/** The older form has two lines; the line with the model reads both. */
const readProvider: Reader = (settings, { value }, header) => {
  if (lastValue(header, "model") !== null) return settings;
  return {
    unusable: `${JSON.stringify(value)} is a provider without a model: write model: ${value}/model-id.`,
  };
};

function pairedModel(provider: string, value: string): ModelName | null {
  const id = value.startsWith(`${provider}/`) ? value.slice(provider.length + 1) : value;
  return parseModelName(`${provider}/${id}`);
}

function lastValue(header: Header, key: string): string | null {
  return header.entries.findLast((entry) => entry.key === key)?.value ?? null;
}

function readSystemPrompt(
  settings: ChatSettings,
  { value, append, form }: HeaderEntry,
): ChatSettings {
  // On one line, breaks are written like this; the Lua Parley does so too.
  const text = form === "block" ? value : value.replaceAll("\\n", "\n");
  const systemPrompt = append ? `${settings.systemPrompt}\n${text}` : text;
  return { ...settings, systemPrompt: systemPrompt.trim() };
}

/** Words that cannot be read are passed over: falling back on the configuration could offer more than was asked. */
function readTools(settings: ChatSettings, { value, append }: HeaderEntry): ChatSettings {
  return { ...settings, tools: append ? `${settings.tools ?? "*"}, ${value}` : value };
}

const readToolChoice: Reader = (settings, { value }) => {
  const choice = toolChoice(value);
  if (choice !== null) return { ...settings, toolChoice: choice };
  return {
    unusable: `${JSON.stringify(value)} is no tool choice: write auto, required, none or the name of a tool.`,
  };
};

/** Null when the text is none. */
export function toolChoice(text: string): ToolChoice | null {
  if (text === "auto" || text === "required" || text === "none") return text;
  return /^[A-Za-z0-9_.:/-]+$/.test(text) ? { tool: text } : null;
}

const readParallelToolCalls: Reader = (settings, { value }) => {
  if (value === "true" || value === "false") {
    return { ...settings, parallelToolCalls: value === "true" };
  }
  return { unusable: `${JSON.stringify(value)} is neither true nor false.` };
};

const readToolProtocol: Reader = (settings, { value }) => {
  const toolProtocol = toolProtocols.find((known) => known === value);
  if (toolProtocol !== undefined) return { ...settings, toolProtocol };
  return {
    unusable: `${JSON.stringify(value)} is no tool protocol: write one of ${toolProtocols.join(", ")}.`,
  };
};

const readReasoningEffort: Reader = (settings, { value }) => {
  const reasoningEffort = reasoningEfforts.find((known) => known === value);
  if (reasoningEffort !== undefined) return { ...settings, reasoningEffort };
  return {
    unusable: `${JSON.stringify(value)} is no reasoning effort: write one of ${reasoningEfforts.join(", ")}.`,
  };
};

const readTemperature: Reader = (settings, { value }) => {
  const temperature = decimal(value);
  if (temperature !== null && temperature <= 2) return { ...settings, temperature };
  return { unusable: `${JSON.stringify(value)} is no temperature: write a number from 0 to 2.` };
};

const readTopP: Reader = (settings, { value }) => {
  const topP = decimal(value);
  if (topP !== null && topP > 0 && topP <= 1) return { ...settings, topP };
  return { unusable: `${JSON.stringify(value)} is no top_p: write a number above 0 and up to 1.` };
};

function decimal(text: string): number | null {
  return /^\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text) : null;
}

const readMaxFullExchanges: Reader = (settings, { value }) => {
  const number = wholeNumber(value);
  if (number !== null) return { ...settings, maxFullExchanges: number };
  return { unusable: `${JSON.stringify(value)} is no number of exchanges: write 0 or more.` };
};

const readMaxTokens: Reader = (settings, { value }) => {
  const number = wholeNumber(value);
  if (number !== null && number > 0) return { ...settings, maxTokens: number };
  return { unusable: `${JSON.stringify(value)} is no number of tokens: write 1 or more.` };
};

function wholeNumber(text: string): number | null {
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}

const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["topic", (settings, { value }) => ({ ...settings, topic: value })],
  ["tags", readTags],
  ["model", readModel],
  ["provider", readProvider],
  ["system_prompt", readSystemPrompt],
  ["role", readSystemPrompt],
  ["tools", readTools],
  ["tool_choice", readToolChoice],
  ["parallel_tool_calls", readParallelToolCalls],
  ["tool_protocol", readToolProtocol],
  ["max_full_exchanges", readMaxFullExchanges],
  ["max_tokens", readMaxTokens],
  ["reasoning_effort", readReasoningEffort],
  ["temperature", readTemperature],
  ["top_p", readTopP],
  ["server_tools", readServerTools],
]);
