/** Whether a path below a folder fits `src/*.ts`, `src/**` or `*.{ts,js}`, in time linear in both but for their product. */
import { matchesPattern } from "../../conversation/settings/tool-selection.ts";

/** More choices than a person writes are read as they stand. */
const mostChoices = 100;

/** Both with `/` between names; `*` stands for any characters of one name, `**` for any folders, also none. */
export function fitsGlob(glob: string, path: string): boolean {
  const names = path.split("/");
  return withoutBraces(glob).some((one) => fits(meant(one).split("/"), names));
}

/** A folder at the end means the files right in it. */
function meant(glob: string): string {
  return glob.endsWith("/") ? `${glob}*` : glob;
}

function fits(patterns: readonly string[], names: readonly string[]): boolean {
  // Which beginnings of `names` the patterns so far can stand for.
  let reached = new Set([0]);
  for (const [index, pattern] of patterns.entries()) {
    const next = new Set<number>();
    for (const at of reached) {
      if (pattern === "**") {
        // At the end it means files, which have a name.
        const from = index === patterns.length - 1 ? at + 1 : at;
        for (let end = from; end <= names.length; end += 1) next.add(end);
      } else if (at < names.length && matchesPattern(pattern, names[at] ?? "")) next.add(at + 1);
    }
    reached = next;
  }
  return reached.has(names.length);
}

/** `*.{ts,js}` as the patterns that it stands for. */
export function withoutBraces(glob: string): readonly string[] {
  let globs = [glob];
  for (let at = 0; at < globs.length && globs.length < mostChoices; ) {
    const [whole, before = "", inside = "", after = ""] =
      /^([^{]*)\{([^{}]*)\}(.*)$/s.exec(globs[at] ?? "") ?? [];
    if (whole === undefined) at += 1;
    else {
      const choices = inside.split(",").map((choice) => before + choice + after);
      globs = [...globs.slice(0, at), ...choices, ...globs.slice(at + 1)];
    }
  }
  return globs;
}
