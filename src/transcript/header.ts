import { isBlank } from "./code.ts";
import { markerAt } from "./markers.ts";
import { problemAt } from "./problems.ts";
import type { Header, HeaderEntry, Problem } from "./transcript.ts";

const separator = /^---[ \t]*$/;

function isSeparator(line: string): boolean {
  return separator.test(line);
}

/** `# topic: …`, the first line of the older form (format, section 3). */
function isOlderTopic(line: string): boolean {
  return /^#[ \t]+topic[ \t]*:/.test(line);
}

const entryPattern = /^(?:[-#][ \t]+)?([A-Za-z_][A-Za-z0-9_.-]*)(\+?)[ \t]*:(.*)$/s;

function readEntry(text: string, line: number): HeaderEntry | null {
  const match = entryPattern.exec(text);
  const key = match?.[1];
  if (match === null || key === undefined) return null;
  return { key, value: (match[3] ?? "").trim(), append: match[2] === "+", line };
}

function readEntries(lines: readonly string[], start: number, end: number): HeaderEntry[] {
  const entries: HeaderEntry[] = [];
  for (let line = start; line < end; line += 1) {
    const entry = readEntry(lines[line] ?? "", line);
    if (entry !== null) entries.push(entry);
  }
  return entries;
}

/** The line of the closing `---`, or null when a turn or, in the older form, other text comes first. */
function findEnd(lines: readonly string[], older: boolean): number | null {
  for (let line = 1; line < lines.length; line += 1) {
    const text = lines[line] ?? "";
    if (isSeparator(text)) return line;
    const name = markerAt(text)?.name;
    if (name === "question" || name === "answer") return null;
    if (older && !isBlank(text) && readEntry(text, line) === null) return null;
  }
  return null;
}

export interface HeaderReading {
  readonly header: Header;
  readonly problems: readonly Problem[];
}

const noHeader: Header = { range: null, entries: [] };

/** Reads the header in either form (format, section 3). What its values mean is judged elsewhere. */
export function parseHeader(lines: readonly string[]): HeaderReading {
  const first = lines[0] ?? "";
  const older = isOlderTopic(first);
  if (!older && !isSeparator(first)) return { header: noHeader, problems: [] };
  const end = findEnd(lines, older);
  if (end !== null) {
    const entries = readEntries(lines, older ? 0 : 1, end);
    return { header: { range: { start: 0, end: end + 1 }, entries }, problems: [] };
  }
  const message =
    'The header at the top has no closing "---" line, so its settings are not used; add one below them.';
  return { header: noHeader, problems: [problemAt(0, "unclosed-header", message)] };
}
