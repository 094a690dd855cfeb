/** Vendors with chat completions that differ in their own ways (rules C1, D1, G1–G3, L1, M1, R1, X1). */
import type { Compat } from "./compat.ts";
import type { Vendor } from "./vendor.ts";
import { compatible } from "./vendor-rows.ts";

/** For vendors that run their own models: ids with a meaning for gateways or Kimi may be too long for them. */
const shortIds = { ...compatible.callIds, keepsMeaning: false };

function row(
  fields: Pick<Vendor, "id" | "label" | "baseUrl" | "models"> &
    Partial<Omit<Vendor, "compat">> & { readonly compat?: Partial<Compat> },
): Vendor {
  const name = fields.id.toUpperCase();
  return {
    apis: ["openai-chat"],
    keyVariable: `${name}_API_KEY`,
    baseUrlVariable: `${name}_BASE_URL`,
    needsKey: true,
    serverTools: {},
    ...fields,
    compat: { ...compatible, callIds: shortIds, ...fields.compat },
  };
}

const xai = row({
  id: "xai",
  label: "xAI",
  apis: ["openai-chat", "openai-responses"],
  baseUrl: "https://api.x.ai/v1",
  compat: {
    maxTokensField: "max_completion_tokens",
    maxTools: 128,
    parallelField: "parallel_function_calling",
    inlineReferences: true,
    reasoning: {
      ...compatible.reasoning,
      // Grok 4 and its fast variants choose how much to reason, and refuse an effort.
      efforts: [
        [/^grok-(4\.[3-9]|latest|[5-9])(?!.*non-reasoning)/, ["none", "low", "medium", "high"]],
        [/^grok-3-mini/, ["low", "high"]],
      ],
      encrypted: /^grok-(3-mini|4|[5-9]|latest|code)(?!.*non-reasoning)/,
    },
    vision: /^grok-(4|[5-9]|latest|2-vision)/,
  },
  serverTools: {
    web_search: { api: "openai-responses", type: "web_search" },
    x_search: { api: "openai-responses", type: "x_search" },
    file_search: { api: "openai-responses", type: "file_search", idsField: "vector_store_ids" },
    code_execution: { api: "openai-responses", type: "code_interpreter" },
  },
  models: ["grok-4.5", "grok-4.3", "grok-4.20-reasoning", "grok-4.20-non-reasoning"],
});

const cerebras = row({
  id: "cerebras",
  label: "Cerebras",
  baseUrl: "https://api.cerebras.ai/v1",
  compat: {
    maxTokensField: "max_completion_tokens",
    // Newer pages allow more, but older ones say that it fails with a 400: only what all pages allow is sent.
    toolChoices: ["auto", "none"],
    parallelField: null,
    reasoning: {
      ...compatible.reasoning,
      efforts: [[/^gpt-oss/, ["low", "medium", "high"]]],
    },
    vision: false,
  },
  models: ["gpt-oss-120b", "zai-glm-4.7", "qwen-3.8-27b"],
});

const google = row({
  id: "google",
  label: "Google Gemini",
  baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
  keyVariable: "GEMINI_API_KEY",
  baseUrlVariable: "GEMINI_BASE_URL",
  compat: {
    maxTools: 128,
    toolName: /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/,
    schemas: "google",
    parallelField: null,
    reasoning: {
      ...compatible.reasoning,
      request: "thinking_config",
      efforts: [
        [/^gemini-2\.5-flash/, ["none", "low", "medium", "high"]],
        [/^gemini-2\.5/, ["low", "medium", "high"]],
        [/^gemini-3-pro/, ["low", "high"]],
        [/^gemini-[3-9][\d.]*-pro/, ["low", "medium", "high"]],
        [/^gemini-[3-9]/, ["minimal", "low", "medium", "high"]],
      ],
      echo: "extra_content",
      echoRequired: /^gemini-([3-9]|\d\d)/,
    },
  },
  models: ["gemini-3.8-flash", "gemini-3.1-pro-preview", "gemini-2.5-pro", "gemini-2.5-flash"],
});

