/** The vendors whose own APIs the others imitate, and the defaults for a compatible server. */

import type { CloudName } from "../../conversation/settings/vendor-settings.ts";
import { type Compat, ordinarySampling } from "./compat.ts";
import type { Vendor } from "./vendor.ts";

/** Chat completions as most compatible servers support them; fields that may be unknown are not sent. */
export const compatible: Compat = {
  maxTokensField: "max_tokens",
  developerRole: false,
  takesSystem: true,
  nativeTools: true,
  maxTools: null,
  toolName: /^[a-zA-Z0-9_-]{1,64}$/,
  propertyName: null,
  schemas: "2020-12",
  looseSchemas: false,
  refusedTools: [],
  toolDescriptionLength: null,
  toolChoices: ["auto", "none", "required", "tool"],
  requiredWord: "required",
  parallelField: "parallel_tool_calls",
  emptyToolsWithHistory: false,
  standInTool: false,
  noText: null,
  maxOutput: null,
  callIds: { length: 40, isExact: false, keepsMeaning: true },
  assistantAfterResults: false,
  callsAlone: false,
  inlineReferences: false,
  sampling: ordinarySampling,
  reasoning: {
    request: "reasoning_effort",
    efforts: [],
    echo: null,
    echoRequired: false,
    noThoughts: "",
    thinksFirst: false,
    noneWithTools: false,
    tokenBudget: false,
    shownUnasked: false,
    summary: true,
    encrypted: false,
  },
  usageInStream: true,
  vision: true,
  caching: "automatic",
  cacheMark: false,
  endsWithUser: false,
};

/** OpenAI's models without reasoning; all others, also future ones, reason. Fine-tuned ids contain the base model. */
const openaiPlain = /^(ft:)?(gpt-[34]|chatgpt-|gpt-5[\d.]*-chat|davinci|babbage)/;
const openaiReasoning = new RegExp(`^(?!${openaiPlain.source.slice(1)})`);

/** Models that accept sampling parameters. */
const openaiSampled = /^(?!o\d|gpt-5(?!.*chat)|gpt-[6-9])/;

export const openai: Vendor = {
  id: "openai",
  label: "OpenAI",
  apis: ["openai-chat", "openai-responses"],
  apiOfModels: [
    [/^(gpt-5.*-(pro|codex)|o\d-pro|codex-|.*deep-research|computer-use)/, "openai-responses"],
  ],
  // Chat completions refuse tools for reasoning models, from gpt-5.5 on always.
  ownAddress: { host: /(^|\.)api\.openai\.com$/, api: "openai-responses", except: openaiPlain },
  baseUrl: "https://api.openai.com/v1",
  keyVariable: "OPENAI_API_KEY",
  baseUrlVariable: "OPENAI_BASE_URL",
  needsKey: true,
  compat: {
    ...compatible,
    maxTokensField: "max_completion_tokens",
    callIds: { length: 40, isExact: false, keepsMeaning: false },
    developerRole: /^(o\d|gpt-[5-9])/,
    maxTools: 128,
    toolDescriptionLength: 1024,
    sampling: { temperature: openaiSampled, top_p: openaiSampled },
    reasoning: {
      ...compatible.reasoning,
      efforts: [
        [/^gpt-5\.([6-9]|\d\d)|^gpt-[6-9]/, ["none", "low", "medium", "high", "xhigh", "max"]],
        [/^gpt-5\.[2-5](?!.*chat)/, ["none", "low", "medium", "high", "xhigh"]],
        [/^gpt-5\.1(?!.*chat)/, ["none", "low", "medium", "high"]],
        [/^gpt-5(?!.*chat)/, ["minimal", "low", "medium", "high"]],
        [openaiReasoning, ["low", "medium", "high"]],
      ],
      encrypted: openaiReasoning,
    },
    vision: /^(?!gpt-3|gpt-4-0|gpt-4$|o1-(mini|preview)|o3-mini)/,
    caching: "prompt_cache_key",
  },
  serverTools: {
    web_search: { api: "openai-responses", type: "web_search" },
    file_search: { api: "openai-responses", type: "file_search", idsField: "vector_store_ids" },
    code_interpreter: {
      api: "openai-responses",
      type: "code_interpreter",
      parameters: { container: { type: "auto" } },
    },
  },
  models: [
    "gpt-5.5",
    "gpt-5.6-sol",
    "gpt-5.6-terra",
    "gpt-5.6-luna",
    "gpt-5.4-mini",
    "gpt-5.4-nano",
    "gpt-4.1",
  ],
};

