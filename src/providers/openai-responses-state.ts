/**
 * What the Responses API wants back inside an open tool loop when it keeps nothing itself: the items of the
 * response exactly as they came and in their order, reasoning with its encrypted content, messages with their
 * phase, calls of tools that the vendor ran (rules P5–P7). Ids, names and arguments of function calls are not in
 * it: they come from the transcript. It is opaque to everything outside this room.
 */
import type { ResponseInputItem } from "openai/resources/responses/responses";
import type { AssistantTurn } from "./history.ts";
import { argumentsText, isBlank, isRecord } from "./text.ts";

/** An item as received; of a function call, what can be read in the transcript is null. */
export type KeptItem = Readonly<Record<string, unknown>> & { readonly type: string };

interface ResponsesState {
  readonly api: "openai-responses";
  readonly items: readonly KeptItem[];
}

/** The state of a response; undefined when it had no items. */
export function responsesState(items: readonly KeptItem[]): ResponsesState | undefined {
  const kept = items
    .filter((item) => isSelfContained(item) && !isSilent(item))
    .map((item) => {
      if (item.type !== "function_call") return item;
      return { ...item, call_id: null, name: null, arguments: null };
    });
  return kept.length === 0 ? undefined : { api: "openai-responses", items: kept };
}

/** Reasoning without its content could only be looked up by its id, and nothing is stored (rule P5). */
function isSelfContained({ type, encrypted_content: content }: KeptItem): boolean {
  return type !== "reasoning" || (typeof content === "string" && content !== "");
}

/** A message without a word, which may come before a call, and is refused when it comes back. */
function isSilent({ type, content }: KeptItem): boolean {
  if (type !== "message" || !Array.isArray(content)) return false;
  return content.every(
    (part) =>
      isRecord(part) &&
      part.type === "output_text" &&
      typeof part.text === "string" &&
      isBlank(part.text),
  );
}

/** The response's items as the model made them; null when there is no state that fits the turn. */
export function echoItems(turn: AssistantTurn): ResponseInputItem[] | null {
  const state = readState(turn.state);
  if (state === null) return null;
  const calls = turn.content.filter((part) => part.type === "tool-call");
  const places = state.items.filter(({ type }) => type === "function_call");
  // Reasoning goes only with what followed it (rule P6); a response that ended in it was cut.
  if (places.length !== calls.length || state.items.at(-1)?.type === "reasoning") return null;
  const waiting = [...calls];
  return state.items.flatMap((item): ResponseInputItem[] => {
    if (item.type !== "function_call") return isInputItem(item) ? [item] : [];
    const call = waiting.shift();
    if (call === undefined) return [];
    const filled = {
      ...item,
      call_id: call.id,
      name: call.name,
      arguments: argumentsText(call.arguments),
    };
    return isInputItem(filled) ? [filled] : [];
  });
}

function readState(value: unknown): ResponsesState | null {
  if (!isRecord(value) || value.api !== "openai-responses") return null;
  const { items } = value;
  if (!Array.isArray(items) || items.length === 0 || !items.every(isKeptItem)) return null;
  return { api: "openai-responses", items };
}

function isKeptItem(value: unknown): value is KeptItem {
  return isRecord(value) && typeof value.type === "string";
}

/** The API made the item, so it is taken at its word; it is sent back as it was. */
function isInputItem(item: object): item is ResponseInputItem {
  return "type" in item;
}
