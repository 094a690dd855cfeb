/**
 * What single vendors refuse beyond the rules of chat completions, in their own words where those are known
 * (rules C1, D1, G1–G3, L1, M1, O8, O9, X1). Nothing of src is used: these check what src makes. Pure.
 */
import { isObject, type Json, objects } from "./model-server-rules.ts";
import { googleSchema } from "./model-server-schema-rules.ts";

type Check = (body: Json, messages: readonly Json[]) => string | null;

const standard = [
  "model",
  "messages",
  "tools",
  "tool_choice",
  "stream",
  "stream_options",
  "temperature",
  "top_p",
];

/** Fields of the body that each vendor documents; another one is refused. */
const known: Readonly<Record<string, readonly string[]>> = {
  openai: [
    ...standard,
    "max_completion_tokens",
    "parallel_tool_calls",
    "reasoning_effort",
    "prompt_cache_key",
    "prompt_cache_retention",
    "store",
  ],
  xai: [...standard, "max_completion_tokens", "parallel_function_calling", "reasoning_effort"],
  cerebras: [...standard, "max_completion_tokens", "reasoning_effort"],
  google: [...standard, "max_tokens", "reasoning_effort", "extra_body"],
  mistral: [
    ...standard.filter((field) => field !== "stream_options"),
    "max_tokens",
    "parallel_tool_calls",
    "reasoning_effort",
  ],
  deepseek: [...standard, "max_tokens", "reasoning_effort", "thinking"],
  openrouter: [
    ...standard,
    "max_tokens",
    "parallel_tool_calls",
    "reasoning",
    "usage",
    "cache_control",
  ],
  ollama: [
    ...standard.filter((field) => field !== "tool_choice"),
    "max_tokens",
    "reasoning_effort",
  ],
};

/** Vendors whose rules these are. */
export const ruledVendors: readonly string[] = Object.keys(known);

/** Vendors that know `developer`; the others take `system` alone. */
const developers = new Set(["openai", "openrouter"]);

const checks: Readonly<Record<string, readonly Check[]>> = {
  openai: [toolsWithEffort, openaiSampling, tooManyTools, longDescription],
  xai: [tooManyTools, reference],
  cerebras: [plainChoice],
  google: [tooManyTools, thoughtSignatures, geminiName, googleTools, thinkingConfig],
  mistral: [lastIsUsers, shortIds, mistralChoice, roleAfterTool],
  deepseek: [tooManyTools, reasoningContent],
  ollama: [nullContent],
};

/** The sentence of the 400 that a vendor gives beyond the common rules; null when it accepts the body. */
export function checkVendorBody(body: Json, vendor: string): string | null {
  const fields = known[vendor];
  const foreign = Object.keys(body).find(
    (field) => fields !== undefined && !fields.includes(field),
  );
  if (foreign !== undefined) return `Unrecognized request argument supplied: ${foreign}`;
  const messages = objects(body.messages);
  if (!developers.has(vendor) && messages.some(({ role }) => role === "developer")) {
    return "Invalid value: 'developer'. Supported values are: 'system', 'assistant', 'user', 'tool'.";
  }
  const foreignState = stateOfOthers(messages, vendor);
  if (foreignState !== null) return foreignState;
  for (const check of checks[vendor] ?? []) {
    const breach = check(body, messages);
    if (breach !== null) return breach;
  }
  return null;
}

/** Who knows which field of an assistant's message, or of its calls, for what has to come back. */
const stateFields: Readonly<Record<string, readonly string[]>> = {
  reasoning_content: ["deepseek", "openrouter"],
  reasoning_details: ["openrouter"],
  extra_content: ["google"],
};

function stateOfOthers(messages: readonly Json[], vendor: string): string | null {
  for (const [index, message] of messages.entries()) {
    const fields = [message, ...objects(message.tool_calls)].flatMap(Object.keys);
    if (vendor === "own") continue;
    const bad = fields.find((field) => !(stateFields[field] ?? [vendor]).includes(vendor));
    if (bad !== undefined) return `Unknown parameter: '${bad}' in 'messages[${index}]'.`;
  }
  return null;
}

/** Rule O10: models from gpt-5.5 on reason unless they are told not to, those before only when they are told. */
function toolsWithEffort({ model, tools, reasoning_effort: effort }: Json): string | null {
  const id = String(model);
  if (objects(tools).length === 0 || effort === "none" || /chat/.test(id)) return null;
  const isNew = /^gpt-(5\.([5-9]|\d\d)|[6-9])/.test(id);
  const isAsked = /^gpt-5\.[2-4]/.test(id) && effort !== undefined;
  return isNew || isAsked
    ? `Function tools with reasoning_effort are not supported for ${id} in /v1/chat/completions. Please use /v1/responses instead.`
    : null;
}

/** Rule O8: models that reason sample as they like. */
function openaiSampling(body: Json): string | null {
  if (!/^(o\d|gpt-5(?!.*chat)|gpt-[6-9])/.test(String(body.model))) return null;
  const field = ["temperature", "top_p"].find((name) => name in body);
  return field ? `Unsupported parameter: '${field}' is not supported with this model.` : null;
}