/** Without this, the tools are called from code that the model writes, which older models cannot do. */
const calledDirectly = { allowed_callers: ["direct"] };

/** Models that, by the vendor's pages, think always or unless it is switched off. */
const claudeThinking =
  /^(.*anthropic\.)?claude-((opus|fable|mythos)-[5-9]|(sonnet|haiku)-(5-[5-9]|[6-9]))/;

/** Up to 4.5, the models cannot choose how much to think and need a budget. */
const claudeWithBudget = /^(.*anthropic\.)?claude-(3-7-|(opus|sonnet|haiku)-4(?!-[6-9]))/;

export const anthropic: Vendor = {
  id: "anthropic",
  label: "Anthropic",
  apis: ["anthropic-messages"],
  baseUrl: "https://api.anthropic.com",
  keyVariable: "ANTHROPIC_API_KEY",
  baseUrlVariable: "ANTHROPIC_BASE_URL",
  needsKey: true,
  compat: {
    ...compatible,
    maxTokensField: "max_tokens",
    requiredWord: "any",
    parallelField: "disable_parallel_tool_use",
    emptyToolsWithHistory: true,
    propertyName: /^[a-zA-Z0-9_.-]{1,64}$/,
    callIds: { length: 64, isExact: false, keepsMeaning: false },
    // The API version that the SDK uses refuses them for every model, at any value.
    sampling: {},
    reasoning: {
      ...compatible.reasoning,
      request: "output_config",
      efforts: [
        [/^(.*anthropic\.)?claude-(opus|sonnet)-4-6/, ["none", "low", "medium", "high", "max"]],
        [
          /^(.*anthropic\.)?claude-(opus|sonnet)-5(?!-5)/,
          ["none", "low", "medium", "high", "xhigh", "max"],
        ],
        [claudeWithBudget, ["none", "low", "medium", "high"]],
        // These always think, and refuse to have it switched off.
        [
          /^(.*anthropic\.)?claude-(opus|sonnet|fable|mythos|haiku)-(4-[7-9]|[5-9])/,
          ["low", "medium", "high", "xhigh", "max"],
        ],
      ],
      tokenBudget: claudeWithBudget,
      shownUnasked: claudeThinking,
      echo: "thinking-blocks",
    },
    vision: true,
    caching: "cache_control",
  },
  serverTools: {
    web_search: {
      api: "anthropic-messages",
      type: "web_search_20260318",
      parameters: calledDirectly,
    },
    web_fetch: {
      api: "anthropic-messages",
      type: "web_fetch_20260318",
      parameters: calledDirectly,
    },
    code_execution: { api: "anthropic-messages", type: "code_execution_20260521" },
  },
  models: [
    "claude-sonnet-5-5",
    "claude-opus-5-5",
    "claude-haiku-5-5",
    "claude-fable-5-2",
    "claude-sonnet-4-6",
    "claude-haiku-4-5",
  ],
};

/** Claude in a cloud: the same messages, without the features of Anthropic's own address. */
export function claudeInCloud(id: string, cloud: CloudName, region: string | undefined): Vendor {
  const name = id.toUpperCase().replace(/[^A-Z0-9]/g, "_");
  const isBedrock = cloud === "bedrock";
  return {
    ...anthropic,
    id,
    label: isBedrock ? "Claude on Amazon Bedrock" : "Claude on Google Vertex AI",
    baseUrl: isBedrock
      ? `https://bedrock-runtime.${region ?? "us-east-1"}.amazonaws.com`
      : "https://aiplatform.googleapis.com",
    // The clouds have their own credentials (profiles, roles, logins), which the packages find.
    keyVariable: isBedrock ? "AWS_BEARER_TOKEN_BEDROCK" : `${name}_ACCESS_TOKEN`,
    baseUrlVariable: `${name}_BASE_URL`,
    needsKey: false,
    serverTools: {},
    models: [],
    compat: { ...anthropic.compat, caching: "automatic" },
  };
}
