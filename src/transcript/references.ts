import type { Reference } from "./types.ts";

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

const filePath = /^(?:\/|~\/|\.\.?\/|https?:\/\/)/;

/** Every `@@ref@@` of the line whose target is a path or a URL (format, section 10). */
function readFiles(text: string, line: number): Reference[] {
  const references: Reference[] = [];
  let start = text.indexOf("@@");
  while (start >= 0) {
    const end = text.indexOf("@@", start + 2);
    if (end < 0) break;
    const target = text.slice(start + 2, end);
    if (filePath.test(target)) {
      references.push({ kind: "file", source: `@@${target}@@`, target, label: "", line });
      start = text.indexOf("@@", end + 2);
    } else {
      start = end;
    }
  }
  return references;
}

export function readReferences(text: string, line: number): Reference[] {
  const image = readImage(text, line);
  if (image !== null) return [image];
  return text.includes("@@") ? readFiles(text, line) : [];
}
