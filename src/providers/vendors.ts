/**
 * The vendor table: who offers models, by which wire API, and what each does differently. Adding a vendor that
 * speaks a known API is a row here; a new API is a file of its own and a branch in models.ts.
 */

export type WireApiName = "openai-chat" | "anthropic-messages";

/** What differs between vendors of one wire API. */
export interface Compat {
  /** The field that limits the output; reasoning counts into `max_completion_tokens`. */
  readonly maxTokensField: "max_tokens" | "max_completion_tokens";
  /** Models whose system text goes out as `developer`; the others take `system`. */
  readonly developerRole: RegExp | null;
  /** Longest id of a tool call that is accepted. */
  readonly callIdLength: number;
  /** Longest description of a tool that is accepted; null: no limit known. */
  readonly toolDescriptionLength: number | null;
  /** Whether an empty list of tools is sent when the history holds calls and no tool is offered. */
  readonly emptyToolsWithHistory: boolean;
}

export interface Vendor {
  /** The part of a model's name before the slash, and the key under `providers` in the configuration. */
  readonly id: string;
  /** For people. */
  readonly label: string;
  readonly api: WireApiName;
  readonly baseUrl: string;
  /** Environment variables. */
  readonly keyVariable: string;
  readonly baseUrlVariable: string;
  readonly compat: Compat;
}

const openai: Vendor = {
  id: "openai",
  label: "OpenAI",
  api: "openai-chat",
  baseUrl: "https://api.openai.com/v1",
  keyVariable: "OPENAI_API_KEY",
  baseUrlVariable: "OPENAI_BASE_URL",
  compat: {
    maxTokensField: "max_completion_tokens",
    developerRole: /^(o\d|gpt-[5-9])/,
    callIdLength: 40,
    toolDescriptionLength: 1024,
    emptyToolsWithHistory: false,
  },
};

const anthropic: Vendor = {
  id: "anthropic",
  label: "Anthropic",
  api: "anthropic-messages",
  baseUrl: "https://api.anthropic.com",
  keyVariable: "ANTHROPIC_API_KEY",
  baseUrlVariable: "ANTHROPIC_BASE_URL",
  compat: {
    maxTokensField: "max_tokens",
    developerRole: null,
    callIdLength: 64,
    toolDescriptionLength: null,
    emptyToolsWithHistory: true,
  },
};

/** By id. The offline models (`mock/…`) are no vendor: they have no address and no key. */
export const vendors: ReadonlyMap<string, Vendor> = new Map(
  [openai, anthropic].map((vendor) => [vendor.id, vendor]),
);

/** The row of a provider, or the one that its wire API is named after. */
export function compatOf(provider: string, api: WireApiName): Compat {
  const fallback = api === "openai-chat" ? openai : anthropic;
  return (vendors.get(provider) ?? fallback).compat;
}
