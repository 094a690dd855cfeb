/**
 * A code block of a chat that the user wants in a file: where it begins and ends, which file it names, and what it
 * makes of that file's text. Pure. All of it is a model's text, so it only decides what the user is shown.
 */
import { firstPlace, onlyPlace } from "../../shared/occurrences.ts";
import { withoutEnd } from "../../shared/without-end.ts";
import { closesFence, openingFence } from "../../transcript/code.ts";
import { markerAt, unescapeLine } from "../../transcript/markers.ts";
import { mostEdits } from "./edit-file.ts";

export interface CodeBlock {
  /** The text after the backticks. */
  readonly info: string;
  /** The lines between the fences, without escapes and without the indent of the fence. */
  readonly lines: readonly string[];
  /** The nearest line above that is not blank, with at most one blank line between; empty when there is none. */
  readonly above: string;
  /** Zero-based line of the opening fence. */
  readonly line: number;
}

/** The block that contains the line (zero-based), its fences included; null outside of all closed blocks. */
export function codeBlockAt(lines: readonly string[], line: number): CodeBlock | null {
  let at = 0;
  while (at <= line) {
    const indent = openingIndent(lines[at] ?? "");
    // In a list, a fence is indented as deep as its item.
    const fence = openingFence((lines[at] ?? "").slice(indent.length));
    if (fence === null) {
      at += 1;
      continue;
    }
    const closes = (text: string) => {
      const own = indentOf(text).length;
      // A fence that is indented much deeper is a line of the block.
      return own <= indent.length + 3 && closesFence(text.slice(own), fence);
    };
    let end = at + 1;
    while (end < lines.length && !closes(lines[end] ?? "") && !beginsTurn(lines[end] ?? ""))
      end += 1;
    const isClosed = end < lines.length && closes(lines[end] ?? "");
    if (isClosed && line <= end) return blockBetween(lines, at, end);
    // The next turn ends a fence that was left open.
    at = isClosed ? end + 1 : end;
  }
  return null;
}

function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

/** What precedes an opening fence, as blanks. The fence may be on the line that begins a list item. */
function openingIndent(line: string): string {
  const [before = ""] = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*/.exec(line) ?? [];
  return before.replace(/\S/g, " ");
}

function beginsTurn(line: string): boolean {
  const marker = markerAt(line)?.name;
  return marker === "question" || marker === "answer";
}

