/** All problems of a chat: in its text, and in the values of its header. */
import { chatSettings } from "../../conversation/settings/chat-settings.ts";
import type { Problem, Transcript } from "../../transcript/transcript.ts";
import type { Configuration } from "./options.ts";

/** Sorted by line. */
export function allProblems(
  transcript: Transcript,
  configuration: Configuration,
): readonly Problem[] {
  const { problems } = chatSettings(transcript.header, configuration);
  const all = [...problems, ...transcript.problems];
  return all.sort((a, b) => a.line - b.line || a.column - b.column);
}
