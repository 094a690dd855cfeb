/** What can be configured of a vendor under `providers`. Keys are written as in the file and in `setup`. */
import type { SamplingName } from "./chat-options.ts";

/** The ways of speaking with a vendor; each has its own files in src/providers. */
export const wireApiNames = ["openai-chat", "openai-responses", "anthropic-messages"] as const;
export type WireApiName = (typeof wireApiNames)[number];

/** The clouds that have Claude, as Anthropic's packages name them. */
export const cloudNames = ["bedrock", "vertex"] as const;
export type CloudName = (typeof cloudNames)[number];

/** What a tool choice can be; `tool` is one named tool. */
export const toolChoiceWords = ["auto", "none", "required", "tool"] as const;
export type ToolChoiceWord = (typeof toolChoiceWords)[number];

/** Models of a vendor: all, none, or those whose id fits a pattern (a regular expression). */
export type ModelsSetting = boolean | string;

/** How a server differs from its vendor's row, or a compatible one from the plain form of its API. */
export interface CompatConfiguration extends Partial<Record<SamplingName, ModelsSetting>> {
  /** The field that limits the output. */
  readonly max_tokens_field?: "max_tokens" | "max_completion_tokens";
  /** Models whose system text goes out as `developer`. */
  readonly developer_role?: ModelsSetting;
  /** Models that take tools by the API; the others are told how to write calls as text. */
  readonly native_tools?: ModelsSetting;
  /** The tool choices that are taken. */
  readonly tool_choices?: readonly ToolChoiceWord[];
  /** The field that switches parallel calls off; false: there is none. */
  readonly parallel_field?: string | false;
  /** Most tools in one request. */
  readonly max_tools?: number;
  /** In characters. */
  readonly tool_description_length?: number;
  /** Longest id of a call, in characters. */
  readonly call_id_length?: number;
  /** Whether `$ref` and `allOf` in a tool's schema are written out. */
  readonly inline_references?: boolean;
  /** Models that take an effort. */
  readonly reasoning_effort?: ModelsSetting;
  /** Whether usage may be asked for in a stream. */
  readonly usage_in_stream?: boolean;
  /** Models that see images. */
  readonly vision?: ModelsSetting;
}

/** What goes with every request beside what the API has. */
export interface RequestExtras {
  /** Values may be secrets, so they are never shown. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Parameters behind the address. */
  readonly query?: Readonly<Record<string, string>>;
  /** Fields of the body; they win over those that are there. */
  readonly extra_body?: Readonly<Record<string, unknown>>;
}

export interface ProviderConfiguration extends RequestExtras {
  /** The key itself, or a command as an argument list, run without a shell, whose output is the key. */
  readonly api_key?: string | readonly string[];
  /** The address; a vendor that is not in the table needs one. */
  readonly base_url?: string;
  /** In place of the vendor's first. */
  readonly api?: WireApiName;
  /** Claude in a cloud, by Anthropic's own package for it, which the person installs. */
  readonly sdk?: CloudName;
  /** Of the cloud; its own variable of the environment when left out. */
  readonly region?: string;
  /** Google's. */
  readonly project?: string;
  readonly compat?: CompatConfiguration;
  /** For single models, by their id; what they say wins over what is said for all. */
  readonly models?: Readonly<Record<string, RequestExtras>>;
}
