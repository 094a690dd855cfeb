/** How vendors with the same wire API differ. Pure data, with the functions that read it. */
import type { ModelRequest, ReasoningEffort } from "../../conversation/ports.ts";
import { type SamplingName, samplingNames } from "../../conversation/settings/chat-options.ts";
import type {
  CompatConfiguration,
  ModelsSetting,
  ToolChoiceWord,
} from "../../conversation/settings/vendor-settings.ts";
import { ownValue } from "../../shared/json.ts";

/** Which models of a vendor: all, none, or those whose id matches. */
export type ModelPattern = boolean | RegExp;

/** Which models of an ordinary vendor accept each parameter of a request's `sampling`. */
export const ordinarySampling: Readonly<Record<SamplingName, ModelPattern>> = {
  temperature: true,
  top_p: true,
};

export interface CallIdRule {
  /** In characters. */
  readonly length: number;
  /** Every id has exactly this length and only letters and digits (rule M1). */
  readonly isExact: boolean;
  /** Whether an id with a meaning is sent unchanged, whatever its characters and length (rule O5). */
  readonly keepsMeaning: boolean;
}

/** How reasoning is requested, read, and sent back. */
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
  /** The efforts that models accept, weakest first; the first matching row applies, without one there are none. */
  readonly efforts: readonly (readonly [models: RegExp, efforts: readonly ReasoningEffort[]])[];
  /**
   * What must be sent back inside an open tool loop: thought signatures in `extra_content` (rules G1–G3),
   * `reasoning_content` (D1), `reasoning_details` (R1), or thinking blocks (A8).
   */
  readonly echo:
    | "extra_content"
    | "reasoning_content"
    | "reasoning_details"
    | "thinking-blocks"
    | null;
  /** Models that refuse other models' calls without it; these get a placeholder (rules G2, D1). */
  readonly echoRequired: ModelPattern;
  /** The placeholder for missing thoughts, where thoughts are sent back as text (rule D1). */
  readonly noThoughts: "" | " ";
  /** Whether the text begins inside a thought, without the opening tag. */
  readonly thinksFirst: boolean;
  /** With tools, only the effort `none` is accepted, and it is then always sent. */
  readonly noneWithTools: boolean;
  /** Models that take a number of thinking tokens in place of an effort (Anthropic's manual thinking). */
  readonly tokenBudget: ModelPattern;
  /**
   * Models that think by default, and write as thoughts what they say between calls; these thoughts are only sent if
   * requested (Claude from Opus 5 on).
   */
  readonly shownUnasked: ModelPattern;
  /** Models whose thoughts the Responses API summarizes for display. */
  readonly summary: ModelPattern;
  /** Models whose thoughts the Responses API returns encrypted, to be sent back (rule P5). */
  readonly encrypted: ModelPattern;
}

/** Prompt caching: by the vendor on its own, with a key that we send, or with marks in the request. */
export type CachingStyle = "automatic" | "prompt_cache_key" | "cache_control";

export interface Compat {
  /** The field that limits the output; `max_completion_tokens` includes reasoning. */
  readonly maxTokensField: "max_tokens" | "max_completion_tokens";
  /** Models whose system prompt is sent with the role `developer` rather than `system`. */
  readonly developerRole: ModelPattern;
  /** Whether there is a system role; otherwise the system prompt is sent with the first question. */
  readonly takesSystem: boolean;
  /** Models with native tools. */
  readonly nativeTools: ModelPattern;
  /** Maximum number of tools in one request; null: unknown. */
  readonly maxTools: number | null;
  /** Accepted names of tools. */
  readonly toolName: RegExp;
  /** Accepted names of properties in tool schemas; null: all. */
  readonly propertyName: RegExp | null;
  /** Supported schemas: JSON Schema 2020-12, or the subset in Google's function declarations. */
  readonly schemas: "2020-12" | "google";
  /** Whether limits of values (`pattern`, `maxLength`) are left out of tool schemas: they overload a server's grammar. */
  readonly looseSchemas: boolean;
  /** Refused tools with a hash of what was refused; they are not offered. */
  readonly refusedTools: readonly { readonly name: string; readonly hash: string }[];
  /** Maximum length of a tool's description in characters; null: unknown. */
  readonly toolDescriptionLength: number | null;
  readonly toolChoices: readonly ToolChoiceWord[];
  /** The vendor's word for `required`. */
  readonly requiredWord: "required" | "any";
  /** The field that allows or forbids parallel calls; null: none. */
  readonly parallelField: string | null;
  /** Whether an empty list of tools is sent if the history has calls but no tool is offered (rule U2). */
  readonly emptyToolsWithHistory: boolean;
  /** Whether a tool that does nothing is offered then: earlier calls are refused without tools (Bedrock). */
  readonly standInTool: boolean;
  /** Replaces the missing text of a response that has only calls (rule O4). */
  readonly noText: null | "";
  /** Maximum of output tokens, if lower than the model's known limit; null: unknown. */
  readonly maxOutput: number | null;
  readonly callIds: CallIdRule;
  /** Whether a user message must not directly follow results, so that an assistant message goes between them. */
  readonly assistantAfterResults: boolean;
  /** Whether each earlier call becomes a step of its own: several calls in one step, or text next to a call, fail. */
  readonly callsAlone: boolean;
  /** Whether `$ref` and `allOf` are expanded in tool schemas (rule X1). */
  readonly inlineReferences: boolean;
  /** Models that accept a parameter of `sampling`, by its name; others do not get it, and the user is told. */
  readonly sampling: Readonly<Record<string, ModelPattern>>;
  readonly reasoning: ReasoningRules;
  /** Whether `stream_options.include_usage` is supported; usage that comes anyway is read as well. */
  readonly usageInStream: boolean;
  readonly vision: ModelPattern;
  readonly caching: CachingStyle;
  /** Models behind chat completions that cache the prompt only if it has a `cache_control` mark. */
  readonly cacheMark: ModelPattern;
  /** Models that refuse a history that ends with the assistant's own text. */
  readonly endsWithUser: ModelPattern;
}

export function fits(pattern: ModelPattern, modelId: string): boolean {
  return typeof pattern === "boolean" ? pattern : pattern.test(modelId);
}

function modelPattern(setting: ModelsSetting): ModelPattern {
  return typeof setting === "string" ? new RegExp(setting) : setting;
}

/** Whether a model accepts this parameter of the request's `sampling`. */
export function takesSampling({ sampling }: Compat, name: string, modelId: string): boolean {
  return fits(ownValue(sampling, name) ?? false, modelId);
}

/** The sampling parameters that the model accepts. */
export function takenSampling(
  { sampling = {}, model }: Pick<ModelRequest, "sampling" | "model">,
  compat: Compat,
): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(sampling).filter(([name]) => takesSampling(compat, name, model.id)),
  );
}

/** Whether calls are refused without the thoughts before them, as text (rule D1). */
export function needsThoughts({ reasoning }: Compat, modelId: string): boolean {
  return reasoning.echo === "reasoning_content" && fits(reasoning.echoRequired, modelId);
}

/** The efforts that a model accepts, weakest first; empty: none. */
export function effortsOf({ reasoning }: Compat, modelId: string): readonly ReasoningEffort[] {
  return reasoning.efforts.find(([models]) => models.test(modelId))?.[1] ?? [];
}

/** The vendor's row with the configuration's changes. */
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
