/**
 * References in a question: files, addresses and names (`@@…@@`), resources of servers (`@server:uri`) and images
 * (format, section 10).
 */
import type { Reference } from "./transcript.ts";

/** A link to a branch chat inside a line: only its text is sent (format, section 1). */
const branchLink = /\[🌿:([^\][\n]*)\]\([^()\n]*\)/gu;

/** The text with inline `[🌿:text](file)` links replaced by their text. */
export function dropBranchLinks(text: string): string {
  return text.includes("[🌿:") ? text.replace(branchLink, "$1") : text;
}

/** `![alt](path)` on a line of its own (format, section 10). */
function readImage(text: string, line: number): Reference | null {
  const trimmed = text.trim();
  if (!trimmed.startsWith("![") || !trimmed.endsWith(")")) return null;
  const middle = trimmed.indexOf("](");
  if (middle < 0) return null;
  const target = trimmed.slice(middle + 2, -1).trim();
  if (target === "") return null;
  return { kind: "image", source: target, target, label: trimmed.slice(2, middle), line };
}

/** Paths of all systems, on every system: a chat means the same everywhere. */
const filePath = /^(?:\/|(?:~|\.\.?|[A-Za-z]:)[\\/]|https?:\/\/)/;

/** The names that a question can refer to, each with its description for the user. */
export const namedReferences = {
  diff: "changes that are not committed",
  diagnostics: "what language servers and linters report",
  buffers: "the texts of the open files",
  quickfix: "the quickfix list",
  tree: "the names of the files",
} as const;
export type ReferenceName = keyof typeof namedReferences;

/** The name of a named reference and the text after its colon; null: the text names none. */
export function readReferenceName(
  target: string,
): { readonly name: ReferenceName; readonly argument: string | null } | null {
  const [, name = "", argument = null] = /^([a-z]+)(?::(\S+))?$/.exec(target) ?? [];
  const isName = (word: string): word is ReferenceName => Object.hasOwn(namedReferences, word);
  // Only a diff takes an argument, what to compare with.
  return isName(name) && (argument === null || name === "diff") ? { name, argument } : null;
}

/** Every `@@ref@@` of the line whose target is a path, a URL or a name, and where it ends (format, section 10). */
function readFiles(text: string, line: number): { reference: Reference; end: number }[] {
  const found: { reference: Reference; end: number }[] = [];
  let start = text.indexOf("@@");
  while (start >= 0) {
    const end = text.indexOf("@@", start + 2);
    if (end < 0) break;
    const target = text.slice(start + 2, end);
    const isNamed = readReferenceName(target) !== null;
    if ((isNamed || filePath.test(target)) && text[start - 1] !== "\\") {
      const source = `@@${target}@@`;
      const kind = isNamed ? "named" : "file";
      found.push({ reference: { kind, source, target, label: "", line }, end: end + 2 });
      start = text.indexOf("@@", end + 2);
    } else {
      start = end;
    }
  }
  return found;
}

/** A text that looks like the name of a file but is not a reference, with the reference that was probably meant. */
export interface AlmostReference {
  readonly written: string;
  readonly meant: string;
}

/**
 * A path that begins neither absolute nor relative, such as `@@src/a.ts@@`; unlike it, the head of a hunk has blanks.
 */
