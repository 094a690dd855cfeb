/** Matches a path below a folder against `src/*.ts`, `src/**` or `*.{ts,js}`; time grows with the lengths' product. */
import { matchesPattern } from "../../conversation/settings/tool-selection.ts";

/** The most alternatives that are expanded, more than a user writes; further braces are taken literally. */
const mostChoices = 100;

/** In characters: a few pages of a pattern, compared with each of many files, would take seconds. */
const longestPattern = 2000;

/** Throws for a pattern that nobody writes; `subject` begins the sentence. */
export function refuseLong(subject: string, pattern: string): void {
  if (pattern.length <= longestPattern) return;
  throw new Error(`${subject} is longer than ${longestPattern} characters.`);
}

/** Both use `/`; `*` stands for any characters within one name, `**` for any number of folders, including none. */
export function fitsGlob(glob: string, path: string): boolean {
  const names = path.split("/");
  return withoutBraces(glob).some((one) => fits(meant(one).split("/"), names));
}

/** A pattern that ends with `/` means the files directly in that folder. */
function meant(glob: string): string {
  return glob.endsWith("/") ? `${glob}*` : glob;
}

function fits(patterns: readonly string[], names: readonly string[]): boolean {
  // Which prefixes of `names` the patterns so far can match.
  let reached = new Set([0]);
  for (const [index, pattern] of patterns.entries()) {
    const next = new Set<number>();
    for (const at of reached) {
      if (pattern === "**") {
        // At the end of a pattern it means files, which need a name.
        const from = index === patterns.length - 1 ? at + 1 : at;
        for (let end = from; end <= names.length; end += 1) next.add(end);
      } else if (at < names.length && matchesPattern(pattern, names[at] ?? "")) next.add(at + 1);
    }
    reached = next;
  }
  return reached.has(names.length);
}

/** Expands `*.{ts,js}` into its alternatives. */
export function withoutBraces(glob: string): readonly string[] {
  let globs = [glob];
  for (let at = 0; at < globs.length && globs.length < mostChoices; ) {
    const [whole, before = "", inside = "", after = ""] =
      /^([^{]*)\{([^{}]*)\}(.*)$/s.exec(globs[at] ?? "") ?? [];
    if (whole === undefined) {
      at += 1;
      continue;
    }
    const choices = inside.split(",", mostChoices + 1).map((choice) => before + choice + after);
    if (globs.length + choices.length > mostChoices) break;
    globs = [...globs.slice(0, at), ...choices, ...globs.slice(at + 1)];
  }
  return globs;
}
