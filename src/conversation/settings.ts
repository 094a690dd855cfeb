/** What holds for one chat: the configuration, and over it the chat's own header (format, section 3). */
import { problemAt } from "../transcript/problems.ts";
import type { Header, HeaderEntry, Problem } from "../transcript/types.ts";
import type { Configuration } from "./configuration.ts";
import { parseModelName } from "./model-name.ts";
import { parseSelection } from "./tool-selection.ts";
import type { ModelName, ToolChoice } from "./types.ts";

export interface ChatSettings {
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
  const problems: Problem[] = [];
  let settings = configuredSettings(configuration);
  for (const entry of header.entries) {
    const read = readers.get(entry.key)?.(settings, entry, header);
    if (read === undefined) continue;
    if ("unusable" in read) {
      problems.push(warning(entry, `${read.unusable} The configured value of ${entry.key} holds.`));
    } else settings = read;
    if (entry.key === "tools") {
      problems.push(...parseSelection(entry.value).problems.map((text) => warning(entry, text)));
    }
  }
  return { settings, problems };
}

function warning({ line }: HeaderEntry, message: string): Problem {
  return problemAt(line, "unusable-header-value", message);
}

function configuredSettings(configuration: Configuration): ChatSettings {
  const choice = configuration.tool_choice;
  return {
    topic: null,
    tags: [],
    model: configuration.model === null ? null : parseModelName(configuration.model),
    systemPrompt: configuration.system_prompt,
    tools: configuration.tools,
    toolChoice: choice === null ? null : toolChoice(choice),
    parallelToolCalls: configuration.parallel_tool_calls,
    maxFullExchanges: configuration.max_full_exchanges,
    maxTokens: configuration.max_tokens,
  };
}

function readTags(settings: ChatSettings, { value, append }: HeaderEntry): ChatSettings {
  const tags = value.split(/[\s,]+/).filter((tag) => tag !== "");
  return { ...settings, tags: append ? [...settings.tags, ...tags] : tags };
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

function readSystemPrompt(settings: ChatSettings, { value, append }: HeaderEntry): ChatSettings {
  // A header value is one line; the Lua Parley writes line breaks in it like this.
  const text = value.replaceAll("\\n", "\n");
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
  if (value === "native" || value === "auto") return settings;
  return {
    unusable: `The tool protocol ${JSON.stringify(value)} is not there: only native (or auto) can be used.`,
  };
};

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
]);
