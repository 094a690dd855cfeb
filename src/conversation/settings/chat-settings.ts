/** The settings of one chat: the configuration, overridden by the chat's own header (format, section 3). */
import { ownValue } from "../../shared/json.ts";
import { nearestWord } from "../../shared/nearest.ts";
import { problemAt } from "../../transcript/problems.ts";
import type { Header, HeaderEntry, Problem } from "../../transcript/transcript.ts";
import type { ModelName, ToolChoice } from "../ports.ts";
import {
  type agentOptions,
  type chatOptions,
  headerDefaults,
  headerOptions,
  type modelOptions,
  samplingNames,
} from "./chat-options.ts";
import { formatModelName, parseModelName } from "./model-name.ts";
import type { GivenOptions, Option, OptionValues, SetBy } from "./option.ts";
import { parseToolChoice } from "./tool-choice.ts";
import { parseSelection } from "./tool-selection.ts";

/** Settings of a chat that belong together; an absent one is as configured. */
export type Preset = GivenOptions<typeof modelOptions>;

/** A preset with a name, which a chat chooses by `agent:` in its header. */
export type AgentConfiguration = GivenOptions<typeof agentOptions>;

type Values = OptionValues<typeof headerOptions>;

/** What the configuration sets for chats. */
export interface ChatConfiguration
  extends OptionValues<SetBy<typeof chatOptions, "configuration">> {
  /** The agent of chats whose header names none; null: none. */
  readonly agent: string | null;
  /** By name. */
  readonly agents: Readonly<Record<string, AgentConfiguration>>;
  /** Settings for one model wherever it is used, by `provider/id`; an agent and a header override them. */
  readonly models: Readonly<Record<string, Preset>>;
}

export interface ChatSettings extends Omit<Values, "model" | "tool_choice"> {
  /** Null: none. */
  readonly agent: string | null;
  /** For the `🤖:` line; null: the model's id. */
  readonly label: string | null;
  /** Null: chosen by the API keys that are available. */
  readonly model: ModelName | null;
  readonly tool_choice: ToolChoice | null;
}

export interface ReadSettings {
  readonly settings: ChatSettings;
  /** Values that cannot be used, with their lines; the configured value applies in their place. */
  readonly problems: readonly Problem[];
}

const rows: ReadonlyMap<string, Option> = new Map<string, Option>(Object.entries(headerOptions));

/** Aliases of keys. The older pair of `provider:` and `model:` is read with the model. */
const aliases: ReadonlyMap<string, string> = new Map([
  ["role", "system_prompt"],
  ["rules", "rules_files"],
]);

/** Every key that a header may have here. */
export const headerKeys: readonly string[] = [
  ...rows.keys(),
  ...aliases.keys(),
  "provider",
  "agent",
];

/** Every drawing, key and request needs the settings, and a header is the same object until its lines change. */
const lastRead = new WeakMap<
  Header,
  { readonly by: ChatConfiguration; readonly read: ReadSettings }
>();

export function chatSettings(header: Header, configuration: ChatConfiguration): ReadSettings {
  const last = lastRead.get(header);
  if (last?.by === configuration) return last.read;
  const read = readSettings(header, configuration);
  lastRead.set(header, { by: configuration, read });
  return read;
}

function readSettings(header: Header, configuration: ChatConfiguration): ReadSettings {
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

/** The agent of the header, else the configured one. */
function chosenAgent(
  header: Header,
  { agent: configured, agents }: ChatConfiguration,
): ChosenAgent {
  const entry = header.entries.findLast((each) => each.key === "agent" && wrongForm(each) === null);
  const name = entry?.value ?? configured;
  if (name === null || name === "none" || name === "") return noAgent;
  const agent = ownValue(agents, name);
  if (agent !== undefined) return { name, agent, problems: [] };
  if (entry === undefined) return noAgent;
  const known = Object.keys(agents).toSorted().join(", ");
  const there = known === "" ? "None is configured." : `There are: ${known}.`;
  const message = `There is no agent ${JSON.stringify(name)} in the configuration. ${there} The chat continues without one.`;
  return { ...noAgent, problems: [warning(entry, message)] };
}

function readHeader(
  header: Header,
  configured: ChatConfiguration,
  { name, agent, problems: first }: ChosenAgent,
): ReadSettings {
  const problems: Problem[] = [...first];
  let values: Values = { ...headerDefaults, ...configuredValues(configured) };
  for (const entry of header.entries) {
    const key = aliases.get(entry.key) ?? entry.key;
    problems.push(...remarks(entry, header));
    const row = rows.get(key);
    if (row?.header === undefined || wrongForm(entry) !== null) continue;
    const checked = row.schema.safeParse(row.header.read(entry, header));
    if (checked.success) {
      const { [key as keyof Values]: before } = values;
      const value = entry.append ? row.header.append?.(before, checked.data) : undefined;
      values = { ...values, [key]: value ?? checked.data };
    } else {
      const why = checked.error.issues[0]?.message ?? "";
      const message = `${JSON.stringify(entry.value)} cannot be used as ${entry.key}: ${why}.`;
      problems.push(warning(entry, `${message} The configured value is used.`));
    }
  }
  const { model, tool_choice } = values;
  const settings: ChatSettings = {
    ...values,
    model: model === null ? null : parseModelName(model),
    tool_choice: tool_choice === null ? null : parseToolChoice(tool_choice),
    agent: name,
    label: agent?.label ?? null,
  };
  return { settings, problems };
}

/** The part of the configuration that a header could set too. */
function configuredValues(configured: ChatConfiguration): Partial<Values> {
  return Object.fromEntries(Object.entries(configured).filter(([key]) => rows.has(key)));
}

/** The chosen sampling options by the vendors' names; null: none. */
export function chosenSampling(settings: ChatSettings): Readonly<Record<string, number>> | null {
  const chosen = samplingNames.flatMap((name) => {
    const { [name]: value } = settings;
    return value === null ? [] : [[name, value] as const];
  });
  return chosen.length === 0 ? null : Object.fromEntries(chosen);
}

/** Remarks about an entry that do not depend on the meaning of its value. */
function remarks(entry: HeaderEntry, header: Header): Problem[] {
  const { key, value, reason } = entry;
  if (!headerKeys.includes(key)) {
    // In chats of the Lua version of Parley, `file` is the name of the chat.
    const nearest = key === "file" ? null : nearestWord(key, headerKeys);
    if (nearest === null) return [];
    return [warning(entry, `There is no setting ${key}; did you mean ${nearest}?`)];
  }
  const wrong = wrongForm(entry);
  if (wrong !== null) return [warning(entry, `${wrong} The configured value is used.`)];
  if (reason !== null) {
    const message = `The value of ${key} cannot be read as YAML (${reason}). It is used as written.`;
    return [warning(entry, message)];
  }
  if (key === "tools") return parseSelection(value).problems.map((text) => warning(entry, text));
  if (key !== "provider" || header.entries.some((other) => other.key === "model")) return [];
  const message = `${JSON.stringify(value)} is a provider without a model: write model: ${value}/model-id. The configured value is used.`;
  return [warning(entry, message)];
}

/** Returns a sentence when the way a value is written makes it invalid for this key. */
function wrongForm({ key, form, reason }: HeaderEntry): string | null {
  if (form === "unreadable") return `The value of ${key} cannot be read as YAML (${reason}).`;
  const mayBeList = rows.get(aliases.get(key) ?? key)?.header?.isList === true;
  return form === "list" && !mayBeList ? `${key} is one text, not a list.` : null;
}

function warning({ line }: HeaderEntry, message: string): Problem {
  return problemAt(line, "unusable-header-value", message);
}
