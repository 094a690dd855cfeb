/** Which chats a typed query matches, and what the row of a chat shows. Pure. */
import { basename } from "node:path";
import { moneyText } from "../../conversation/usage.ts";
import { visible } from "../../shared/visible.ts";
import { chatName } from "./chat-file-name.ts";
import type { ListedChat } from "./chat-index.ts";

/**
 * The chats in which every word occurs, in the topic, a note, a tag, the model or the file's name, ignoring case.
 * `#word` looks at tags only. Chats whose topic contains all words come first; otherwise the order stays.
 */
export function filterChats(chats: readonly ListedChat[], query: string): readonly ListedChat[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) return chats;
  const found = chats.filter((chat) => words.every((word) => holds(chat, word)));
  const inTopic = (chat: ListedChat) => {
    const topic = chat.topic.toLowerCase();
    return words.every((word) => topic.includes(word));
  };
  return [...found.filter(inTopic), ...found.filter((chat) => !inTopic(chat))];
}

function holds(chat: ListedChat, word: string): boolean {
  if (word.startsWith("#") && word.length > 1) {
    return chat.tags.some((tag) => tag.toLowerCase().startsWith(word.slice(1)));
  }
  const { topic, notes, model, tags, path } = chat;
  return [topic, notes, model, basename(path), ...tags].some((text) =>
    text.toLowerCase().includes(word),
  );
}

/** The columns of one row; the screen cuts them to its width. */
export interface ChatRow {
  readonly path: string;
  /** `❓2`, `…` for an interrupted answer, or empty. */
  readonly sign: string;
  readonly topic: string;
  /** The model's own name, without its vendor. */
  readonly model: string;
  readonly age: string;
  /** As in a header: `stocks, gold`. */
  readonly tags: string;
  /** The cost so far, as far as it is known: `$0.0123`, else empty. */
  readonly cost: string;
}

/** `cost` is in US dollars; null: not known. */
export function chatRow(chat: ListedChat, now: number, cost: number | null): ChatRow {
  const name = chatName(chat.path);
  return {
    path: chat.path,
    sign: signOf(chat),
    topic: visible(chat.topic === "" ? name : chat.topic),
    model: visible(chat.model.replace(/^[^/]*\//, "")),
    tags: visible(chat.tags.join(", ")),
    cost: cost === null ? "" : moneyText(cost),
    age: ageText(now - chat.modified),
  };
}

function signOf({ state, waiting }: ListedChat): string {
  if (state === "waiting") return `❓${waiting}`;
  return state === "unfinished" ? "…" : "";
}

const units = [
  { word: "y", length: 365 * 86_400 },
  { word: "mo", length: 30 * 86_400 },
  { word: "d", length: 86_400 },
  { word: "h", length: 3600 },
  { word: "min", length: 60 },
] as const;

/** Milliseconds as a short text: `now`, `5 min`, `3 h`, `12 d`, `4 mo`, `2 y`. */
export function ageText(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  const unit = units.find(({ length }) => seconds >= length);
  return unit === undefined ? "now" : `${Math.floor(seconds / unit.length)} ${unit.word}`;
}
