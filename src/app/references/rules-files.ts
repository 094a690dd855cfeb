/** Files that say how to work in a project, such as AGENTS.md: read when a chat names them, and never without a word. */
import { isAbsolute, relative, resolve } from "node:path";
import { harmless } from "../../conversation/results.ts";
import { messageOf } from "../../shared/json.ts";
import { visible } from "../../shared/visible.ts";
import { expandHome } from "../configuration/config.ts";
import { isInside, realPath } from "../files/inside.ts";
import { type FolderSources, readFolder, withheld } from "./folder-files.ts";

export interface RulesSources extends FolderSources {
  readonly workingFolder: string;
  readonly home: string;
  /** Those that the person's own configuration names: they may lie anywhere. */
  readonly own: ReadonlySet<string>;
}

export interface ReadRules {
  /** For the system prompt; empty when there is nothing to send. */
  readonly text: string;
  /** What was read, as it was named. */
  readonly read: readonly { readonly name: string; readonly text: string }[];
  /** Sentence parts that begin with a name. */
  readonly unread: readonly string[];
}

/** Bytes of all of them: they go out with every request. */
const limit = 64 * 1024;

const heading =
  "# Rules of this project\n\nThe user's project keeps these files for whoever works in it.";

/** Never throws: what cannot be read is named. */
export async function readRulesFiles(
  names: readonly string[],
  sources: RulesSources,
): Promise<ReadRules> {
  const read: { readonly name: string; readonly text: string }[] = [];
  const unread: string[] = [];
  let left = limit;
  for (const name of new Set(names)) {
    const found = await readOne(name, sources).catch((error: unknown) => ({
      reason: `could not be read: ${messageOf(error)}`,
    }));
    const size = "text" in found ? Buffer.byteLength(found.text) : 0;
    if ("reason" in found) unread.push(`${visible(name)} ${visible(found.reason)}`);
    else if (size > left)
      unread.push(`${visible(name)} makes the rules longer than ${limit} bytes`);
    else {
      left -= size;
      read.push({ name, text: found.text });
    }
  }
  const parts = read.map(({ name, text }) => `## ${visible(name)}\n\n${harmless(text).trim()}`);
  return { text: parts.length === 0 ? "" : [heading, ...parts].join("\n\n"), read, unread };
}

async function readOne(
  name: string,
  sources: RulesSources,
): Promise<{ readonly text: string } | { readonly reason: string }> {
  const { workingFolder, home, own, workspace, readDenial } = sources;
  const path = await realPath(resolve(workingFolder, expandHome(name, home)));
  if (path === null) return { reason: "was not found" };
  if (!own.has(name) && !(await isInside(path, [workingFolder], home))) {
    return { reason: "lies outside this folder, and only your configuration may name such a file" };
  }
  const why = withheld(path, readDenial);
  if (why !== null) return { reason: why };
  const way = relative(workingFolder, path);
  const file = await workspace.read(path).catch(() => null);
  if (file !== null) return { text: file.text };
  // A folder, such as .cursor/rules.
  const folder = await readFolder({ folder: path, glob: "**" }, sources);
  if (typeof folder === "string") return { reason: folder };
  return isAbsolute(way) || folder.text !== ""
    ? { text: folder.text }
    : { reason: "holds no text that can be sent" };
}
