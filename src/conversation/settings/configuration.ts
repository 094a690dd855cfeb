/** What can be configured, and the one table of its defaults. Keys are written as in the file and in `setup`. */

import type { ReasoningEffort } from "../ports.ts";
import type { ToolProtocol } from "../proposed-call.ts";
import type { Price } from "../usage.ts";
import type { ProviderConfiguration } from "./vendor-settings.ts";

/** Settings of a chat that belong together; what is absent is as configured. */
export interface Preset {
  readonly system_prompt?: string;
  readonly tools?: string;
  readonly tool_choice?: string;
  readonly parallel_tool_calls?: boolean;
  readonly max_full_exchanges?: number;
  readonly max_tokens?: number;
  readonly reasoning_effort?: ReasoningEffort;
  readonly temperature?: number;
  readonly top_p?: number;
  readonly server_tools?: readonly string[];
  readonly tool_protocol?: ToolProtocol;
}

/** A preset with a name, which a chat chooses by `agent:` in its header. */
export interface AgentConfiguration extends Preset {
  /** `provider/id`. */
  readonly model?: string;
  /** In the brackets of its `🤖:` lines, in place of the model's id. */
  readonly label?: string;
  /** For the person who chooses. */
  readonly description?: string;
}

/** Servers and tools, in the grammar of `tools`; with `arguments`, only calls whose values fit these patterns. */
export type RuleConfiguration =
  | string
  | { readonly tool: string; readonly arguments?: Readonly<Record<string, string>> };

export interface Configuration {
  /** `provider/id`; null: chosen by the API keys that are there. */
  readonly model: string | null;
  readonly system_prompt: string;
  /** Which tools are offered; the grammar is that of the header's `tools:`. Null: all, but the mock server only to `mock/*` models. */
  readonly tools: string | null;
  /** `auto`, `required`, `none` or the name of a tool; null: the provider's default. */
  readonly tool_choice: string | null;
  readonly parallel_tool_calls: boolean | null;
  /** Files with tools of the person's own, absolute; null: `tools.mjs` beside the configuration file, if it is there. */
  readonly tool_files: readonly string[] | null;
  /** Tools whose calls run without a key, in the grammar of `tools`. */
  readonly auto_approve: string;
  /** What to do with calls: deny beats ask, ask beats allow. Deny beats a remembered yes too. */
  readonly rules: {
    readonly allow: readonly RuleConfiguration[];
    readonly ask: readonly RuleConfiguration[];
    readonly deny: readonly RuleConfiguration[];
  };
  /** Seconds a tool call may take. */
  readonly tool_timeout: number;
  /** Bytes of a tool's result that go into the transcript; the rest is kept in the files folder. */
  readonly result_limit: number;
  /** Exchanges sent in full before the oldest are sent as their summaries. */
  readonly max_full_exchanges: number;
  /** Requests to the model in one turn. */
  readonly max_model_calls: number;
  /** How often a request that nothing came back for goes out again by itself; 0: never. */
  readonly max_retries: number;
  /** Seconds that an answer may be silent once it has begun. */
  readonly idle_timeout: number;
  /** Beside those of the table, or in their place, by `provider/id`. */
  readonly prices: Readonly<Record<string, Price>>;
  /** Longest answer of one request in tokens; null: the model's own. */
  readonly max_tokens: number | null;
  /** Null: the model's own. */
  readonly reasoning_effort: ReasoningEffort | null;
  readonly temperature: number | null;
  readonly top_p: number | null;
  /** Tools that the vendor runs itself; empty: none. */
  readonly server_tools: readonly string[];
  readonly tool_protocol: ToolProtocol;
  /** The agent of chats whose header names none; null: none. */
  readonly agent: string | null;
  /** By name. */
  readonly agents: Readonly<Record<string, AgentConfiguration>>;
  /** What holds for one model wherever it is asked, by `provider/id`; an agent and a header win over it. */
  readonly models: Readonly<Record<string, Preset>>;
  /** Texts to choose from for `system_prompt:`, by name. */
  readonly system_prompts: Readonly<Record<string, string>>;
  /** Folders whose files may be chats, absolute; the first is for new ones. Empty until the data folder is known: `stdpath("data")/parley`. */
  readonly chat_dirs: readonly string[];
  /** Programs that print an image, or write it where `{file}` stands, as argument lists. */
  readonly image_commands: {
    /** Absent: the first that is installed of those that are known. */
    readonly clipboard?: readonly string[];
    readonly capture?: readonly string[];
  };
  /** By vendor; one that is not in the table is a server of the person's own. */
  readonly providers: Readonly<Record<string, ProviderConfiguration>>;
  readonly mcp: {
    /** Offer the built-in mock server to every model. */
    readonly mock: boolean;
    /** Whether servers may ask for answers of the configured model; each request waits for a yes. */
    readonly sampling: "off" | "ask";
    /** By name, as in mcp.json (`:help parley-mcp`). */
    readonly servers: Readonly<Record<string, unknown>>;
  };
}

export const defaults: Configuration = {
  model: null,
  system_prompt: [
    "You are a helpful assistant in a text editor. Answer in Markdown.",
    "End every final answer with one line of its own that begins with 📝: and sums up the exchange in one sentence: what was asked and what you answered.",
    "Write no such line when you call a tool.",
  ].join("\n"),
  tools: null,
  tool_choice: null,
  parallel_tool_calls: null,
  tool_files: null,
  auto_approve: "none",
  rules: { allow: [], ask: [], deny: [] },
  tool_timeout: 60,
  result_limit: 65_536,
  max_full_exchanges: 42,
  max_model_calls: 25,
  max_retries: 3,
  idle_timeout: 120,
  prices: {},
  max_tokens: null,
  reasoning_effort: null,
  temperature: null,
  top_p: null,
  server_tools: [],
  tool_protocol: "auto",
  agent: null,
  agents: {},
  models: {},
  system_prompts: {},
  chat_dirs: [],
  image_commands: {},
  providers: {},
  mcp: { mock: false, sampling: "off", servers: {} },
};
