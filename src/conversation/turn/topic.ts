/** What a chat is about, where its header leaves that open by `topic: ?`: told when an answer ends. */
import { setHeaderValue } from "../../transcript/edits/header-edits.ts";
import type { Edit, Exchange, Transcript } from "../../transcript/transcript.ts";

/** In characters; a topic stands in lists of chats. */
const longest = 60;

/**
 * The answer's own `📝:` line, which the system prompt asks for, else the beginning of its question: neither costs a
 * request, and a person who wants other words writes them. Empty when the topic is known.
 */
export function topicEdits(
  transcript: Transcript,
  { question, answer }: Exchange,
): readonly Edit[] {
  const topic = transcript.header.entries.findLast(({ key }) => key === "topic");
  if (topic?.value !== "?") return [];
  const words = topicOf(answer?.summary ?? "") || topicOf(question.text);
  return words === "" ? [] : setHeaderValue(transcript, "topic", words);
}

/** The first line that says something beside what it refers to; cut between words. */
function topicOf(text: string): string {
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
