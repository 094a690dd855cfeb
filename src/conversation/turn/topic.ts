/** The topic of a chat whose header leaves it open with `topic: ?`, set when an answer ends. */

import { collapseWhitespace } from "../../shared/visible.ts";
import { withoutEnd } from "../../shared/without-end.ts";
import { setHeaderValue } from "../../transcript/edits/header-edits.ts";
import type { Edit, Exchange, Transcript } from "../../transcript/transcript.ts";
import type { ModelName } from "../ports.ts";
import type { ModelFacts } from "../usage.ts";

/** In characters; topics are shown in lists of chats. */
const longest = 60;

/** A model that is asked for topics (`topic_model`). */
export interface TopicModel {
  readonly name: ModelName;
  /** `provider/id`. */
  readonly model: string;
  readonly facts: ModelFacts;
}

/**
 * Takes the answer's own `📝:` line, which the system prompt asks for, else the beginning of its question: neither costs
 * a request, and the user can always write another topic. Empty when the topic is known.
 */
export function topicEdits(transcript: Transcript, exchange: Exchange): readonly Edit[] {
  const words = summaryTopic(exchange) || topicOf(exchange.question.text);
  return writeTopic(transcript, words);
}

/** The same, but empty for an answer without such a line, for which a model is asked. */
export function ownTopicEdits(transcript: Transcript, exchange: Exchange): readonly Edit[] {
  return writeTopic(transcript, summaryTopic(exchange));
}

export function writeTopic(transcript: Transcript, words: string): readonly Edit[] {
  return words === "" || !isTopicOpen(transcript) ? [] : setHeaderValue(transcript, "topic", words);
}

export function isTopicOpen({ header }: Transcript): boolean {
  return header.entries.findLast(({ key }) => key === "topic")?.value === "?";
}

/**
 * A summary says what was asked and what was answered, as the system prompt demands. A list in which each chat begins
 * with "you asked" would be useless, so the topic is what was asked; with other wordings or languages it is the whole
 * line.
 */
function summaryTopic({ answer }: Exchange): string {
  const summary = topicOf(answer?.summary ?? "", longestSummary);
  const opening = askedWords.exec(summary);
  if (opening === null) return cutTo(summary, longest);
  const rest = summary.slice(opening[0].length);
  const asked = rest.slice(0, answerWords.exec(rest)?.index ?? rest.length);
  const plain = withoutEnd(asked, ".,;:");
  const bare = quoted.exec(plain)?.[1] ?? plain;
  return cutTo(/[\p{L}\p{N}]/u.test(bare) ? bare : summary, longest);
}

/** In characters; a longer summary has what was asked at its beginning, too. */
const longestSummary = 1000;

const askedWords =
  /^(?:you|the (?:user|person)|user) (?:asked|wanted|requested)(?: me)?(?: (?:about|for|to|that|if|whether)(?= ))?:? /i;
const answerWords = /[,;.]? (?:and|so|then|but) I /i;
const quoted = /^["“«]([^"“”«»]+)["”»]$/;

/** The first line with text besides references, cut between words to at most `most` characters. */
export function topicOf(text: string, most = longest): string {
  const lines = text
    .replaceAll(/@@[^@\n]+@@|!\[[^\][\n]*\]\([^()\n]*\)/g, " ")
    .split("\n")
    .map(collapseWhitespace);
  const line = lines.find((each) => /[\p{L}\p{N}]/u.test(each)) ?? "";
  return cutTo(line, most);
}

function cutTo(line: string, most: number): string {
  const characters = [...line];
  if (characters.length <= most) return line;
  const cut = characters.slice(0, most).join("");
  const end = cut.lastIndexOf(" ");
  return `${end > most / 2 ? cut.slice(0, end) : cut}…`;
}
