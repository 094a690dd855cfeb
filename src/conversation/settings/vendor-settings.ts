/** What can be configured for a vendor under `providers`; keys are written as in the file and in `setup`. */
import type { SamplingName } from "./chat-options.ts";

/** The wire APIs of vendors; each has its own files in src/providers. */
export const wireApiNames = ["openai-chat", "openai-responses", "anthropic-messages"] as const;
export type WireApiName = (typeof wireApiNames)[number];

/** The clouds that offer Claude, as Anthropic's packages name them. */
export const cloudNames = ["bedrock", "vertex"] as const;
export type CloudName = (typeof cloudNames)[number];

/** The possible tool choices; `tool` is one named tool. */
export const toolChoiceWords = ["auto", "none", "required", "tool"] as const;
export type ToolChoiceWord = (typeof toolChoiceWords)[number];

/** Models of a vendor: all, none, or those whose id matches a pattern (a regular expression). */
export type ModelsSetting = boolean | string;

/** How a server differs from its vendor's row, or a compatible server from the plain form of its API. */
export interface CompatConfiguration extends Partial<Record<SamplingName, ModelsSetting>> {
  /** The field that limits the output. */
  readonly max_tokens_field?: "max_tokens" | "max_completion_tokens";
  /** Models whose system text is sent as `developer`. */
  readonly developer_role?: ModelsSetting;
  /** Models that take tools by the API; the others are told how to write calls as text. */
  readonly native_tools?: ModelsSetting;
  /** The tool choices that the server accepts. */
  readonly tool_choices?: readonly ToolChoiceWord[];
  /** The field that turns parallel calls off; false: there is none. */
  readonly parallel_field?: string | false;
  /** The most tools in one request. */
  readonly max_tools?: number;
  /** The longest description of a tool, in characters. */
  readonly tool_description_length?: number;
  /** The longest id of a call, in characters. */
  readonly call_id_length?: number;
  /** Whether `$ref` and `allOf` in a tool's schema are expanded. */
  readonly inline_references?: boolean;
  /** Models that take a reasoning effort. */
  readonly reasoning_effort?: ModelsSetting;
  /** Whether usage may be requested in a stream. */
  readonly usage_in_stream?: boolean;
  /** Models that accept images. */
  readonly vision?: ModelsSetting;
}

/** What every request carries in addition to what the API defines. */
export interface RequestExtras {
  /** Values may be secrets, so they are never shown. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Query parameters of the address. */
  readonly query?: Readonly<Record<string, string>>;
  /** Fields of the body; they override existing ones. */
  readonly extra_body?: Readonly<Record<string, unknown>>;
}

export interface ProviderConfiguration extends RequestExtras {
  /** The key itself, or a command as an argument list, run without a shell, whose output is the key. */
  readonly api_key?: string | readonly string[];
  /** The address; required for a vendor that is not in the table. */
  readonly base_url?: string;
  /** Used in place of the vendor's first API. */
  readonly api?: WireApiName;
  /** Claude in a cloud, through Anthropic's own package for it, which the user installs. */
  readonly sdk?: CloudName;
  /** The cloud's region; when absent, the cloud's own environment variable is used. */
  readonly region?: string;
  /** The Google project. */
  readonly project?: string;
  readonly compat?: CompatConfiguration;
  /** For single models, by their id; these values override those for all models. */
  readonly models?: Readonly<Record<string, RequestExtras>>;
}
