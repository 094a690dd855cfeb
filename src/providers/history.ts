/**
 * The rules that every provider's history has in common, applied once: neighbours of one role joined, nothing
 * empty, every call with exactly one result, ids unique and in the provider's alphabet. What comes in may be any
 * history; what comes out can be sent. Pure.
 */
import type {
  AssistantMessage,
  ImagePart,
  Message,
  ModelName,
  ModelRequest,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from "../conversation/types.ts";
import { uniqueCallId } from "./call-ids.ts";
import type { CallIdRule } from "./compat.ts";
import { isBlank, wellFormed } from "./text.ts";

export interface UserTurn {
  readonly role: "user";
  /** Never empty. */
  readonly content: readonly (TextPart | ImagePart)[];
}

/** One response of the model together with the results of its calls. */
export interface AssistantTurn {
  readonly role: "assistant";
  /** Never empty; call ids as they go over the wire. */
  readonly content: readonly (TextPart | ToolCallPart)[];
  readonly state: unknown;
  /** One per call, in call order, with the ids of `content`. */
  readonly results: readonly ToolResultPart[];
}

export type Turn = UserTurn | AssistantTurn;

export interface HistoryRules {
  readonly callIds: CallIdRule;
}

const maxNameLength = 64;

/** The history as turns; begins with the user's, and is never empty. State of other models is left out. */
export function toTurns(
  { messages, model }: Pick<ModelRequest, "messages" | "model">,
  rules: HistoryRules,
): readonly Turn[] {
  const ids = new Set<string>();
  const turns: Turn[] = [];
  for (const [index, message] of messages.entries()) {
    switch (message.role) {
      case "user":
        addUser(turns, cleanParts(message.content));
        break;
      case "assistant":
        addAssistant(
          turns,
          assistantTurn(ownState(message, model), resultsAfter(messages, index), ids, rules),
        );
        break;
      case "tool":
        // Read together with the assistant's message before it; without one they are orphans (rules O2, A4).
        break;
    }
  }
  if (turns[0]?.role !== "user") {
    turns.unshift({ role: "user", content: [{ type: "text", text: "(no question)" }] });
  }
  return turns;
}

function ownState(message: AssistantMessage, asked: ModelName): AssistantMessage {
  const { state: _state, ...readable } = message;
  const made = message.model;
  const isOwn = made === undefined || (made.provider === asked.provider && made.id === asked.id);
  return isOwn ? message : readable;
}

function resultsAfter(messages: readonly Message[], index: number): readonly ToolResultPart[] {
  const results: ToolResultPart[] = [];
  for (let next = index + 1; ; next += 1) {
    const message = messages[next];
    if (message?.role !== "tool") return results;
    results.push(...message.results);
  }
}

function addUser(turns: Turn[], content: UserTurn["content"]): void {
  if (content.length === 0) return;
  const last = turns.at(-1);
  if (last?.role === "user") {
    turns[turns.length - 1] = { role: "user", content: [...last.content, ...content] };
  } else {
    turns.push({ role: "user", content });
  }
}

function addAssistant(turns: Turn[], turn: AssistantTurn): void {
  if (turn.content.length === 0) return;
  const last = turns.at(-1);
  // State belongs to one response exactly as it was; joined with another it could not be sent.
  if (last?.role === "assistant" && last.results.length === 0 && last.state === undefined) {
    const content = [...last.content, ...turn.content];
    turns[turns.length - 1] = { ...turn, content, state: undefined };
  } else {
    turns.push(turn);
  }
}

function assistantTurn(
  message: AssistantMessage,
  results: readonly ToolResultPart[],
  ids: Set<string>,
  rules: HistoryRules,
): AssistantTurn {
  const unused = [...results];
  const answered: ToolResultPart[] = [];
  const content = message.content.flatMap((part): (TextPart | ToolCallPart)[] => {
    if (part.type === "text") return cleanParts([part]);
    const call = {
      ...part,
      id: uniqueCallId(part.id, ids, rules.callIds),
      name: wireName(part.name),
    };
    const found = unused.findIndex(({ callId }) => callId === part.id);
    const [result] = found < 0 ? [] : unused.splice(found, 1);
    answered.push(resultFor(call, result));
    return [call];
  });
  return { role: "assistant", content, state: message.state, results: answered };
}

function resultFor(call: ToolCallPart, result: ToolResultPart | undefined): ToolResultPart {
  const text = result === undefined ? "not executed" : "(no output)";
  const content = cleanParts(result?.content ?? []);
  return {
    type: "tool-result",
    callId: call.id,
    name: call.name,
    isError: result?.isError ?? true,
    content: content.length > 0 ? content : [{ type: "text", text }],
  };
}

/** Empty text is refused everywhere (rules O4, A6). */
function cleanParts<P extends TextPart | ImagePart>(parts: readonly P[]): (P | TextPart)[] {
  return parts.flatMap((part): (P | TextPart)[] => {
    if (part.type === "image") return [part];
    if (isBlank(part.text)) return [];
    const text = wellFormed(part.text);
    return [text === part.text ? part : { type: "text", text }];
  });
}

/** A name from an edited or foreign transcript, in the alphabet of the providers (rule A5). */
function wireName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, maxNameLength) || "tool";
}
