/** A change of a text as lines for the user who decides: the file that is made or changed, and the diff. */
import { counted } from "../../shared/counted.ts";
import { visibleText } from "../../shared/visible.ts";
import type { TextChange } from "./surroundings.ts";

/** Unchanged lines shown around a change. */
const contextLines = 3;

/** Milliseconds; a diff that takes longer is shown as the whole old text and the whole new one. */
const diffTimeoutMs = 200;

/** Nobody reads more before a decision, and drawing them would keep everything else waiting. */
const mostLines = 20_000;

/** `shown` is the path as it is shown to the user. Rejects with a sentence when there is too much to show. */
export async function changeLines(
  { before, after }: TextChange,
  shown: string,
): Promise<readonly string[]> {
  const title = before === null ? "makes" : "changes";
  const lines = await plainDiff(before ?? "", after);
  if (lines.length > mostLines) {
    throw new Error(
      `The diff of ${shown} would have ${counted(lines.length, "line")}, more than the ${mostLines} that can be shown, so nothing was changed.`,
    );
  }
  return [`  ${title} ${visibleText(shown)}`, ...lines.map(diffLine)];
}

export async function diffLines(before: string, after: string): Promise<readonly string[]> {
  return (await plainDiff(before, after)).map(diffLine);
}

/** Each line begins with its sign; `line N` precedes the lines of a hunk. */
async function plainDiff(before: string, after: string): Promise<readonly string[]> {
  const { structuredPatch } = await import("diff");
  const patch = structuredPatch("", "", before, after, "", "", {
    context: contextLines,
    timeout: diffTimeoutMs,
  });
  if (patch === undefined) {
    const whole = (text: string, sign: string) => text.split("\n").map((line) => sign + line);
    return [...whole(before, "-"), ...whole(after, "+")];
  }
  return patch.hunks.flatMap(({ newStart, lines }) => [`line ${Math.max(1, newStart)}`, ...lines]);
}

/** The sign is not part of the text: it would hide or change the text's first characters, and they the sign. */
function diffLine(line: string): string {
  return `  ${line.charAt(0)}${visibleText(line.slice(1))}`;
}
