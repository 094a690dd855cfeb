/** The summary of a chat that a list shows, read from its text while parsing as little of it as possible. */
import { nextStep, openCalls } from "../../conversation/decide/next-step.ts";
import { emptySession } from "../../conversation/decide/session.ts";
import { formatModelName, parseModelName } from "../../conversation/settings/model-name.ts";
import { clip } from "../../shared/visible.ts";
import { type Marker, markerAt } from "../../transcript/markers.ts";
import { parseTranscript } from "../../transcript/parse.ts";
import type { Header, Transcript } from "../../transcript/transcript.ts";

/**
 * `waiting`: calls wait for a key. `unfinished`: the answer was interrupted. `asked`: a question without an answer.
 * `none`: the file is not a chat.
 */
export const chatStates = ["waiting", "unfinished", "asked", "answered", "empty", "none"] as const;
export type ChatState = (typeof chatStates)[number];

export interface ChatSummary {
  /** The header's topic, else the beginning of the first question; empty in an empty chat. */
  readonly topic: string;
  /** The model in the header, else the label of the last answer; empty when there is neither. */
  readonly model: string;
  readonly tags: readonly string[];
  /** Turns that begin with `💬:`. */
  readonly questions: number;
  readonly state: ChatState;
  /** How many calls wait for a key. */
  readonly waiting: number;
  /** The `📝:` lines, joined by line feeds; typing in the list searches them together with the topic. */
  readonly notes: string;
}

/** The most characters of a topic that is taken from a question. */
const topicLength = 80;
/** The most characters of notes that are kept for one chat. */
const notesLength = 4000;

/**
 * Takes time linear in the text. Only the header and the exchange whose calls can wait are parsed: the last one with an
 * answer (format, section 8), and what follows it.
 */
export function summariseChat(text: string): ChatSummary {
  const marked = markedLines(text);
  const turns = marked.filter(({ marker }) => marker.name !== "summary");
  const questions = turns.filter(({ marker }) => marker.name === "question");
  const { header } = parseTranscript(text.slice(0, turns[0]?.start));
  const end = parseTranscript(text.slice(beginOfLastAnswered(text, turns)));
  const isChat = turns.length > 0 || headerValue(header, "topic") !== null;
  const notes = marked.flatMap((line) =>
    line.marker.name === "summary" ? lineAfter(text, line) : [],
  );
  return {
    topic: headerTopic(header) ?? firstWords(text, questions),
    model: modelOf(header) ?? lastLabel(end),
    tags: chatTags(header),
    questions: questions.length,
    ...(isChat ? stateOf(end) : { state: "none", waiting: 0 }),
    notes: notes.join("\n").slice(0, notesLength),
  };
}

interface MarkedLine {
  readonly marker: Marker;
  /** The offset of its first character. */
  readonly start: number;
}

/** The lines that begin a question, an answer or a note. The text is not split into lines, since few of them matter. */
function markedLines(text: string): readonly MarkedLine[] {
  const found: MarkedLine[] = [];
  let start = text.startsWith("\uFEFF") ? 1 : 0;
  for (;;) {
    const marker = markerAt(text, start);
    const isOurs = marker !== null && ["question", "answer", "summary"].includes(marker.name);
    if (isOurs) found.push({ marker, start });
    const end = text.indexOf("\n", start);
    if (end < 0) return found;
    start = end + 1;
  }
}

/** The offset of the question that the last answer belongs to. */
function beginOfLastAnswered(text: string, turns: readonly MarkedLine[]): number {
  // In the bodies of older files a marker may be content; only the parser can tell, so everything is parsed.
  if (/^(?:📎|🔧):/mu.test(text)) return 0;
  const answer = turns.findLastIndex(({ marker }) => marker.name === "answer");
  const asked = turns.slice(0, Math.max(0, answer));
  const question = asked.findLast(({ marker }) => marker.name === "question");
  return (question ?? turns[0])?.start ?? text.length;
}

function lineAfter(text: string, { marker, start }: MarkedLine): string {
  const end = text.indexOf("\n", start);
  return text.slice(start + marker.text.length, end < 0 ? undefined : end).trim();
}

/** The last value of a header key, as text. */
function headerValue(header: Header, key: string): string | null {
  return header.entries.findLast((entry) => entry.key === key)?.value.trim() ?? null;
}

/** The topic in the header; null when the header leaves it open. */
export function headerTopic(header: Header): string | null {
  const topic = headerValue(header, "topic");
  return topic === null || topic === "" || topic === "?" ? null : topic;
}

/** The tags, whether the header has them as a text or as a list. */
export function chatTags(header: Header): readonly string[] {
  return (headerValue(header, "tags") ?? "").split(/[\s,]+/).filter((tag) => tag !== "");
}

function modelOf(header: Header): string | null {
  const model = headerValue(header, "model");
  if (model === null || model === "") return null;
  const name = parseModelName(model);
  return name === null ? model : formatModelName(name);
}

function lastLabel({ exchanges }: Transcript): string {
  return exchanges.findLast((exchange) => exchange.answer)?.answer?.label ?? "";
}

function firstWords(text: string, [first, second]: readonly MarkedLine[]): string {
  if (first === undefined) return "";
  const asked = text.slice(first.start + first.marker.text.length, second?.start);
  const words = asked.split("\n").find((line) => line.trim() !== "");
  return clip((words ?? "").trim(), topicLength).text;
}

function stateOf(transcript: Transcript): Pick<ChatSummary, "state" | "waiting"> {
  const { exchanges } = transcript;
  const answered = exchanges.findLast((exchange) => exchange.answer !== null);
  const last = exchanges.at(-1);
  if (last === undefined) return { state: "empty", waiting: 0 };
  if (answered === undefined) {
    return { state: last.question.text.trim() === "" ? "empty" : "asked", waiting: 0 };
  }
  const waiting = openCalls(transcript, answered, emptySession).length;
  if (waiting > 0) return { state: "waiting", waiting };
  // A new question below means that the user went on without the rest of the answer.
  const wentOn = last !== answered && last.question.text.trim() !== "";
  if (wentOn) return { state: "asked", waiting: 0 };
  const step = nextStep(transcript, answered, emptySession);
  return { state: step.type === "ask-model" ? "unfinished" : "answered", waiting: 0 };
}
