/**
 * Applies the rules that all providers' histories share: adjacent messages of one role are joined, nothing is empty,
 * every call has exactly one result, and ids are unique and in the provider's alphabet. Any history is valid input;
 * the output can always be sent. Pure.
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
} from "../../conversation/ports.ts";
import { noOutputText, notExecutedText } from "../../conversation/results.ts";
import { createKept, type Steps } from "../../shared/kept.ts";
import { bareBase64, mediaTypeOf } from "../../shared/media-type.ts";
import { isSendableMime } from "../../shared/sendable-images.ts";
import { isUnseen, isWellFormed, wellFormed } from "../../shared/well-formed.ts";
import { wellFormedValue } from "../text.ts";
import type { CallIdRule } from "../vendors/compat.ts";
import { createCallIds } from "./call-ids.ts";

export interface UserTurn {
  readonly role: "user";
  /** Never empty. */
  readonly content: readonly (TextPart | ImagePart)[];
}

/** One response of the model together with the results of its calls. */
export interface AssistantTurn {
  readonly role: "assistant";
  /** Never empty; call ids are those on the wire. */
  readonly content: readonly (TextPart | ToolCallPart)[];
  readonly state: unknown;
  /** One per call, in the order of the calls, with the ids of `content`. */
  readonly results: readonly ToolResultPart[];
}

export type Turn = UserTurn | AssistantTurn;

export interface HistoryRules {
  readonly callIds: CallIdRule;
}

const maxNameLength = 64;

/** The turns of some messages, and the ids of their calls: in the messages, and on the wire. */
interface KeptTurns {
  readonly turns: readonly Turn[];
  readonly ids: readonly (readonly [own: string, wire: string])[];
}

const keptTurns = createKept<Message, KeptTurns>();

/** The history as turns; starts with a user turn and is never empty. State of other models is left out. */
export function toTurns(
  { messages, model }: Pick<ModelRequest, "messages" | "model">,
  rules: HistoryRules,
): readonly Turn[] {
  const turns: Turn[] = [];
  const join = createJoin();
  const ids: [string, string][] = [];
  const createId = createCallIds(rules.callIds);
  /** Ids of the next calls, which were created already. */
  let created: string[] = [];
  const callId = (own: string) => {
    const wire = created.shift() ?? createId(own);
    ids.push([own, wire]);
    return wire;
  };
  const steps: Steps<Message, KeptTurns> = {
    each(message, index) {
      if (message.role === "user") addUser(turns, cleanParts(message.content), join);
      // Results are handled with the assistant message before them; without one, they are orphans (rules O2, A4).
      if (message.role !== "assistant") return;
      addAssistant(turns, assistantTurn(messages, index, message, { model, callId }), join);
    },
    segment(kept) {
      created = kept.ids.map(([own]) => createId(own));
      // An earlier call may have the same id.
      if (created.some((id, index) => id !== kept.ids[index]?.[1])) return false;
      created = [];
      ids.push(...kept.ids.map(([own, wire]): [string, string] => [own, wire]));
      for (const turn of kept.turns) turns.push(turn);
      return true;
    },
    isSeam: (before, after) => before.role !== "user" && after.role === "user",
  };
  const context = [model.provider, model.id, rules.callIds];
  keptTurns.walk(messages, steps, ...context);
  keptTurns.keep(messages, () => ({ turns: [...turns], ids }), ...context);
  if (turns[0]?.role !== "user") {
    turns.unshift({ role: "user", content: [{ type: "text", text: "(no question)" }] });
  }
  return turns;
}

/** Whether a response and a question can be converted without each other: nothing of the one goes into the other. */
export function isSeam(before: Turn, after: Turn): boolean {
  return before.role === "assistant" && before.results.length === 0 && after.role === "user";
}

function ownState({ state, model: made }: AssistantMessage, asked: ModelName): unknown {
  const isOwn = made === undefined || (made.provider === asked.provider && made.id === asked.id);
  // A model may write a NUL, or half of a surrogate pair, and its vendor would refuse to take them back.
  return isOwn ? wellFormedValue(state) : undefined;
}

function resultsAfter(messages: readonly Message[], index: number): readonly ToolResultPart[] {
  const results: ToolResultPart[] = [];
  for (let next = index + 1; ; next += 1) {
    const message = messages[next];
    if (message?.role !== "tool") return results;
    results.push(...message.results);
  }
}

