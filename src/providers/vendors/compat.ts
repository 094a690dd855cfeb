/** What vendors of one wire API do differently. Pure data and the rules to read it. */
import type { ModelRequest, ReasoningEffort } from "../../conversation/ports.ts";
import { type SamplingName, samplingNames } from "../../conversation/settings/chat-options.ts";
import type {
  CompatConfiguration,
  ModelsSetting,
  ToolChoiceWord,
} from "../../conversation/settings/vendor-settings.ts";
import { ownValue } from "../../shared/json.ts";

/** Models of a vendor: all, none, or those whose id fits. */
export type ModelPattern = boolean | RegExp;

/** Which models of an ordinary vendor take each number of a request's `sampling`. */
export const ordinarySampling: Readonly<Record<SamplingName, ModelPattern>> = {
  temperature: true,
  top_p: true,
};

export interface CallIdRule {
  /** In characters. */
  readonly length: number;
  /** Every id has exactly this length, of letters and digits alone (rule M1). */
  readonly isExact: boolean;
  /** Whether an id that has a meaning goes as it is, whatever its letters and its length (rule O5). */
  readonly keepsMeaning: boolean;
}

/** How thinking is asked for, read, and given back. */
export interface ReasoningRules {
  /**
   * The request's field: `reasoning_effort`, OpenRouter's `reasoning`, DeepSeek's `thinking` beside an effort,
   * Google's `thinking_config` (rule G5), Anthropic's `thinking` and `output_config`.
   */
  readonly request:
    | "reasoning_effort"
    | "reasoning"
    | "thinking"
    | "thinking_config"
    | "output_config";
  /** The efforts that models take, weakest first; the first row that fits holds, a model without one takes none. */
  readonly efforts: readonly (readonly [models: RegExp, efforts: readonly ReasoningEffort[]])[];
  /**
   * What has to come back inside an open tool loop: thought signatures in `extra_content` (rules G1–G3),
   * `reasoning_content` (D1), `reasoning_details` (R1), or thinking blocks (A8).
   */
  readonly echo:
    | "extra_content"
    | "reasoning_content"
    | "reasoning_details"
    | "thinking-blocks"
    | null;
  /** Models that refuse calls of other models without it; they get a stand-in (rules G2, D1). */
  readonly echoRequired: ModelPattern;
  /** What stands for thoughts that are not there, where they come back as text (rule D1). */
  readonly noThoughts: "" | " ";
  /** Whether the text begins within a thought whose opening tag is not in it. */
  readonly thinksFirst: boolean;
  /** Beside tools, no effort but `none` is taken: it is then asked for always. */
  readonly noneWithTools: boolean;
  /** Models that are given a number of tokens to think in place of an effort (Anthropic's manual thinking). */
  readonly tokenBudget: ModelPattern;
  /**
   * Models that think unasked, and say as thoughts what they say between calls; nothing of it comes unless it is asked
   * for (Claude from Opus 5 on).
   */
  readonly shownUnasked: ModelPattern;
  /** Models whose thoughts the Responses API sums up, to be shown. */
  readonly summary: ModelPattern;
  /** Models whose thoughts the Responses API gives out encrypted, for sending back (rule P5). */
  readonly encrypted: ModelPattern;
}

/** Of the prompt: by the vendor itself, by a key of ours, or by marks in the request. */
export type CachingStyle = "automatic" | "prompt_cache_key" | "cache_control";

