/** `:Parley fix`: offers fixes for a problem of the text; only what the user chooses is changed. */
import type { Problem, Transcript } from "../../transcript/transcript.ts";
import type { HostChat } from "../chat/host-chat.ts";

type Mendable = Problem & { readonly fixes: NonNullable<Problem["fixes"]> };

/** The distance from the line to the fix's edits: a conflict is fixed by choosing one of its sides. */
function distance({ fixes }: Mendable, line: number): number {
  const edits = fixes.flatMap((fix) => fix.edits);
  return Math.min(
    ...edits.map(({ start, end }) => Math.max(start - line, line - Math.max(start, end - 1), 0)),
  );
}

/** The fixable problem nearest to the line; of two equally near ones, the upper one. */
function nearestMendable(transcript: Transcript, line: number): Mendable | null {
  const mendable = transcript.problems.filter(
    (problem): problem is Mendable => problem.fixes !== undefined && problem.fixes.length > 0,
  );
  const nearer = (a: Mendable, b: Mendable) => distance(a, line) - distance(b, line);
  return mendable.toSorted((a, b) => nearer(a, b) || a.line - b.line)[0] ?? null;
}

export async function chooseFix(chat: HostChat, line: number): Promise<void> {
  const { transcript } = await chat.chat.read();
  const problem = nearestMendable(transcript, line);
  if (problem === null) {
    chat.host.notify("info", "There is no problem in this chat that Parley can fix.");
    return;
  }
  const chosen = await chat.host.ask({
    kind: "select",
    prompt: `Line ${problem.line + 1}: ${problem.message}`,
    items: problem.fixes.map(({ title }) => title),
  });
  const fix = problem.fixes.find(({ title }) => title === chosen);
  if (fix === undefined) return;
  const { chat: core } = chat;
  const applied = await core.edit(core.newUndoGroup(), (now) =>
    // The edits only fit the text that the question was asked about.
    now === transcript || isSameText(now, transcript) ? { edits: fix.edits } : null,
  );
  if (applied === null) {
    chat.host.notify(
      "warn",
      "The text changed in the meantime, so nothing was fixed. Run :Parley fix again.",
    );
  }
  await chat.refresh();
}

function isSameText(a: Transcript, b: Transcript): boolean {
  return (
    a.lines.length === b.lines.length && a.lines.every((line, index) => line === b.lines[index])
  );
}
