/** The texts of named references: changes, diagnostics, open files, the quickfix list, the tree. */
import { realpath } from "node:fs/promises";
import { relative, sep } from "node:path";
import { type Git, withGit } from "../../system/git.ts";
import { slashed } from "../../system/paths.ts";
import type { ReferenceName } from "../../transcript/references.ts";
import { filesBelow } from "../files/files-below.ts";
import { contains } from "../files/inside.ts";
import { foldersToTop } from "../files/repository.ts";
import { diagnosticLine, type Workspace } from "../files/workspace.ts";
import { type FolderSources, type GatheredText, gatherFiles, withheld } from "./folder-files.ts";

export interface NamedSources extends Omit<FolderSources, "workspace"> {
  readonly workspace: Workspace;
  readonly workingFolder: string;
  /** For Git. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Environment variables that are kept from all programs started here. */
  readonly withheldVariables: ReadonlySet<string>;
}

/** The most files named in a tree. */
const mostNames = 5000;

/** Returns a sentence part when there is nothing to send. */
export async function readNamedText(
  { name, argument }: { readonly name: ReferenceName; readonly argument: string | null },
  sources: NamedSources,
): Promise<GatheredText | string> {
  const folder = await realpath(sources.workingFolder);
  switch (name) {
    case "diff":
      return changes(folder, argument, sources);
    case "diagnostics":
      return diagnostics(folder, sources);
    case "buffers":
      return openFiles(folder, sources);
    case "quickfix":
      return quickfix(folder, sources);
    case "tree":
      return tree(folder, sources);
  }
}

/** The changes since the last commit, or since this branch left the named one. */
async function changes(
  folder: string,
  base: string | null,
  { environment, withheldVariables, readDenial }: NamedSources,
): Promise<GatheredText | string> {
  const top = (await foldersToTop(folder))?.at(-1);
  if (top === undefined) return "needs a repository, and the working folder is in none";
  return withGit({ folder, environment, withheld: withheldVariables }, async (git) => {
    const found = await git.run(["rev-parse", "--show-toplevel"]);
    if (found.type === "failed") return found.reason;
    // A repository's configuration can name any folder as its work tree, even the user's home folder.
    if ((await realpath(found.text.trim())) !== top) {
      return "was not read, because the repository names another folder as its work tree";
    }
    const from = await commitOf(git, base);
    if (from.type === "failed") return from.reason;
    return changesSince(git, { from: from.text.trim(), folder, readDenial });
  });
}

/** A name that begins with a dash must not become an option. */
function commitOf(git: Git, base: string | null) {
  if (base === null) return git.run(["rev-parse", "--verify", "--end-of-options", "HEAD^{commit}"]);
  return git.run(["merge-base", "--end-of-options", base, "HEAD"]);
}

/** Nothing that the repository configures is run or followed, including submodules. */
const plainDiff = [
  "diff",
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  "--ignore-submodules=dirty",
];

async function changesSince(
  git: Git,
  {
    from,
    folder,
    readDenial,
  }: {
    readonly from: string;
    readonly folder: string;
    readonly readDenial: FolderSources["readDenial"];
  },
): Promise<GatheredText | string> {
  const names = await git.run([
    ...plainDiff,
    "--no-renames",
    "--name-only",
    "--relative",
    "-z",
    from,
    "--",
    ".",
  ]);
  const others = await git.run(["ls-files", "--others", "--exclude-standard", "-z", "--", "."]);
  if (names.type === "failed") return names.reason;
  if (others.type === "failed") return others.reason;
  const changed = names.text.split("\0").filter((name) => name !== "");
  const kept = changed.flatMap((name) => {
    const why = withheld(`${folder}${sep}${name}`, readDenial);
    return why === null ? [] : [{ name, why }];
  });
  const without = kept.map(({ name }) => `:(exclude,literal)${name}`);
  const diff = await git.run([...plainDiff, "--submodule=short", from, "--", ".", ...without]);
  if (diff.type === "failed") return diff.reason;
  const untracked = others.text.split("\0").filter((name) => name !== "");
  const parts = [
    diff.text.trimEnd() || "No tracked file changed.",
    ...(untracked.length === 0
      ? []
      : [`Files that Git does not know yet:\n${untracked.slice(0, mostNames).join("\n")}`]),
  ];
  return { text: parts.join("\n\n"), leftOut: kept.map(({ name, why }) => `${name} (${why})`) };
}

async function diagnostics(
  folder: string,
  { workspace, readDenial }: NamedSources,
): Promise<GatheredText | string> {
  if (workspace.diagnostics === null) return "works in Neovim only";
  const all = await workspace.diagnostics(null);
  const { inside, leftOut } = await placesInside(folder, all, readDenial);
  const lines = inside.map((one) => diagnosticLine(one, shortPath(folder, one.path)));
  return { text: lines.join("\n") || "There are no diagnostics.", leftOut };
}

async function quickfix(
  folder: string,
  { workspace, readDenial }: NamedSources,
): Promise<GatheredText | string> {
  if (workspace.quickfix === null) return "works in Neovim only";
  const all = await workspace.quickfix();
  if (all.length === 0) return "is empty";
  const { inside, leftOut } = await placesInside(folder, all, readDenial);
  const lines = inside.map(({ path, line, text }) =>
    path === null ? text : `${shortPath(folder, path)}:${line}: ${text.trim()}`,
  );
  return { text: lines.join("\n"), leftOut };
}

async function openFiles(folder: string, sources: NamedSources): Promise<GatheredText | string> {
  const { workspace } = sources;
  if (workspace.open === null) return "works in Neovim only";
  const paths = [...new Set(await workspace.open())];
  const places = paths.map((path) => ({ path }));
  const { inside, leftOut } = await placesInside(folder, places, () => null);
  const files = inside.map(({ path }) => path);
  if (files.length === 0 && leftOut.length === 0) return "found no open files";
  const gathered = await gatherFiles(files, folder, sources);
  if (typeof gathered === "string") return gathered;
  return { ...gathered, leftOut: [...leftOut, ...gathered.leftOut] };
}

async function tree(folder: string, { signal }: NamedSources): Promise<GatheredText> {
  const { files, isCut } = await filesBelow(folder, signal);
  const names = files.map(({ path }) => shortPath(folder, path));
  const rest = isCut || names.length > mostNames ? ["(There are more.)"] : [];
  return { text: [...names.slice(0, mostNames), ...rest].join("\n"), leftOut: [] };
}

/** The places in files of the working folder; each other file is named once, as left out. */
async function placesInside<T extends { readonly path: string | null }>(
  folder: string,
  places: readonly T[],
  readDenial: FolderSources["readDenial"],
): Promise<{ readonly inside: readonly T[]; readonly leftOut: readonly string[] }> {
  const inside: T[] = [];
  const leftOut = new Map<string, string>();
  for (const place of places) {
    const { path } = place;
    const why =
      path === null
        ? null
        : (await contains(folder, path))
          ? withheld(path, readDenial)
          : "is outside this folder; name the file itself if you mean it";
    if (path === null || why === null) inside.push(place);
    else leftOut.set(path, why);
  }
  const shown = [...leftOut].map(([path, why]) => `${shortPath(folder, path)} (${why})`);
  return { inside, leftOut: shown };
}

function shortPath(folder: string, path: string): string {
  return path.startsWith(folder + sep) ? slashed(relative(folder, path)) : path;
}
