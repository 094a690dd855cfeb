/** The tags of a chat, as its header has them. Pure. */
import { removeHeaderKeys, setHeaderValue } from "../../transcript/edits/header-edits.ts";
import type { Edit, Transcript } from "../../transcript/transcript.ts";

/** Splits typed text into tags, at blanks or commas, with or without a leading `#`, each tag once. */
export function tagsOf(typed: string): readonly string[] {
  const words = typed.split(/[\s,]+/).map((word) => word.replace(/^#+/, ""));
  return [...new Set(words.filter((word) => word !== ""))];
}

/** An empty list removes the key from the header. */
export function tagEdits(transcript: Transcript, tags: readonly string[]): readonly Edit[] {
  if (tags.length === 0) return removeHeaderKeys(transcript, ["tags"]);
  return setHeaderValue(transcript, "tags", tags.join(", "));
}
