/**
 * Checks what a program passes, which may be JavaScript or another library's form: a text in place of a message would
 * send an empty question, and an image of another form none.
 */
import { isObject } from "../shared/json.ts";

/** @throws TypeError if it is not a list of messages (`orTexts`: or of texts) */
export function checkMessages(messages: unknown, { orTexts }: { readonly orTexts: boolean }): void {
  const wanted = orTexts ? "a list of texts and messages" : "a list of messages";
  if (!Array.isArray(messages)) throw new TypeError(`messages is not ${wanted}.`);
  for (const [index, message] of messages.entries()) {
    if (orTexts && typeof message === "string") continue;
    const wrong = wrongPlace(message);
    if (wrong !== null)
      throw new TypeError(`messages is not ${wanted}: look at messages[${index}]${wrong}.`);
  }
}

/** @throws TypeError if it is not a list of tools */
export function checkTools(tools: unknown): void {
  if (!Array.isArray(tools)) throw new TypeError("tools is not a list; use [] for no tools.");
  const wrong = tools.findIndex(
    (tool: unknown) => !isObject(tool) || typeof tool.parse !== "function",
  );
  if (wrong >= 0)
    throw new TypeError(`tools[${wrong}] is not a tool; defineTool and fromJSONSchema make one.`);
}

/** @throws TypeError if it is neither a model nor a name */
export function checkModel(model: unknown): void {
  if (typeof model === "string" || (isObject(model) && typeof model.stream === "function")) return;
  throw new TypeError("model is neither a name, such as openai/gpt-4.1, nor a model of openModel.");
}

/** Where in a message something is of another form; null: nowhere. */
function wrongPlace(message: unknown): string | null {
  if (!isObject(message)) return "";
  const { role, content, results } = message;
  switch (role) {
    case "user":
      return wrongIn(content, ".content", isUserPart);
    case "assistant":
      return wrongIn(content, ".content", isAssistantPart);
    case "tool":
      return wrongIn(results, ".results", isResult);
    default:
      return "";
  }
}

function wrongIn(
  parts: unknown,
  place: string,
  isPart: (part: Readonly<Record<string, unknown>>) => boolean,
): string | null {
  if (!Array.isArray(parts)) return place;
  const wrong = parts.findIndex((part: unknown) => !isObject(part) || !isPart(part));
  return wrong < 0 ? null : `${place}[${wrong}]`;
}

type Fields = Readonly<Record<string, unknown>>;

function isUserPart({ type, text, mime, data }: Fields): boolean {
  if (type === "image") return typeof mime === "string" && typeof data === "string";
  return type === "text" && typeof text === "string";
}

function isAssistantPart({ type, text, id, name, arguments: json }: Fields): boolean {
  if (type === "text") return typeof text === "string";
  return type === "tool-call" && [id, name, json].every((field) => typeof field === "string");
}

function isResult({ callId, content }: Fields): boolean {
  return typeof callId === "string" && wrongIn(content, "", isUserPart) === null;
}
