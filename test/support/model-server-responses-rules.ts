/** Which inputs OpenAI's Responses API refuses, in its own words (rules P1–P7, P9, U1). Pure. */
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

/** The sentence of the 400 that a body gets; null when it is accepted. */
export function checkResponsesInput(body: unknown): string | null {
  if (!isObject(body)) return "We could not parse the JSON body of your request.";
  const surrogate = findLoneSurrogate(body);
  if (surrogate !== null) return `Invalid body: failed to parse JSON value (${surrogate}).`;
  if (body.store !== false) return "Zero data retention requires 'store' to be false.";
  if ("messages" in body) return "Unsupported parameter: 'messages'. Use 'input' instead.";
  if ("instructions" in body && isBlankText(body.instructions)) return "'instructions' is empty.";
  const items = objects(body.input);
  if (items.length === 0) return "Invalid 'input': empty array.";
  return checkItems(items) ?? checkTools(body);
}

function checkItems(items: readonly Json[]): string | null {
  const called = new Set<string>();
  const answered = new Set<string>();
  const stored = new Set<unknown>();
  for (const [index, item] of items.entries()) {
    const place = `input[${index}]`;
    const breach =
      checkItem(item, place) ??
      checkReasoning(item, items[index + 1], place) ??
      checkItemId(item, place, stored);
    if (breach !== null) return breach;
    const id = String(item.call_id);
    if (item.type === "function_call") {
      if (called.has(id)) return `Duplicate function call id '${id}'.`;
      called.add(id);
    }
    if (item.type === "function_call_output") {
      if (!called.has(id) || answered.has(id)) {
        return `No tool call found for function call output with call_id ${id}.`;
      }
      answered.add(id);
    }
  }
  const missing = [...called].find((id) => !answered.has(id));
  return missing === undefined ? null : `No tool output found for function call ${missing}.`;
}

function checkItem(item: Json, place: string): string | null {
  switch (item.type ?? "message") {
    case "message":
      return checkMessage(item, place);
    case "function_call":
      return checkCall(item, place);
    case "function_call_output":
      return checkId(item, place) ?? checkContent(item.output, `${place}.output`, "input_text");
    case "reasoning":
      return isBlankText(item.encrypted_content)
        ? `Item with id '${String(item.id)}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`
        : null;
    case "web_search_call":
    case "custom_tool_call":
    case "x_search_call":
    case "code_interpreter_call":
      return null;
    default:
      return `Invalid value: '${String(item.type)}' in '${place}.type'.`;
  }
}

/** Of an item that came from the API (rule P9). */
function checkItemId(item: Json, place: string, known: Set<unknown>): string | null {
  if (!("id" in item)) return null;
  const { id } = item;
  if (typeof id !== "string") return `Invalid type for '${place}.id': expected a string.`;
  if (id.length > 64) {
    return `Invalid '${place}.id': string too long. Expected a string with maximum length 64, but got a string with length ${id.length} instead.`;
  }
  if (known.has(id)) {
    return `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`;
  }
  known.add(id);
  return null;
}

function checkReasoning(item: Json, next: Json | undefined, place: string): string | null {
  if (item.type !== "reasoning") return null;
  const follows =
    next !== undefined && next.role !== "user" && next.type !== "function_call_output";
  return follows
    ? null
    : `Item '${String(item.id)}' of type 'reasoning' was provided without its required following item. (${place})`;
}

function checkMessage({ role, content }: Json, place: string): string | null {
  if (!["user", "assistant", "system", "developer"].includes(String(role))) {
    return `Invalid value: '${String(role)}' in '${place}.role'.`;
  }
  return checkContent(
    content,
    `${place}.content`,
    role === "assistant" ? "output_text" : "input_text",
  );
}

function checkContent(content: unknown, place: string, textType: string): string | null {
  if (!Array.isArray(content)) return isBlankText(content) ? `Invalid '${place}': empty.` : null;
  if (content.length === 0) return `Invalid '${place}': empty array.`;
  const bad = objects(content).find((part) =>
    part.type === textType ? isBlankText(part.text) : part.type !== "refusal" && !isImage(part),
  );
  return bad === undefined ? null : `Invalid value: '${String(bad.type)}' in '${place}'.`;
}

function isImage({ type, image_url: url }: Json): boolean {
  return (
    type === "input_image" &&
    typeof url === "string" &&
    /^data:image\/(png|jpeg|gif|webp);base64,/.test(url)
  );
}

function checkCall(item: Json, place: string): string | null {
  if (typeof item.name !== "string" || !namePattern.test(item.name)) {
    return `Invalid '${place}.name': string does not match pattern.`;
  }
  if (typeof item.arguments !== "string") {
    return `Invalid type for '${place}.arguments': expected a string, but got an object instead.`;
  }
  return checkId(item, place);
}

function checkId({ call_id: id }: Json, place: string): string | null {
  if (typeof id !== "string" || id === "") return `Missing required parameter: '${place}.call_id'.`;
  return id.length > 64
    ? `Invalid '${place}.call_id': string too long. Expected a string with maximum length 64, but got a string with length ${id.length} instead.`
    : null;
}

function checkTools({ tools }: Json): string | null {
  if (tools === undefined) return null;
  const list = objects(tools);
  if (list.length === 0) return "Invalid 'tools': empty array.";
  for (const [index, { type, name, description, parameters, strict }] of list.entries()) {
    if (type !== "function") continue;
    const place = `tools[${index}]`;
    if (typeof name !== "string" || !namePattern.test(name)) return `Invalid '${place}.name'.`;
    if (strict !== false) return `Invalid schema for function '${name}': strict is on.`;
    if (typeof description === "string" && description.length > 1024) {
      return `Invalid '${place}.description': string too long. Expected a string with maximum length 1024.`;
    }
    const breach =
      checkSchema(parameters, `${place}.parameters`) ?? arrayWithoutItems(parameters, name);
    if (breach !== null) return breach;
  }
  return null;
}
