import { markerAt, markerText } from "./markers.ts";

/** A `🤖:` line, read (format, section 1). */
export interface AnswerLine {
  /** Without brackets; null when there is none. */
  readonly label: string | null;
  /** What stands behind it: the first line of the answer. */
  readonly text: string;
}

/** Reads a `🤖:` line; brackets inside of the label belong to it when they are balanced. */
export function readAnswerLine(line: string): AnswerLine {
  const text = line.slice(markerAt(line)?.text.length ?? 0).trimStart();
  if (!text.startsWith("[")) return { label: null, text };
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === "[") depth += 1;
    if (text[index] === "]") depth -= 1;
    if (depth === 0) {
      return { label: text.slice(1, index), text: text.slice(index + 1).trimStart() };
    }
  }
  return { label: null, text };
}

/** A label or a header value as we write it: one line without control characters (format, section 3). */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();
}

function isBalanced(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    if (character === "[") depth += 1;
    if (character === "]") depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

/** The first line of an answer; a label is for people, so brackets that would end it early become round. */
export function renderAnswerLine(label: string | null): string {
  if (label === null) return markerText.answer;
  const text = oneLine(label);
  const safe = isBalanced(text) ? text : text.replaceAll("[", "(").replaceAll("]", ")");
  return `${markerText.answer}[${safe}]`;
}
