/** What is known of single models. Vendors' model pages are the source; a model that is not here gets the default. */

export interface ModelLimits {
  /** In tokens. */
  readonly maxOutput: number;
  /** In tokens, input and output together. */
  readonly context: number;
}

const anthropicDefault: ModelLimits = { maxOutput: 32_000, context: 200_000 };

/** The first prefix that fits wins, so the longer ones of a family stand first. */
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

/** Limits of an Anthropic model by its id, for `max_tokens`, which that API requires. */
export function anthropicLimits(modelId: string): ModelLimits {
  // Bedrock has the vendor and a region in front: `us.anthropic.claude-…`.
  const name = modelId.replace(/^.*anthropic\./, "");
  return anthropicModels.find(([prefix]) => name.startsWith(prefix))?.[1] ?? anthropicDefault;
}
