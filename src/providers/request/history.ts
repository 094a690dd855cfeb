/**
 * The rules that every provider's history has in common, applied once: neighbours of one role joined, nothing
 * empty, every call with exactly one result, ids unique and in the provider's alphabet. What comes in may be any
 * history; what comes out can be sent. Pure.
 */

import { createHash } from "node:crypto";
import type {
  AssistantMessage,
  ImagePart,
  Message,
  ModelName,
  ModelRequest,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from "../../conversation/ports.ts";
import { isUnseen, wellFormed } from "../../shared/well-formed.ts";
import type { CallIdRule } from "../vendors/compat.ts";

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
    if (isUnseen(part.text)) return [];
    const text = wellFormed(part.text);
    return [text === part.text ? part : { type: "text", text }];
  });
}

/** A name from an edited or foreign transcript, in the alphabet of the providers (rule A5). */
function wireName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, maxNameLength) || "tool";
}

/**
 * The id of a call on the wire, unlike those `taken`, to which it is added. Depends only on what stands above, so
 * that a longer history keeps the ids of a shorter one.
 */
function uniqueCallId(id: string, taken: Set<string>, rule: CallIdRule): string {
  const base = wireId(id, rule);
  let unique = base;
  for (let number = 2; taken.has(unique); number += 1) {
    unique = rule.isExact ? digest(`${id} ${number}`, rule.length) : numbered(base, number, rule);
  }
  taken.add(unique);
  return unique;
}

function wireId(id: string, { length, isExact }: CallIdRule): string {
  if (isExact) {
    const fits = id.length === length && /^[a-zA-Z0-9]*$/.test(id);
    return fits ? id : digest(id, length);
  }
  return id.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, length) || "call";
}

function numbered(base: string, number: number, { length }: CallIdRule): string {
  const suffix = `_${number}`;
  return base.slice(0, length - suffix.length) + suffix;
}

/** Letters and digits, the same for the same id. */
function digest(text: string, length: number): string {
  const hash = createHash("sha256").update(text, "utf8").digest("base64");
  return hash.replace(/[^a-zA-Z0-9]/g, "").slice(0, length);
}