/**
 * Returns a function that joins two lists. A list that it made itself grows in place, since all messages of a chat may
 * become one turn; all others are copied, since earlier requests keep them. To be made for one conversion.
 */
function createJoin(): <Item>(list: readonly Item[], more: readonly Item[]) => Item[] {
  const made = new Set<readonly unknown[]>();
  return <Item>(list: readonly Item[], more: readonly Item[]) => {
    const joined = made.has(list) ? (list as Item[]) : [...list];
    made.add(joined);
    for (const item of more) joined.push(item);
    return joined;
  };
}

type Join = ReturnType<typeof createJoin>;

function addUser(turns: Turn[], content: UserTurn["content"], join: Join): void {
  if (content.length === 0) return;
  const last = turns.at(-1);
  if (last?.role === "user") {
    turns[turns.length - 1] = { role: "user", content: join(last.content, content) };
  } else {
    turns.push({ role: "user", content });
  }
}

function addAssistant(turns: Turn[], turn: AssistantTurn, join: Join): void {
  if (turn.content.length === 0) return;
  const last = turns.at(-1);
  // State belongs to exactly one unchanged response; a joined message could not be sent with it.
  if (last?.role === "assistant" && last.results.length === 0 && last.state === undefined) {
    const content = join(last.content, turn.content);
    turns[turns.length - 1] = { ...turn, content, state: undefined };
  } else {
    turns.push(turn);
  }
}

const none: readonly never[] = [];

interface TurnContext extends Pick<ModelRequest, "model"> {
  readonly callId: (id: string) => string;
}

function assistantTurn(
  messages: readonly Message[],
  index: number,
  message: AssistantMessage,
  { model, callId }: TurnContext,
): AssistantTurn {
  const state = ownState(message, model);
  const said = message.content;
  // Most responses are only text.
  if (isTextAlone(said))
    return { role: "assistant", content: cleanParts(said), state, results: none };
  const unused = [...resultsAfter(messages, index)];
  const answered: ToolResultPart[] = [];
  const content = said.flatMap((part): (TextPart | ToolCallPart)[] => {
    if (part.type === "text") return [...cleanParts([part])];
    const call = { ...part, id: callId(part.id), name: wireName(part.name) };
    const found = unused.findIndex(({ callId }) => callId === part.id);
    const [result] = found < 0 ? [] : unused.splice(found, 1);
    answered.push(resultFor(call, result));
    return [call];
  });
  return { role: "assistant", content, state, results: answered };
}

function resultFor(call: ToolCallPart, result: ToolResultPart | undefined): ToolResultPart {
  const text = result === undefined ? notExecutedText : noOutputText;
  const content = cleanParts(result?.content ?? []);
  return {
    type: "tool-result",
    callId: call.id,
    name: call.name,
    isError: result?.isError ?? true,
    content: content.length > 0 ? content : [{ type: "text", text }],
  };
}

function isTextAlone(parts: AssistantMessage["content"]): parts is readonly TextPart[] {
  return parts.every(({ type }) => type === "text");
}

/** Removes empty text, which every provider refuses (rules O4, A6). Most lists stay unchanged. */
function cleanParts<P extends TextPart | ImagePart>(
  parts: readonly P[],
): readonly (P | TextPart)[] {
  if (parts.every(isClean)) return parts;
  return parts.flatMap((part): (P | TextPart)[] => {
    if (isClean(part)) return [part];
    if (isImage(part)) return [plainImage(part)];
    const text = part.type === "text" ? part.text : "";
    return isUnseen(text) ? [] : [{ type: "text", text: wellFormed(text) }];
  });
}

function isClean(part: TextPart | ImagePart): boolean {
  if (part.type === "text") return isWellFormed(part.text) && !isUnseen(part.text);
  // White space in base64 is at regular places, so the beginning of a large image shows it.
  return isSendableMime(part.mime) && !/^data:|\s/i.test(part.data.slice(0, 200));
}

function isImage<Part extends TextPart | ImagePart>(part: Part): part is Part & ImagePart {
  return part.type === "image";
}

/** With its type and data as vendors accept them: programs and servers write `image/jpg`, or a data URL. */
function plainImage<Image extends ImagePart>(image: Image): Image {
  const mime = mediaTypeOf(image.mime);
  return isSendableMime(mime) ? { ...image, mime, data: bareBase64(image.data) } : image;
}

/** A name from an edited or foreign transcript, reduced to the providers' alphabet (rule A5). */
function wireName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, maxNameLength) || "tool";
}