function tooManyTools({ tools }: Json): string | null {
  return objects(tools).length > 128
    ? "Invalid 'tools': array too long. Expected an array with maximum length 128."
    : null;
}

/** Rule L1, of models in its cloud. */
function nullContent(_: Json, messages: readonly Json[]): string | null {
  const isNull = messages.some(({ content }) => content === null || content === undefined);
  return isNull ? "invalid message content type: <nil>" : null;
}

/** Rule O9. */
function longDescription({ tools }: Json): string | null {
  const place = objects(tools).findIndex(({ function: called }) => {
    const description = isObject(called) ? called.description : "";
    return typeof description === "string" && description.length > 1024;
  });
  return place < 0
    ? null
    : `Invalid 'tools[${place}].function.description': string too long. Expected a string with maximum length 1024.`;
}

/** Rule X1: neither `$ref` nor `allOf`, wherever they are keywords. */
function reference({ tools }: Json): string | null {
  const text = JSON.stringify(objects(tools).map(({ function: called }) => called));
  const keyword = /"(\$ref|\$defs|definitions|allOf|\$schema)":/.exec(text)?.[1];
  return keyword ? `Invalid tool schema: '${keyword}' is not supported.` : null;
}

/** Rule C1. */
function plainChoice({ tool_choice: choice }: Json): string | null {
  return choice === undefined || choice === "auto" || choice === "none"
    ? null
    : "tool_choice: only 'auto' and 'none' are supported.";
}

/** Rules G1–G3, for the whole history: the first call of every response has a signature, its own or the sentinel. */
function thoughtSignatures({ model }: Json, messages: readonly Json[]): string | null {
  if (!/^gemini-3/.test(String(model))) return null;
  for (const [index, message] of messages.entries()) {
    const [first] = objects(message.tool_calls);
    if (first === undefined) continue;
    const extra = isObject(first.extra_content) ? first.extra_content : {};
    const signature = isObject(extra.google) ? extra.google.thought_signature : undefined;
    if (typeof signature !== "string" || signature === "") {
      return `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, position ${index + 1}.`;
    }
  }
  return null;
}

/** Rule G5. */
function thinkingConfig(body: Json): string | null {
  const { extra_body: extra, model } = body;
  if (extra === undefined) return null;
  const google = isObject(extra) && Object.keys(extra).join() === "google" ? extra.google : null;
  const config = isObject(google) ? google.thinking_config : null;
  if (!isObject(config)) return "Invalid JSON payload received. Unknown name in 'extra_body'.";
  const level = config.thinking_level;
  if (level !== undefined && "reasoning_effort" in body) {
    return "Expected one of either `reasoning_effort` or custom `thinking_config`; found both.";
  }
  if (/^gemini-2/.test(String(model)) !== "thinking_budget" in config) {
    return "Unable to submit request because thinking_level is not supported by this model.";
  }
  const levels = /-pro/.test(String(model))
    ? ["low", "medium", "high"]
    : ["minimal", "low", "medium", "high"];
  return level === undefined || levels.includes(String(level))
    ? null
    : `Thinking level is not supported for this model: ${String(level)}.`;
}

function geminiName({ tools }: Json): string | null {
  const bad = objects(tools).find(({ function: called }) => {
    return !/^[a-zA-Z_]/.test(String(isObject(called) ? called.name : ""));
  });
  return bad ? "Invalid function name. Must start with a letter or an underscore." : null;
}

function googleTools({ tools }: Json): string | null {
  for (const [index, { function: called }] of objects(tools).entries()) {
    const breach = googleSchema(isObject(called) ? called.parameters : {}, index);
    if (breach !== null) return breach;
  }
  return null;
}

/** Rule M1. */
function shortIds(_: Json, messages: readonly Json[]): string | null {
  for (const message of messages) {
    const ids = objects(message.tool_calls).map(({ id }) => id);
    if (message.role === "tool") ids.push(message.tool_call_id);
    const bad = ids.find((id) => !/^[a-zA-Z0-9]{9}$/.test(String(id)));
    if (bad !== undefined) {
      return `Tool call id was ${String(bad)} but must be a-z, A-Z, 0-9, with a length of 9.`;
    }
  }
  return null;
}

/** Rule M2. */
function lastIsUsers(_: Json, messages: readonly Json[]): string | null {
  const last = messages.at(-1);
  return last?.role === "assistant"
    ? "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant"
    : null;
}

function mistralChoice({ tool_choice: choice }: Json): string | null {
  return choice === "required" ? "Input should be 'auto', 'none' or 'any' (tool_choice)" : null;
}

function roleAfterTool(_: Json, messages: readonly Json[]): string | null {
  const bad = messages.some(
    ({ role }, index) => role === "user" && messages[index - 1]?.role === "tool",
  );
  return bad ? "Unexpected role 'user' after role 'tool'" : null;
}

/** Rule D1. */
function reasoningContent({ thinking }: Json, messages: readonly Json[]): string | null {
  if (isObject(thinking) && thinking.type === "disabled") return null;
  const bad = messages.some(
    (message) => "tool_calls" in message && typeof message.reasoning_content !== "string",
  );
  return bad
    ? "The `reasoning_content` in the thinking mode must be passed back to the API."
    : null;
}