function blockBetween(lines: readonly string[], start: number, end: number): CodeBlock {
  const indent = openingIndent(lines[start] ?? "");
  const fence = (lines[start] ?? "").slice(indent.length);
  const info = fence.trim().replace(/^(?:`+|~+)/, "");
  const plain = (line: string) => {
    const text = unescapeLine(line.replace(/\r$/, ""));
    return text.startsWith(indent) ? text.slice(indent.length) : text.trimStart();
  };
  const near = [lines[start - 1] ?? "", lines[start - 2] ?? ""];
  const above = near.find((line) => line.trim() !== "") ?? "";
  return { info: info.trim(), lines: lines.slice(start + 1, end).map(plain), above, line: start };
}

/** The most characters of a path that a block may name. */
const longestPath = 400;

function pathIn(text: string): string | null {
  const path = text.trim().replace(/^["']|["']$/g, "");
  if (path === "" || path.length > longestPath || /[\s*<>|`]|:\/\//.test(path)) return null;
  return /[\\/]/.test(path) || /^\.?[\w@+-]+(?:\.[\w-]+)+$|^\.\w+$/.test(path) ? path : null;
}

/** The path that the block itself names, in its fence, in its diff, or in the line above it; null: there is none. */
export function namedPath(block: CodeBlock): string | null {
  return pathOfInfo(block.info) ?? pathOfDiff(block.lines) ?? pathOfLine(block.above);
}

/** `ts src/a.ts`, `ts:src/a.ts`, `src/a.ts`, `ts title="src/a.ts"`. */
function pathOfInfo(info: string): string | null {
  const named = /\b(?:path|file|filename|title|name)\s*[=:]\s*("[^"]*"|'[^']*'|\S+)/i.exec(info);
  if (named !== null) return pathIn(withoutEnd(named[1] ?? "", ",}"));
  const [first = "", ...rest] = info.split(/\s+/);
  const behind = /^[\w+#.-]+:(.+)$/.exec(first)?.[1];
  return (
    pathIn(behind ?? "") ?? rest.map(pathIn).find((path) => path !== null) ?? pathIn(first) ?? null
  );
}

function pathOfDiff(lines: readonly string[]): string | null {
  const names = lines.flatMap((line, index) => {
    const isHead = line.startsWith("+++ ") && lines[index - 1]?.startsWith("--- ") === true;
    return isHead ? [(line.slice(4).split("\t", 1)[0] ?? "").trim()] : [];
  });
  const [name = ""] = names;
  return names.length === 1 ? pathIn(name.replace(/^b\//, "")) : null;
}

/** The path in a heading, a bold word or code, or in a line that consists of nothing else. */
function pathOfLine(line: string): string | null {
  const marked = [...line.matchAll(/`([^`]+)`|\*\*([^*]+)\*\*/g)].flatMap(([, code, bold]) => {
    const path = pathIn((code ?? bold ?? "").replace(/^`|`$/g, "").replace(/:$/, ""));
    return path === null ? [] : [path];
  });
  const [only] = new Set(marked);
  if (only !== undefined) return new Set(marked).size === 1 ? only : null;
  return pathIn(line.replace(/^#+\s*|^(?:file|path):\s*/i, "").replace(/:\s*$/, ""));
}

/** The file's text with the block applied; throws a sentence when that is ambiguous. `before` null: a new file. */
export function appliedText(block: CodeBlock, before: string | null, shown: string): string {
  const { lines } = block;
  if (lines.some((line) => /^<{5,9} ?SEARCH/.test(line))) {
    return replaceParts(searchParts(lines), before, shown);
  }
  if (/^(?:diff|patch)\b/i.test(block.info) || lines.some((line) => /^@@ .*@@/.test(line))) {
    return replaceParts(hunks(lines), before, shown);
  }
  const left = lines.find(isElision);
  if (left !== undefined && before !== null) {
    throw new Error(
      `The block leaves out parts of ${shown} (“${left.trim()}”). Ask for a diff, or for the whole file.`,
    );
  }
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

/** Matches `// ... existing code ...` and similar, or only dots in a comment. `...rest` without a comment is code. */
function isElision(line: string): boolean {
  const body = line.trimStart();
  const [comment = ""] = /^(?:\/\/|#|--|;|%|\/\*|<!--)/.exec(body) ?? [];
  const behind = body.slice(comment.length).trimStart();
  const dots = ["...", "…"].find((one) => behind.startsWith(one));
  if (dots === undefined) return false;
  const words = behind.slice(dots.length);
  if (comment === "" && !/^\s/.test(words)) return false;
  const said = /\b(?:existing|rest|unchanged|remaining|same|previous|other|omitted)\b/i;
  return said.test(words) || (comment !== "" && /^[\s*/>-]*$/.test(words));
}

interface Part {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

function searchParts(lines: readonly string[]): readonly Part[] {
  const parts: { before: string[]; after: string[] }[] = [];
  let side: "before" | "after" | null = null;
  for (const line of lines) {
    if (/^<{5,9} ?SEARCH/.test(line)) {
      parts.push({ before: [], after: [] });
      side = "before";
    } else if (side === "before" && /^={5,9}\s*$/.test(line)) side = "after";
    else if (side === "after" && /^>{5,9} ?REPLACE/.test(line)) side = null;
    else if (side !== null) parts.at(-1)?.[side].push(line);
  }
  if (side !== null)
    throw new Error("The last part of the block is not closed, so nothing was applied.");
  return parts;
}

/** The hunks of a diff. The line numbers in their heads are often wrong, so only the lines say where a hunk belongs. */
function hunks(lines: readonly string[]): readonly Part[] {
  const heads = lines.filter(
    (line, at) => line.startsWith("+++ ") && lines[at - 1]?.startsWith("--- "),
  );
  if (heads.length > 1) {
    throw new Error("The diff changes several files; ask for one block per file.");
  }
  const parts: { before: string[]; after: string[] }[] = [{ before: [], after: [] }];
  for (const [at, line] of lines.entries()) {
    const isName =
      (line.startsWith("--- ") && lines[at + 1]?.startsWith("+++ ") === true) ||
      (line.startsWith("+++ ") && lines[at - 1]?.startsWith("--- ") === true);
    if (isName || /^(?:diff --git|index [0-9a-f]|new file mode|\\ No newline)/.test(line)) continue;
    if (line.startsWith("@@")) {
      parts.push({ before: [], after: [] });
      continue;
    }
    const part = parts.at(-1);
    const text = line.slice(1);
    if (line.startsWith("+")) part?.after.push(text);
    else if (line.startsWith("-")) part?.before.push(text);
    else {
      part?.before.push(text);
      part?.after.push(text);
    }
  }
  return parts.filter(({ before, after }) => before.join("\n") !== after.join("\n"));
}

/** Replaces each part at the one place where its lines occur. */
function replaceParts(parts: readonly Part[], text: string | null, shown: string): string {
  if (parts.length === 0) throw new Error("The block changes nothing.");
  if (parts.length > mostEdits) {
    throw new Error(
      `The block changes ${shown} in ${parts.length} places, and ${mostEdits} at once is the most. Ask for the whole file.`,
    );
  }
  const isNew = text === null || text === "";
  // Every line stands between two line ends, so that whole lines are found.
  let lines = isNew ? "\n" : `\n${text.replace(/\n$/, "")}\n`;
  for (const [index, { before, after }] of parts.entries()) {
    const which = parts.length === 1 ? "The lines of the block" : `The lines of part ${index + 1}`;
    if (before.length === 0 && !isNew) {
      throw new Error(`${which} do not say where in ${shown} they belong, so nothing was changed.`);
    }
    const wanted = between(before);
    const place = before.length === 0 ? lines.length - 1 : onlyPlace(lines, wanted);
    if (place === null) {
      const how = firstPlace(lines, wanted) === null ? "are not" : "occur more than once";
      throw new Error(`${which} ${how} in ${shown}, so nothing was changed.`);
    }
    lines = lines.slice(0, place) + between(after) + lines.slice(place + wanted.length);
  }
  const isEnded = isNew || text.endsWith("\n");
  return lines.slice(1, isEnded ? undefined : -1);
}

function between(lines: readonly string[]): string {
  return ["", ...lines, ""].join("\n");
}
