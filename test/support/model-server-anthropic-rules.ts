/** Which histories Anthropic's messages API refuses, in its own words (rules A1–A9, A14, A15, U1). Pure. */
import {
  checkSchema,
  findLoneSurrogate,
  isBlankText,
  isObject,
  type Json,
  namePattern,
  objects,
} from "./model-server-rules.ts";
import { anthropicSchema } from "./model-server-schema-rules.ts";

const prefill =
  "This model does not support assistant message prefill. The conversation must end with a user message.";

/** The sentence of the 400 that a body gets; null when it is accepted. `own`: a server that takes thoughts without a signature. */
export function checkAnthropicMessages(body: unknown, vendor = "anthropic"): string | null {
  if (!isObject(body)) return "The request body is not valid JSON.";
  const surrogate = findLoneSurrogate(body);
  if (surrogate !== null)
    return `The request body is not valid JSON: no low surrogate in string (${surrogate})`;
  const sampling = ["temperature", "top_p", "top_k"].find((key) => key in body);
  if (sampling) return `${sampling}: not supported by this model`;
  if (!Number.isInteger(body.max_tokens)) return "max_tokens: Field required";
  if ("system" in body && isBlankText(body.system))
    return "system: text content blocks must be non-empty";
  const messages = objects(body.messages);
  if (messages.length === 0) return "messages: at least one message is required";
  if (messages[0]?.role !== "user") return 'messages: first message must use the "user" role';
  if (messages.at(-1)?.role === "assistant" && !isPaused(messages.at(-1))) return prefill;
  const seen = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const breach =
      checkBlocks(message, index, vendor) ??
      (message.role === "assistant"
        ? checkUses(message, messages[index + 1], index, seen)
        : checkResults(message, messages[index - 1], index));
    if (breach !== null) return breach;
  }
  return checkManualThinking(body, messages) ?? checkServerUses(messages) ?? checkTools(body);
}

/** Up to 4.5 thinking has a budget and nothing else; it forbids forced calls, and a loop has it from its beginning. */
function checkManualThinking(
  { model, thinking, max_tokens, tool_choice, output_config }: Json,
  messages: readonly Json[],
): string | null {
  const isManual = /^claude-(3|(opus|sonnet|haiku)-4(-[0-5](\D|$)|-2|$))/.test(String(model));
  const type = isObject(thinking) ? thinking.type : undefined;
  if (!isManual)
    return type === "enabled" ? `"thinking.type.enabled" is not supported for this model` : null;
  if (type === "adaptive" || output_config !== undefined)
    return "adaptive thinking is not supported on this model";
  if (type !== "enabled") return null;
  const budget = isObject(thinking) ? thinking.budget_tokens : undefined;
  if (!(typeof budget === "number" && budget >= 1024))
    return "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024";
  if (budget >= Number(max_tokens))
    return "`max_tokens` must be greater than `thinking.budget_tokens`";
  if (isObject(tool_choice) && (tool_choice.type === "any" || tool_choice.type === "tool")) {
    return "Thinking may not be enabled when tool_choice forces tool use.";
  }
  const question = messages.findLastIndex(
    (message) =>
      message.role === "user" && !blocksOf(message).some((block) => block.type === "tool_result"),
  );
  for (const [index, message] of messages.entries()) {
    if (index <= question || message.role !== "assistant") continue;
    const [first = {}] = blocksOf(message);
    if (!isThinking(first)) {
      return `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(first.type)}\``;
    }
  }
  return null;
}

/** Only a response in which a tool of the vendor's was at work can be one that paused (rule A14). */
function isPaused(message: Json | undefined): boolean {
  return blocksOf(message).some(({ type }) => type === "server_tool_use" || isServerResult(type));
}

function isServerResult(type: unknown): boolean {
  return typeof type === "string" && /^\w+_tool_result$/.test(type);
}

/** What the vendor's tools were asked and gave goes out both; only the last response may still wait. */
function checkServerUses(messages: readonly Json[]): string | null {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  const all = messages.flatMap(blocksOf);
  const answered = all.filter(({ type }) => isServerResult(type)).map((block) => block.tool_use_id);
  const asked = all.filter(({ type }) => type === "server_tool_use").map(({ id }) => id);
  if (new Set(asked).size < asked.length) return "messages: `tool_use` ids must be unique";
  const orphan = answered.find((id) => !asked.includes(id));
  if (orphan !== undefined) return `messages: unexpected \`tool_use_id\`: ${String(orphan)}`;
  for (const [index, message] of messages.entries()) {
    const lost = blocksOf(message).find(
      ({ type, id }) => type === "server_tool_use" && index !== last && !answered.includes(id),
    );
    if (lost !== undefined) {
      return `messages.${index}: \`${String(lost.name)}\` tool use with id \`${String(lost.id)}\` was found without a corresponding \`${String(lost.name)}_tool_result\` block`;
    }
  }
  return null;
}

