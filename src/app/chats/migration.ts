/** Reports, in lines for the user, how a chat of the Lua Parley is read here. Changes nothing. Pure. */
import { headerKeys } from "../../conversation/settings/chat-settings.ts";
import { counted } from "../../shared/counted.ts";
import type { Problem, Transcript } from "../../transcript/transcript.ts";

/** Keys that the Lua Parley writes and that are not needed here. */
const passedOver = new Set(["file", "topic", "tags", "provider", "role"]);

/** `problems` are all known problems of the chat. */
export function migrationReport(
  { header, exchanges }: Transcript,
  problems: readonly Problem[],
): readonly string[] {
  const calls = exchanges.flatMap(
    ({ answer }) => answer?.steps.flatMap((step) => step.calls) ?? [],
  );
  const old = calls.filter(({ source }) => source === "legacy");
  const unanswered = old.filter(({ result }) => result === null);
  const unknown = header.entries
    .map(({ key }) => key)
    .filter((key) => !headerKeys.includes(key) && !passedOver.has(key));
  const notes = [
    ...(old.length === 0
      ? []
      : [
          `- ${counted(old.length, "🔧: call")} read as approved, with ${old.length === 1 ? "its result; it does not run" : "their results; none runs"} again.`,
        ]),
    ...(unanswered.length === 0
      ? []
      : [`- ${counted(unanswered.length, "🔧: call")} without a 📎: result: sent as interrupted.`]),
    ...(unknown.length === 0
      ? []
      : [`- Header keys that Parley does not know, kept but not used: ${unknown.join(", ")}.`]),
    ...problems.map(problemLine),
  ];
  const nothing = "Parley reads this chat as it is; nothing needs to be changed.";
  return notes.length === 0
    ? [nothing]
    : ["Nothing was changed. What Parley found in this chat:", "", ...notes];
}

function problemLine({ line, message, fixes = [] }: Problem): string {
  const titles = fixes.map(({ title }) => `“${title}”`).join(" or ");
  const offer = titles === "" ? "" : ` :${line + 1} and :Parley fix offer ${titles}.`;
  return `- Line ${line + 1}: ${message}${offer}`;
}
