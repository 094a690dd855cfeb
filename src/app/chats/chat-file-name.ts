/** The names of chat files, and renaming them as the user asks. Pure. */
import { basename } from "node:path";
import { Refusal } from "../../shared/refusal.ts";
import { visible } from "../../shared/visible.ts";
import { canBeFile, invalidNameText, pathsOf } from "../../system/paths.ts";
import { thisPlatform } from "../../system/platform.ts";

const ending = ".md";

/** The name of a chat's file without its ending. */
export function chatName(path: string): string {
  return basename(path).replace(/\.(?:md|markdown)$/, "");
}

/** The path of the chat at `path` under another name, with or without `.md`. Throws a sentence for an invalid name. */
export function renamedPath(path: string, given: string, platform = thisPlatform): string {
  const paths = pathsOf(platform);
  const name = given.trim();
  const stem = name.endsWith(ending) ? name.slice(0, -ending.length) : name;
  const refusal = whyNot(stem);
  if (refusal !== null) throw new Refusal(refusal);
  const renamed = stem + ending;
  if (renamed === paths.basename(path))
    throw new Refusal(`The chat is already named ${visible(renamed)}.`);
  const found = paths.join(paths.dirname(path), renamed);
  if (!canBeFile(found, platform)) throw new Refusal(invalidNameText);
  return found;
}

function whyNot(stem: string): string | null {
  if (/[/\\]/.test(stem)) {
    return "A name cannot contain / or \\; :Parley move puts a chat into another folder.";
  }
  if (/\p{Cc}/u.test(stem)) return "A name cannot contain line breaks or other control characters.";
  if (stem.startsWith(".")) return "A name cannot begin with a dot: lists skip such files.";
  return /[\p{L}\p{N}]/u.test(stem) ? null : "A name needs at least one letter or digit.";
}