const mistral = row({
  id: "mistral",
  label: "Mistral",
  baseUrl: "https://api.mistral.ai/v1",
  compat: {
    requiredWord: "any",
    callIds: { length: 9, isExact: true, keepsMeaning: false },
    assistantAfterResults: true,
    endsWithUser: true,
    // Usage is sent in the last chunk anyway, and the option is refused.
    usageInStream: false,
    reasoning: {
      ...compatible.reasoning,
      efforts: [
        [/^mistral-large-([4-9]|latest)/, ["none", "low", "medium", "high"]],
        [/^mistral-(small|medium)-(latest|2603|3-5|[4-9])/, ["none", "high"]],
      ],
    },
    vision: /^(mistral-(small|medium|large)|pixtral|ministral|magistral)/,
  },
  models: [
    "mistral-large-latest",
    "mistral-medium-latest",
    "mistral-small-latest",
    "devstral-medium-latest",
  ],
});

const deepseek = row({
  id: "deepseek",
  label: "DeepSeek",
  baseUrl: "https://api.deepseek.com",
  compat: {
    maxTools: 128,
    parallelField: null,
    reasoning: {
      ...compatible.reasoning,
      request: "thinking",
      efforts: [[/^deepseek-(v4|chat|flash|pro|reasoner)/, ["none", "low", "high", "max"]]],
      echo: "reasoning_content",
      echoRequired: true,
    },
    vision: false,
  },
  models: ["deepseek-v4-pro", "deepseek-v4-flash", "deepseek-chat", "deepseek-reasoner"],
});

const openrouter = row({
  id: "openrouter",
  label: "OpenRouter",
  baseUrl: "https://openrouter.ai/api/v1",
  compat: {
    callIds: compatible.callIds,
    cacheMark: /^anthropic\//,
    endsWithUser: /^anthropic\//,
    reasoning: {
      ...compatible.reasoning,
      request: "reasoning",
      // It maps an effort to what the model supports, and ignores it for models without one.
      efforts: [[/^/, ["none", "minimal", "low", "medium", "high", "xhigh"]]],
      echo: "reasoning_details",
    },
  },
  models: [
    "anthropic/claude-sonnet-5.5",
    "openai/gpt-5.5",
    "google/gemini-3.8-flash",
    "x-ai/grok-4.5",
  ],
});

const ollama = row({
  id: "ollama",
  label: "Ollama",
  baseUrl: "http://127.0.0.1:11434/v1",
  needsKey: false,
  startCommand: "ollama serve",
  compat: {
    callIds: compatible.callIds,
    // Models in its cloud refuse null (Dicklesworthstone/pi_agent_rust#45).
    noText: "",
    // Ollama ignores both a tool choice and an opt-out of parallel calls (rule L1), so neither is sent.
    toolChoices: [],
    parallelField: null,
    reasoning: {
      ...compatible.reasoning,
      efforts: [
        [
          /^(gpt-oss|qwen3|deepseek-(r1|v3\.1|v4)|magistral|gemma4|glm-[4-9])/,
          ["none", "low", "medium", "high"],
        ],
      ],
    },
    vision: /llava|vision|-?vl\b|gemma[34]|mistral-small3|moondream|minicpm-v|llama4|pixtral/,
    nativeTools: /^(?!gemma3?(:|$)|gemma2|phi[34]?(:|$)|codellama|llama2|deepseek-r1|tinyllama)/,
  },
  models: ["gpt-oss:20b", "qwen3:8b", "llama3.1:8b", "mistral-small3.2:24b"],
});

export const compatibleVendors: readonly Vendor[] = [
  google,
  xai,
  cerebras,
  mistral,
  deepseek,
  openrouter,
  ollama,
];
