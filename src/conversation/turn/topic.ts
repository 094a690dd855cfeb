/** What a chat is about, where its header leaves that open by `topic: ?`: told when an answer ends. */

import { setHeaderValue } from "../../transcript/edits/header-edits.ts";
import type { Edit, Exchange, Transcript } from "../../transcript/transcript.ts";
import type { ModelName } from "../ports.ts";
import type { ModelFacts } from "../usage.ts";

/** In characters; a topic stands in lists of chats. */
const longest = 60;

/** A model that is asked for topics (`topic_model`). */
export interface TopicModel {
  readonly name: ModelName;
  /** `provider/id`. */
  readonly model: string;
  readonly facts: ModelFacts;
}

/**
 * The answer's own `📝:` line, which the system prompt asks for, else the beginning of its question: neither costs a
 * request, and a person who wants other words writes them. Empty when the topic is known.
 */
export function topicEdits(transcript: Transcript, exchange: Exchange): readonly Edit[] {
  const words = summaryTopic(exchange) || topicOf(exchange.question.text);
  return writeTopic(transcript, words);
}

/** The same, but for an answer that says nothing of it, which a model is asked about. */
export function ownTopicEdits(transcript: Transcript, exchange: Exchange): readonly Edit[] {
  return writeTopic(transcript, summaryTopic(exchange));
}

export function writeTopic(transcript: Transcript, words: string): readonly Edit[] {
  return words === "" || !isTopicOpen(transcript) ? [] : setHeaderValue(transcript, "topic", words);
}

export function isTopicOpen({ header }: Transcript): boolean {
  return header.entries.findLast(({ key }) => key === "topic")?.value === "?";
}

function summaryTopic({ answer }: Exchange): string {
  return topicOf(answer?.summary ?? "");
}

/** The first line that says something beside what it refers to; cut between words. */
export function topicOf(text: string): string {
  const lines = text
    .replaceAll(/@@[^@\n]+@@|!\[[^\]\n]*\]\([^)\n]*\)/g, " ")
    .split("\n")
    .map((line) => line.replaceAll(/\s+/g, " ").trim());
  const line = lines.find((each) => /[\p{L}\p{N}]/u.test(each)) ?? "";
  const characters = [...line];
  if (characters.length <= longest) return line;
  const cut = characters.slice(0, longest).join("");
  const end = cut.lastIndexOf(" ");
  return `${end > longest / 2 ? cut.slice(0, end) : cut}…`;
}
