/**
 * Offers files with the rules of a project, such as AGENTS.md, when a chat begins in their folder. The user is asked
 * once for each folder, and the files are used only with their approval; the answer is kept in the state folder.
 */
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "../../shared/hash.ts";
import { stringOf } from "../../shared/json.ts";
import { contains, isAbove, realPath } from "../files/inside.ts";
import { fieldsOf, readOwn, writeOwn } from "../state/own-files.ts";
import { foldersOfRules, knownRules, rulesLabel } from "./rules-files.ts";

/** `chat`: in this chat only; `folder`: in every chat that begins in the folder. */
export type RulesAnswer = "chat" | "folder" | "no";

export interface RulesQuestion {
  readonly workingFolder: string;
  readonly home: string;
  readonly stateFolder: string;
  /** Asks the user about these files, named relative to the folder; closing the question counts as "no". */
  ask(files: readonly string[], folder: string): Promise<RulesAnswer>;
}

/** The rules that apply in a folder. */
export interface FoundRules {
  /** For a header: a name means the files of that name in all folders of the project. */
  readonly names: readonly string[];
  /** Each file, relative to the folder. */
  readonly files: readonly string[];
}

/**
 * The rules files in the folders, the working folder first. A file with two names is listed once. Links that lead out
 * of the project are not its rules.
 */
export async function rulesOf(folders: readonly string[]): Promise<FoundRules> {
  const top = folders.at(-1) ?? "";
  const found = new Map<string, { readonly name: string; readonly above: number }>();
  for (const [above, folder] of folders.entries()) {
    for (const name of knownRules) {
      const real = await realPath(join(folder, name));
      const status = real === null ? null : await lstat(real).catch(() => null);
      const isText = status?.isFile() === true ? status.size > 0 : status?.isDirectory() === true;
      if (real !== null && isText && (await contains(top, real)) && !found.has(real)) {
        found.set(real, { name, above });
      }
    }
  }
  const all = [...found.values()];
  return {
    names: [...new Set(all.map(({ name }) => name))],
    files: all.map(({ name, above }) => rulesLabel(name, above)),
  };
}

/** The names to write into the header of a new chat; empty when there are no such files or the user declines. */
export async function agreedRules(options: RulesQuestion): Promise<readonly string[]> {
  const { workingFolder, home, stateFolder, ask } = options;
  // In the home folder or above it, a file belongs to no project.
  if (isAbove(workingFolder, home)) return [];
  const folder = (await realPath(workingFolder)) ?? workingFolder;
  const { names, files } = await rulesOf(await foldersOfRules(folder, home));
  if (names.length === 0) return [];
  const said = await readAnswer(stateFolder, folder);
  if (said !== null) {
    // Files that were added since were not approved.
    return said.answer === "folder" ? names.filter((name) => said.names.includes(name)) : [];
  }
  // Kept first, so that the question comes once even if it is never answered.
  await keepAnswer(stateFolder, folder, { answer: "no", names });
  const answer = await ask(files, folder);
  if (answer !== "no") await keepAnswer(stateFolder, folder, { answer, names });
  return answer === "no" ? [] : names;
}

interface Kept {
  readonly answer: RulesAnswer;
  readonly names: readonly string[];
}

const folderIn = (stateFolder: string) => join(stateFolder, "rules-offers");
const fileOf = (folder: string) => `${sha256(folder)}.json`;

async function readAnswer(stateFolder: string, folder: string): Promise<Kept | null> {
  const text = await readOwn(join(folderIn(stateFolder), fileOf(folder)));
  if (text === "gone") return null;
  const fields = fieldsOf(text) ?? {};
  const answer = fields.folder === folder && fields.answer === "folder" ? "folder" : "no";
  const names = Array.isArray(fields.names) ? fields.names.map(stringOf) : [];
  return { answer, names: names.filter((name) => name !== null) };
}

async function keepAnswer(stateFolder: string, folder: string, kept: Kept): Promise<void> {
  await writeOwn(folderIn(stateFolder), fileOf(folder), `${JSON.stringify({ folder, ...kept })}\n`);
}
