/** Whether a path fits a rule's pattern: judged by where the path leads, in every form it has, not by its spelling. */
import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, sep } from "node:path";
import type { CallPath } from "../../conversation/ports.ts";
import { matchesPattern } from "../../conversation/settings/tool-selection.ts";

/** What patterns that are not absolute are relative to. */
export interface PathFrame {
  /** The working folder, as it is called and behind its links. */
  readonly folders: readonly string[];
  readonly home: string;
}

/** The frame of rules while `workingFolder` is the working folder. */
export function pathFrame(workingFolder: string): PathFrame {
  const folders = new Set([workingFolder]);
  try {
    folders.add(realpathSync(workingFolder));
  } catch {
    // A folder that is gone has one name only.
  }
  return { folders: [...folders], home: homedir() };
}

/** For rules that ask or deny: it fits when one of the forms of the path does. Case and composition of characters do not count. */
export function pathFitsOnce(pattern: string, path: CallPath, frame: PathFrame): boolean {
  const forms = [path.written, path.absolute, path.real].map(folded);
  return [pattern, ...absoluteForms(pattern, frame)].some((one) =>
    forms.some((form) => matchesPattern(folded(one), form)),
  );
}

/** For rules that allow: where the path seems to lead and where it leads fit both. */
export function pathFitsAlways(pattern: string, path: CallPath, frame: PathFrame): boolean {
  const patterns = absoluteForms(pattern, frame).map(slashed);
  return [path.absolute, path.real].every((form) =>
    patterns.some((one) => matchesPattern(one, slashed(form))),
  );
}

/** A pattern that begins with `*` may begin anywhere; else it is relative to the working folder, or to `~`. */
function absoluteForms(pattern: string, { folders, home }: PathFrame): readonly string[] {
  if (pattern.startsWith("*") || isAbsolute(pattern)) return [withoutEnd(pattern)];
  if (pattern === "~" || pattern.startsWith("~/")) return [join(home, pattern.slice(1))];
  return folders.map((folder) => withoutEnd(join(folder, pattern)));
}

/** A folder is the same with a slash behind it. */
function withoutEnd(pattern: string): string {
  return pattern.length > 1 ? pattern.replace(/[\\/]+$/, "") : pattern;
}

function slashed(path: string): string {
  return sep === "\\" ? path.replaceAll("\\", "/") : path;
}

function folded(path: string): string {
  return slashed(path).normalize("NFC").toLowerCase();
}
