/** Checks the messages of a program, which may be JavaScript: a text in place of a message would send an empty question. */
import { isObject } from "../shared/json.ts";

/** @throws TypeError if it is not a list of messages (`orTexts`: or of texts) */
export function checkMessages(messages: unknown, { orTexts }: { readonly orTexts: boolean }): void {
  const wanted = orTexts ? "a list of texts and messages" : "a list of messages";
  if (!Array.isArray(messages)) throw new TypeError(`messages is not ${wanted}.`);
  const wrong = messages.findIndex(
    (message: unknown) => !((orTexts && typeof message === "string") || isMessage(message)),
  );
  if (wrong >= 0) throw new TypeError(`messages is not ${wanted}: look at messages[${wrong}].`);
}

function isMessage(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { role, content, results } = value;
  if (role === "tool") return Array.isArray(results);
  return (role === "user" || role === "assistant") && Array.isArray(content);
}