export interface Compat {
  /** The field that limits the output; reasoning counts into `max_completion_tokens`. */
  readonly maxTokensField: "max_tokens" | "max_completion_tokens";
  /** Models whose system text goes out as `developer`; the others take `system`. */
  readonly developerRole: ModelPattern;
  /** Whether there are system texts; else they go with the first question. */
  readonly takesSystem: boolean;
  /** Models that take tools by the API. */
  readonly nativeTools: ModelPattern;
  /** Most tools in one request; null: no limit known. */
  readonly maxTools: number | null;
  /** The names of tools that are accepted. */
  readonly toolName: RegExp;
  /** The names of properties in tool schemas that are accepted; null: all. */
  readonly propertyName: RegExp | null;
  /** How much of JSON Schema is known: draft 2020-12, or the part of it that Google's declarations have. */
  readonly schemas: "2020-12" | "google";
  /** Tools that were refused, as they were; they are not offered. */
  readonly refusedTools: readonly { readonly name: string; readonly hash: string }[];
  /** Longest description of a tool that is accepted; null: no limit known. */
  readonly toolDescriptionLength: number | null;
  readonly toolChoices: readonly ToolChoiceWord[];
  /** The vendor's word for `required`. */
  readonly requiredWord: "required" | "any";
  /** The field that says whether calls may be parallel; null: there is none. */
  readonly parallelField: string | null;
  /** Whether an empty list of tools is sent when the history holds calls and no tool is offered (rule U2). */
  readonly emptyToolsWithHistory: boolean;
  /** Whether a tool that does nothing is offered then, since calls are refused beside no tool or an empty list (Bedrock). */
  readonly standInTool: boolean;
  /** What stands for the text of a response that is calls alone (rule O4). */
  readonly noText: null | "";
  /** Most tokens of output that are taken, where that is less than is known of the model; null: nothing was said. */
  readonly maxOutput: number | null;
  readonly callIds: CallIdRule;
  /** Whether a user's message may not follow results directly, so that an assistant's goes between. */
  readonly assistantAfterResults: boolean;
  /** Whether each call of the history is a step of its own, without text: several in one are refused, or words beside one. */
  readonly callsAlone: boolean;
  /** Whether `$ref` and `allOf` are written out in tool schemas (rule X1). */
  readonly inlineReferences: boolean;
  /** Models that take a number of the request's `sampling`, by its name; none where it is absent. It is left out then, with a notice. */
  readonly sampling: Readonly<Record<string, ModelPattern>>;
  readonly reasoning: ReasoningRules;
  /** Whether `stream_options.include_usage` is known; usage that comes unasked is read all the same. */
  readonly usageInStream: boolean;
  readonly vision: ModelPattern;
  readonly caching: CachingStyle;
  /** Models behind chat completions that cache the prompt only when one `cache_control` asks for it. */
  readonly cacheMark: ModelPattern;
  /** Models that refuse a history that ends with the assistant's own words. */
  readonly endsWithUser: ModelPattern;
}

export function fits(pattern: ModelPattern, modelId: string): boolean {
  return typeof pattern === "boolean" ? pattern : pattern.test(modelId);
}

function modelPattern(setting: ModelsSetting): ModelPattern {
  return typeof setting === "string" ? new RegExp(setting) : setting;
}

/** Whether a model takes this number of the request's `sampling`. */
export function takesSampling({ sampling }: Compat, name: string, modelId: string): boolean {
  return fits(ownValue(sampling, name) ?? false, modelId);
}

/** What the model takes of how it is to choose its words. */
export function takenSampling(
  { sampling = {}, model }: Pick<ModelRequest, "sampling" | "model">,
  compat: Compat,
): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(sampling).filter(([name]) => takesSampling(compat, name, model.id)),
  );
}

/** The efforts that a model takes, weakest first; empty: it takes none. */
export function effortsOf({ reasoning }: Compat, modelId: string): readonly ReasoningEffort[] {
  return reasoning.efforts.find(([models]) => models.test(modelId))?.[1] ?? [];
}

/** The row with what the configuration says of the server. */
export function configuredCompat(row: Compat, given: CompatConfiguration = {}): Compat {
  const models = (setting: ModelsSetting | undefined, from: ModelPattern) =>
    setting === undefined ? from : modelPattern(setting);
  const { parallel_field: parallel, call_id_length: idLength } = given;
  return {
    ...row,
    maxTokensField: given.max_tokens_field ?? row.maxTokensField,
    developerRole: models(given.developer_role, row.developerRole),
    nativeTools: models(given.native_tools, row.nativeTools),
    toolChoices: given.tool_choices ?? row.toolChoices,
    parallelField: parallel === undefined ? row.parallelField : parallel || null,
    maxTools: given.max_tools ?? row.maxTools,
    toolDescriptionLength: given.tool_description_length ?? row.toolDescriptionLength,
    callIds:
      idLength === undefined
        ? row.callIds
        : { length: idLength, isExact: false, keepsMeaning: false },
    inlineReferences: given.inline_references ?? row.inlineReferences,
    sampling: configuredSampling(row.sampling, given),
    reasoning: configuredReasoning(row.reasoning, given.reasoning_effort),
    usageInStream: given.usage_in_stream ?? row.usageInStream,
    vision: models(given.vision, row.vision),
  };
}

function configuredSampling(
  row: Compat["sampling"],
  given: CompatConfiguration,
): Compat["sampling"] {
  const own = samplingNames.flatMap((name) => {
    const { [name]: setting } = given;
    return setting === undefined ? [] : [[name, modelPattern(setting)] as const];
  });
  return { ...row, ...Object.fromEntries(own) };
}

const commonEfforts: readonly ReasoningEffort[] = ["none", "low", "medium", "high"];

function configuredReasoning(
  row: ReasoningRules,
  setting: ModelsSetting | undefined,
): ReasoningRules {
  if (setting === undefined) return row;
  if (setting === false) return { ...row, efforts: [] };
  const models = setting === true ? /^/ : new RegExp(setting);
  const known = row.efforts[0]?.[1] ?? commonEfforts;
  return { ...row, efforts: [[models, known]] };
}
