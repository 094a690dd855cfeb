/** Files that say how to work in a project, such as AGENTS.md: read when a chat names them, always with a notice. */
import { isAbsolute, resolve } from "node:path";
import { harmless } from "../../conversation/results.ts";
import { sizeText } from "../../shared/counted.ts";
import { visible } from "../../shared/visible.ts";
import { expandHome } from "../../system/paths.ts";
import { isAbove, isInside, realPath } from "../files/inside.ts";
import { reasonOf } from "../files/reason-of.ts";
import { exists, foldersToTop } from "../files/repository.ts";
import { type FolderSources, readFolder, withheld } from "./folder-files.ts";

export interface RulesSources extends FolderSources {
  readonly workingFolder: string;
  readonly home: string;
  /** The files that the user's own configuration names; they may lie anywhere. */
  readonly own: ReadonlySet<string>;
}

export interface ReadRules {
  /** For the system prompt; empty when there is nothing to send. */
  readonly text: string;
  /** What was read, by the name used for it. */
  readonly read: readonly { readonly name: string; readonly text: string }[];
  /** Sentence parts that begin with a name. */
  readonly unread: readonly string[];
}

/** Bytes of all rules together, since they are sent with every request. */
const limit = 64 * 1024;

const heading =
  "# Rules of this project\n\nThe user's project keeps these files for whoever works in it.";

/** Names that coding tools use for the rules of a project, in the folder that the rules apply to. */
export const knownRules = [
  "AGENTS.md",
  "CLAUDE.md",
  ".cursor/rules",
  ".github/copilot-instructions.md",
];

const ofSeveralFolders =
  " They are of several folders; where they differ, the one further below is of the folder nearer to the work, and holds.";

/** One file or folder of rules that may exist. */
interface RulesPlace {
  /** Its name relative to the working folder: `AGENTS.md`, `../AGENTS.md`. */
  readonly label: string;
  readonly path: string;
  /** How many folders above the working folder. */
  readonly above: number;
  /** The real path must lie in this folder; null: it may lie anywhere. */
  readonly within: string | null;
}

/**
 * The folders whose rules apply in the working folder, which comes first: those above it up to the top of its
 * repository. A repository that contains everything the user has is not a project.
 */
export async function foldersOfRules(
  workingFolder: string,
  home: string,
): Promise<readonly string[]> {
  const folders = await foldersToTop(workingFolder);
  const top = folders?.at(-1);
  return folders === null || top === undefined || isAbove(top, home) ? [workingFolder] : folders;
}

/** The name of a rules file as it is shown. */
export function rulesLabel(name: string, above: number): string {
  return `${"../".repeat(above)}${name}`;
}

/** Never throws; what cannot be read is named. */
export async function readRulesFiles(
  names: readonly string[],
  sources: RulesSources,
): Promise<ReadRules> {
  if (names.length === 0) return { text: "", read: [], unread: [] };
  const folders = await foldersOfRules(sources.workingFolder, sources.home);
  const read: { readonly label: string; readonly text: string; readonly above: number }[] = [];
  const unread: string[] = [];
  const seen = new Set<string>();
  let left = limit;
  // The nearest rules first, so that they fit into the limit.
  for (const place of await placesOf(names, folders, sources)) {
    const found = await readOne(place, seen, sources).catch((error: unknown) => ({
      reason: `could not be read: ${reasonOf(error)}`,
    }));
    if (found === null) continue;
    const { label, above } = place;
    const size = "text" in found ? Buffer.byteLength(found.text) : 0;
    if ("reason" in found) unread.push(`${visible(label)} ${visible(found.reason)}`);
    else if (size > left)
      unread.push(`${visible(label)} makes the rules longer than ${sizeText(limit)}`);
    else {
      left -= size;
      read.push({ label, text: found.text, above });
    }
  }
  const sent = read.toSorted((a, b) => b.above - a.above);
  const parts = sent.map(({ label, text }) => `## ${visible(label)}\n\n${harmless(text).trim()}`);
  const head = new Set(sent.map(({ above }) => above)).size > 1 ? ofSeveralFolders : "";
  return {
    text: parts.length === 0 ? "" : [heading + head, ...parts].join("\n\n"),
    read: sent.map(({ label, text }) => ({ name: label, text })),
    unread,
  };
}

/**
 * A relative name means that file in each folder of the project. Above the working folder, a chat's header can only
 * name the well-known files.
 */
async function placesOf(
  names: readonly string[],
  folders: readonly string[],
  { workingFolder, home, own }: RulesSources,
): Promise<readonly RulesPlace[]> {
  const top = folders.at(-1) ?? workingFolder;
  const places = [...new Set(names)].map(async (name): Promise<readonly RulesPlace[]> => {
    const isRelative = !isAbsolute(name) && !/^~|(?:^|[\\/])\.\.(?:[\\/]|$)/.test(name);
    const isKnown = isRelative && knownRules.includes(name);
    const within = own.has(name) ? null : isKnown ? top : workingFolder;
    const all = isKnown || (isRelative && own.has(name)) ? folders : [workingFolder];
    const found = all.map((folder, above) => ({
      label: rulesLabel(name, above),
      path: resolve(folder, expandHome(name, home)),
      above,
      within,
    }));
    const there = await Promise.all(found.map(({ path }) => exists(path)));
    const kept = found.filter((_, index) => there[index]);
    // A name that exists nowhere is reported in the nearest folder.
    return kept.length > 0 ? kept : found.slice(0, 1);
  });
  return (await Promise.all(places)).flat().toSorted((a, b) => a.above - b.above);
}

/** Null: it was already read under another name. */
async function readOne(
  { path: place, within }: RulesPlace,
  seen: Set<string>,
  sources: RulesSources,
): Promise<{ readonly text: string } | { readonly reason: string } | null> {
  const { home, workspace, readDenial } = sources;
  const path = await realPath(place);
  if (path === null) return { reason: "was not found" };
  if (within !== null && !(await isInside(path, [within], home))) {
    return { reason: "is outside this folder, and only your configuration may name such a file" };
  }
  const why = withheld(path, readDenial);
  if (why !== null) return { reason: why };
  if (seen.has(path)) return null;
  seen.add(path);
  const file = await workspace.read(path).catch(() => null);
  if (file !== null) return { text: file.text };
  // A folder, such as .cursor/rules.
  const folder = await readFolder({ folder: path, glob: "**" }, sources);
  if (typeof folder === "string") return { reason: folder };
  return folder.text === "" && within !== null
    ? { reason: "contains no text that can be sent" }
    : { text: folder.text };
}