function blocksOf(message: Json | undefined): readonly Json[] {
  const content = message?.content;
  return typeof content === "string" ? [{ type: "text", text: content }] : objects(content);
}

function checkBlocks(message: Json, index: number, vendor: string): string | null {
  const blocks = blocksOf(message);
  if (blocks.length === 0) return `messages.${index}: all messages must have non-empty content`;
  for (const [place, block] of blocks.entries()) {
    if (block.type === "text" && isBlankText(block.text)) {
      return "messages: text content blocks must be non-empty";
    }
    if (block.type === "image" && !isImage(block)) {
      return `messages.${index}.content.${place}.image.source: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`;
    }
    const roles = block.type === "tool_result" || block.type === "image" ? "user" : "assistant";
    if (block.type !== "text" && message.role !== roles) {
      return `messages.${index}: \`${String(block.type)}\` blocks can only be in \`${roles}\` messages`;
    }
  }
  return message.role === "assistant" ? checkThinking(blocks, index, vendor === "own") : null;
}

function isImage({ source }: Json): boolean {
  return isObject(source) && /^image\/(png|jpeg|gif|webp)$/.test(String(source.media_type));
}

function isThinking({ type }: Json): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

function checkThinking(
  blocks: readonly Json[],
  index: number,
  takesUnsigned: boolean,
): string | null {
  if (!blocks.some(isThinking)) return null;
  const [first = {}] = blocks;
  if (!isThinking(first)) {
    return `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(first.type)}\``;
  }
  if (isThinking(blocks.at(-1) ?? {})) {
    return `messages.${index}: The final block in an assistant message cannot be \`thinking\``;
  }
  const unsigned = blocks.some(
    ({ type, signature }) => type === "thinking" && isBlankText(signature),
  );
  return unsigned && !takesUnsigned
    ? `messages.${index}.content: Invalid \`signature\` in \`thinking\` block`
    : null;
}

function checkUses(
  message: Json,
  next: Json | undefined,
  index: number,
  seen: Set<string>,
): string | null {
  const uses = blocksOf(message).filter(({ type }) => type === "tool_use");
  for (const { id, name, input } of uses) {
    if (typeof id !== "string" || !/^[a-zA-Z0-9_-]{1,64}$/.test(id)) {
      return `messages.${index}.content.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
    }
    if (seen.has(id)) return "messages: `tool_use` ids must be unique";
    seen.add(id);
    if (typeof name !== "string" || !namePattern.test(name)) {
      return `messages.${index}.content.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'`;
    }
    if (!isObject(input))
      return `messages.${index}.content.tool_use.input: Input should be a valid dictionary`;
  }
  const answered = resultIds(next);
  const missing = uses.map(({ id }) => String(id)).filter((id) => !answered.includes(id));
  return missing.length === 0
    ? null
    : `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
}

function resultIds(message: Json | undefined): readonly string[] {
  return blocksOf(message)
    .filter(({ type }) => type === "tool_result")
    .map((block) => String(block.tool_use_id));
}

function checkResults(message: Json, before: Json | undefined, index: number): string | null {
  const blocks = blocksOf(message);
  const uses = blocksOf(before).filter(({ type }) => type === "tool_use");
  const ids = resultIds(message);
  const orphan = ids.find(
    (id, place) => !uses.some((use) => use.id === id) || ids.indexOf(id) !== place,
  );
  if (orphan !== undefined) {
    return `messages.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${orphan}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
  }
  const firstOther = blocks.findIndex(({ type }) => type !== "tool_result");
  if (firstOther >= 0 && firstOther < ids.length) {
    return `messages.${index}: \`tool_result\` blocks must come before other content`;
  }
  const failed = blocks.find(
    (block) =>
      block.type === "tool_result" &&
      block.is_error === true &&
      objects(block.content).some(({ type }) => type !== "text"),
  );
  if (failed !== undefined) {
    return `messages.${index}.content.${blocks.indexOf(failed)}.tool_result: all content must be type "text" if "is_error" is true`;
  }
  const empty = blocks.some(
    ({ type, content }) =>
      type === "tool_result" &&
      objects(content).some((part) => part.type === "text" && isBlankText(part.text)),
  );
  return empty ? "messages: text content blocks must be non-empty" : null;
}

function checkTools({ tools }: Json): string | null {
  const names = objects(tools).map(({ name }) => name);
  if (new Set(names).size < names.length) return "tools: Tool names must be unique.";
  for (const [index, { type, name, input_schema: schema }] of objects(tools).entries()) {
    if (typeof name !== "string" || !namePattern.test(name)) {
      return `tools.${index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'`;
    }
    if (type !== undefined && type !== "custom") continue;
    const place = `tools.${index}.custom.input_schema`;
    const breach = checkSchema(schema, place) ?? anthropicSchema(schema, place);
    if (breach !== null) return breach;
  }
  return null;
}
