/** Which histories chat completions refuse, in OpenAI's own words (rules O1–O7, U1), and then the vendor. Pure. */
import {
  checkSchema,
  findLoneSurrogate,
  isBlankText,
  isObject,
  type Json,
  namePattern,
  objects,
} from "./model-server-rules.ts";
import { arrayWithoutItems } from "./model-server-schema-rules.ts";
import { checkVendorBody } from "./model-server-vendor-rules.ts";

/** The sentence of the 400 that a body gets; null when it is accepted. `vendor` is a key of the vendors' own rules. */
export function checkOpenAIMessages(body: unknown, vendor = "openai"): string | null {
  if (!isObject(body)) return "We could not parse the JSON body of your request.";
  const surrogate = findLoneSurrogate(body);
  if (surrogate !== null) return `Invalid body: failed to parse JSON value (${surrogate}).`;
  const messages = objects(body.messages);
  if (messages.length === 0) return "Invalid 'messages': empty array.";
  let pending: string[] = [];
  const seen = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (message.role !== "tool" && pending.length > 0) return unanswered(pending);
    const breach = checkMessage(message, index, { pending, vendor });
    if (breach !== null) return breach;
    if (message.role === "tool") pending = pending.filter((id) => id !== message.tool_call_id);
    for (const { id } of objects(message.tool_calls)) {
      if (seen.has(String(id))) return `Duplicate tool_call id '${String(id)}'.`;
      seen.add(String(id));
      pending.push(String(id));
    }
  }
  if (pending.length > 0) return unanswered(pending);
  return checkTools(body) ?? checkVendorBody(body, vendor);
}

function unanswered(ids: readonly string[]): string {
  return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids.join(", ")}`;
}

function checkMessage(
  message: Json,
  index: number,
  { pending, vendor }: { readonly pending: readonly string[]; readonly vendor: string },
): string | null {
  const place = `messages[${index}]`;
  switch (message.role) {
    case "system":
    case "developer":
      return isBlankText(message.content) ? `Invalid '${place}.content': empty.` : null;
    case "user":
      return checkUserContent(message.content, place);
    case "assistant":
      return checkAssistant(message, place, noTexts[vendor] ?? [null]);
    case "tool":
      return checkToolMessage(message, place, pending);
    default:
      return `Invalid value: '${String(message.role)}'. Supported values are: 'system', 'assistant', 'user', 'tool', and 'developer'.`;
  }
}

function checkUserContent(content: unknown, place: string): string | null {
  if (!Array.isArray(content)) {
    return isBlankText(content) ? `Invalid '${place}.content': empty.` : null;
  }
  if (content.length === 0) return `Invalid '${place}.content': empty array.`;
  const bad = objects(content).find((part) =>
    part.type === "text" ? isBlankText(part.text) : !isImage(part),
  );
  return bad === undefined ? null : `Invalid value: '${String(bad.type)}' in '${place}.content'.`;
}

function isImage({ type, image_url: image }: Json): boolean {
  const url = isObject(image) ? image.url : null;
  return (
    type === "image_url" &&
    typeof url === "string" &&
    /^data:image\/(png|jpeg|gif|webp);base64,/.test(url)
  );
}

/** What may replace a text beside calls, where that is not only null (rule O4). */
const noTexts: Readonly<Record<string, readonly unknown[]>> = { ollama: [""], own: [null, ""] };

function checkAssistant(message: Json, place: string, allowed: readonly unknown[]): string | null {
  const calls = message.tool_calls;
  if (calls !== undefined && !(Array.isArray(calls) && calls.length > 0)) {
    return `Invalid '${place}.tool_calls': empty array.`;
  }
  const { content } = message;
  const mayBeMissing = calls !== undefined && [...allowed, undefined].includes(content);
  if (!mayBeMissing && isBlankText(content)) {
    return `Invalid value for 'content': expected a string, got null. (${place})`;
  }
  for (const [number, call] of objects(calls).entries()) {
    const breach = checkCall(call, `${place}.tool_calls[${number}]`);
    if (breach !== null) return breach;
  }
  return null;
}

function checkCall({ id, type, function: called }: Json, place: string): string | null {
  if (typeof id !== "string" || id === "") return `Missing required parameter: '${place}.id'.`;
  if (id.length > 40) {
    return `Invalid '${place}.id': string too long. Expected a string with maximum length 40, but got a string with length ${id.length} instead.`;
  }
  if (type !== "function" || !isObject(called)) return `Invalid value for '${place}.type'.`;
  if (typeof called.name !== "string" || !namePattern.test(called.name)) {
    return `Invalid '${place}.function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`;
  }
  return typeof called.arguments === "string"
    ? null
    : `Invalid type for '${place}.function.arguments': expected a string, but got an object instead.`;
}

function checkToolMessage(message: Json, place: string, pending: readonly string[]): string | null {
  if (!pending.includes(String(message.tool_call_id))) {
    return `Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'. (${place}.role)`;
  }
  if ("name" in message) return `Unknown parameter: '${place}.name'.`;
  return isBlankText(message.content) ? `Invalid '${place}.content': expected a text.` : null;
}

function checkTools({ tools }: Json): string | null {
  if (tools === undefined) return null;
  const list = objects(tools);
  if (list.length === 0)
    return "Invalid 'tools': empty array. Expected an array with minimum length 1.";
  for (const [index, tool] of list.entries()) {
    const place = `tools[${index}].function`;
    const { name, parameters } = isObject(tool.function) ? tool.function : {};
    if (typeof name !== "string" || !namePattern.test(name)) return `Invalid '${place}.name'.`;
    const breach =
      checkSchema(parameters, `${place}.parameters`) ?? arrayWithoutItems(parameters, name);
    if (breach !== null) return breach;
  }
  return null;
}
