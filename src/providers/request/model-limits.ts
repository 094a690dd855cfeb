/** Known limits of models, from the vendors' model pages; a model that is not listed gets the default. */
import type { ModelRequest } from "../../conversation/ports.ts";
import { formatModelName } from "../../conversation/settings/model-name.ts";
import type { WireApiName } from "../../conversation/settings/vendor-settings.ts";
import type { Compat } from "../vendors/compat.ts";

export interface ModelLimits {
  /** In tokens. */
  readonly maxOutput: number;
  /** In tokens, input plus output. */
  readonly context: number;
}

const anthropicDefault: ModelLimits = { maxOutput: 32_000, context: 200_000 };

/** The first matching prefix wins, so longer prefixes of a family come first. */
const anthropicModels: readonly (readonly [prefix: string, limits: ModelLimits])[] = [
  ["claude-3-7-sonnet", { maxOutput: 64_000, context: 200_000 }],
  ["claude-3-5", { maxOutput: 8_192, context: 200_000 }],
  ["claude-3-", { maxOutput: 4_096, context: 200_000 }],
  ["claude-haiku-4", { maxOutput: 64_000, context: 200_000 }],
  ["claude-opus-4-5", { maxOutput: 64_000, context: 200_000 }],
  ["claude-opus-4-6", { maxOutput: 128_000, context: 1_000_000 }],
  ["claude-opus-4-7", { maxOutput: 128_000, context: 1_000_000 }],
  ["claude-opus-4-8", { maxOutput: 128_000, context: 1_000_000 }],
  ["claude-opus-4", { maxOutput: 32_000, context: 200_000 }],
  ["claude-sonnet-4-6", { maxOutput: 128_000, context: 1_000_000 }],
  ["claude-sonnet-4", { maxOutput: 64_000, context: 200_000 }],
  ["claude-opus-5", { maxOutput: 128_000, context: 1_000_000 }],
  ["claude-sonnet-5", { maxOutput: 128_000, context: 1_000_000 }],
  ["claude-fable-5", { maxOutput: 128_000, context: 1_000_000 }],
  ["claude-mythos-5", { maxOutput: 128_000, context: 1_000_000 }],
  ["claude-haiku-5", { maxOutput: 128_000, context: 1_000_000 }],
];

/** Limits of an Anthropic model by its id. */
export function anthropicLimits(modelId: string): ModelLimits {
  return knownLimits(modelId) ?? anthropicDefault;
}

function knownLimits(modelId: string): ModelLimits | null {
  // Bedrock puts the vendor and a region in front: `us.anthropic.claude-…`.
  const name = modelId.replace(/^.*anthropic\./, "");
  return anthropicModels.find(([prefix]) => name.startsWith(prefix))?.[1] ?? null;
}

type Limited = Pick<ModelRequest, "model" | "maxOutputTokens">;

/** `max_tokens`, which Anthropic's API requires: the requested limit, or the model's known maximum. */
export function anthropicMaxTokens({ model, maxOutputTokens }: Limited, compat: Compat): number {
  const known = compat.maxOutput ?? knownLimits(model.id)?.maxOutput;
  const wanted = maxOutputTokens ?? known ?? anthropicDefault.maxOutput;
  return Math.min(wanted, known ?? wanted);
}

/** The minimum that the Responses API accepts. */
const fewestTokens = 16;

export function responsesMaxTokens({ maxOutputTokens: wanted }: Limited): number | null {
  return wanted === undefined ? null : Math.max(fewestTokens, wanted);
}

/** A sentence if the sent limit differs from the requested one. */
export function limitNotice(request: Limited, compat: Compat, api: WireApiName): string | null {
  const { maxOutputTokens: wanted, model } = request;
  if (wanted === undefined || api === "openai-chat") return null;
  const isAnthropic = api === "anthropic-messages";
  const sent = isAnthropic ? anthropicMaxTokens(request, compat) : responsesMaxTokens(request);
  return sent === wanted
    ? null
    : `max_tokens: ${wanted} is sent to ${formatModelName(model)} as ${sent}, the ${isAnthropic ? "most" : "least"} that it accepts.`;
}
