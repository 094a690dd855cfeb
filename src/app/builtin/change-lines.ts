/** A change of a text as lines for the user who decides: the file that is made or changed, and the diff. */
import { visibleText } from "../../shared/visible.ts";
import type { TextChange } from "./surroundings.ts";

/** Unchanged lines shown around a change. */
const contextLines = 3;

/** Milliseconds; a diff that takes longer is shown as the whole old text and the whole new one. */
const diffTimeoutMs = 200;

/** `shown` is the path as it is shown to the user. */
export async function changeLines(
  { before, after }: TextChange,
  shown: string,
): Promise<readonly string[]> {
  const title = before === null ? "makes" : "changes";
  return [`  ${title} ${visibleText(shown)}`, ...(await diffLines(before ?? "", after))];
}

export async function diffLines(before: string, after: string): Promise<readonly string[]> {
  const { structuredPatch } = await import("diff");
  const patch = structuredPatch("", "", before, after, "", "", {
    context: contextLines,
    timeout: diffTimeoutMs,
  });
  if (patch === undefined) {
    const whole = (text: string, sign: string) =>
      text.split("\n").map((line) => `  ${sign}${visibleText(line)}`);
    return [...whole(before, "-"), ...whole(after, "+")];
  }
  return patch.hunks.flatMap(({ newStart, lines }) => [
    `  line ${Math.max(1, newStart)}`,
    ...lines.map((line) => `  ${line.charAt(0)}${visibleText(line.slice(1))}`),
  ]);
}