const barePath = /^[^\s@]*[^\s@.][./\\][^\s@]*[\p{L}\p{N}_/*}]$/u;
/** In characters; a longer word is no path. */
const longestPath = 500;

/** How many are reported for one question. */
const mostAlmost = 5;

/** The first few in a question, each once. */
export function almostReferences(question: string): readonly AlmostReference[] {
  const found = new Map<string, AlmostReference>();
  for (const line of question.split("\n")) {
    for (const each of almostIn(line)) found.set(each.written, each);
    if (found.size >= mostAlmost) break;
  }
  return [...found.values()].slice(0, mostAlmost);
}

function almostIn(text: string): AlmostReference[] {
  const found: AlmostReference[] = [];
  const ends = new Map(
    readFiles(text, 0).map(({ reference, end }) => [end - reference.source.length, end]),
  );
  let start = text.indexOf("@@");
  while (start >= 0 && found.length < mostAlmost) {
    const known = ends.get(start);
    const end = text.indexOf("@@", start + 2);
    const isEscaped = text[start - 1] === "\\";
    if (known !== undefined) {
      start = text.indexOf("@@", known);
      continue;
    }
    if (end < 0) {
      const [word = ""] = /^\S+/.exec(text.slice(start + 2, start + 2 + longestPath)) ?? [];
      if (!isEscaped && filePath.test(word))
        found.push({ written: `@@${word}`, meant: `@@${word}@@` });
      break;
    }
    const target = text.slice(start + 2, end);
    const isPath = !isEscaped && target.length <= longestPath && barePath.test(target);
    if (isPath) found.push({ written: `@@${target}@@`, meant: `@@./${target}@@` });
    start = isPath ? text.indexOf("@@", end + 2) : end;
  }
  return found;
}

/** A name after an @ that follows neither a word nor another @: an e-mail address is not a resource. */
const resource =
  /(?<![\p{L}\p{N}_@.\\/-])@([\p{L}\p{N}_][\p{L}\p{N}_./-]*):(?:<([^<>]+)>|([^\s<>@]\S*))/gu;

/** Every `@server:uri` of a text without `@@ref@@` (format, section 10). */
function readResources(text: string, line: number): Reference[] {
  return [...text.matchAll(resource)].map(([whole, label = "", quoted, plain = ""]): Reference => {
    if (quoted !== undefined)
      return { kind: "resource", source: whole, target: quoted, label, line };
    const target = withoutPunctuation(plain);
    return { kind: "resource", source: `@${label}:${target}`, target, label, line };
  });
}

/** Removes the punctuation of the surrounding sentence from a URI: a bracket is kept if it was opened in the URI. */
function withoutPunctuation(text: string): string {
  // Counts how many brackets of each kind remain open; recounting them each time would take quadratic time.
  const open = new Map<string, number>();
  for (const character of text) {
    const opening = closers[character];
    const kind = opening ?? character;
    open.set(kind, (open.get(kind) ?? 0) + (opening === undefined ? 1 : -1));
  }
  let end = text.length;
  for (; end > 1; end -= 1) {
    const last = text[end - 1] ?? "";
    const opening = closers[last];
    if (!endsOfSentences.has(last)) break;
    if (opening === undefined) continue;
    const balance = open.get(opening) ?? 0;
    if (balance >= 0) break;
    open.set(opening, balance + 1);
  }
  return text.slice(0, end);
}

const closers: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };
const endsOfSentences: ReadonlySet<string> = new Set(".,;:!?'\"`)]}”’»…");

/** Renders a resource as a question writes it; null when its name or URI cannot be written in one line. */
export function resourceReference(server: string, uri: string): string | null {
  const candidates = [`@${server}:${uri}`, `@${server}:<${uri}>`];
  const isRead = (text: string) => {
    const [reference, ...more] = referencesIn(text, 0);
    return more.length === 0 && reference?.source === text && reference.target === uri;
  };
  return candidates.find((text) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text) && isRead(text)) ?? null;
}

const referenceStart = /(?<!\\)@@|(?<![\p{L}\p{N}_@.\\/-])@(?=[\p{L}\p{N}_][\p{L}\p{N}_./-]*:)/gu;

/** Escapes foreign text so that nothing in it is a reference: a backslash goes before what would be one. */
export function escapeReferences(text: string): string {
  const escapeOne = (line: string) => {
    const shown = readImage(line, 0) === null ? line : line.replace("![", "\\![");
    return shown.replace(referenceStart, "\\$&");
  };
  return text.split("\n").map(escapeOne).join("\n");
}

export function referencesIn(text: string, line: number): Reference[] {
  const image = readImage(text, line);
  if (image !== null) return [image];
  if (!text.includes("@")) return [];
  const references: Reference[] = [];
  let from = 0;
  for (const { reference, end } of readFiles(text, line)) {
    const start = end - reference.source.length;
    references.push(...readResources(text.slice(from, start), line), reference);
    from = end;
  }
  return [...references, ...readResources(text.slice(from), line)];
}
