/** A chat gets another name, or goes to the trash: its text, its files folder and what this machine remembers of it. */

import { cp, lstat, readFile, realpath, rm, stat, utimes, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Refusal } from "../../shared/refusal.ts";
import { makeFolder, removeFile, replaceBy } from "../../system/replace.ts";
import { homeFolder } from "../../system/standard-folders.ts";
import { hasCode, isMissing } from "../../system/system-error.ts";
import { filesFolder, linkInFilesFolder } from "../references/files.ts";
import type { Keep } from "../state/own-files.ts";
import { stateOfChat } from "./chat-state.ts";
import { linkTarget, linkTo, relinkedLine } from "./links.ts";

export interface MoveOptions {
  readonly stateFolder: string;
  /** Where chats are the person's own from before origins were kept. */
  readonly chatFolders: readonly string[];
  readonly keep: Keep;
}

/**
 * Moves the chat at `from` to `to`; both are absolute. The links of its text into its files folder and to other chats
 * follow, and so does all that this machine keeps of it (`chat-state.ts`), where the state folder takes it. Throws a
 * sentence when something lies at `to` already; then nothing was moved.
 */
export async function moveChat(
  from: string,
  to: string,
  { stateFolder, chatFolders, keep }: MoveOptions,
): Promise<void> {
  for (const path of [to, filesFolder(to)]) {
    if (await exists(path)) throw new Refusal(`${path} already exists, so nothing was moved.`);
  }
  const before = await realpath(from);
  const takeAlong = await stateOfChat({ stateFolder, from: before, named: from, chatFolders });
  await makeFolder(dirname(to));
  // The new text is whole under its new name before the old one goes.
  await copyWithLinks(before, to);
  let isCopy: boolean;
  try {
    isCopy = await placeFolder(filesFolder(before), filesFolder(to));
  } catch (error) {
    // It would be a second chat without its files, and in the way of the next try.
    await removeFile(to);
    throw error;
  }
  await takeAlong(await realpath(to), keep);
  await removeFile(before);
  // A folder that was renamed is gone: what has its name now was made since then, as by a paste, and is in no other place.
  if (isCopy) await rm(filesFolder(before), { recursive: true, force: true });
}

/** Puts the chat and its files folder into the trash folder, in the state folder, and gives back where it lies there. */
export async function trashChat(path: string, options: MoveOptions, now: Date): Promise<string> {
  const stamp = now.toISOString().replace(/[:.]/g, "-");
  const place = join(options.stateFolder, "trash", `${stamp} ${basename(path)}`);
  await moveChat(path, place, options);
  return place;
}

/** `](old.md.files/…` becomes `](new.md.files/…`, byte by byte: a chat may hold what is no UTF-8. */
async function copyWithLinks(from: string, to: string): Promise<void> {
  const bytes = (path: string) => latin1(`](${linkInFilesFolder(path, "")}`);
  const { mode, atime, mtime } = await stat(from);
  const text = await readFile(from, "latin1");
  const draft = `${to}.new`;
  try {
    const moved = relinked(text.replaceAll(bytes(from), bytes(to)), from, to);
    await writeFile(draft, moved, { encoding: "latin1", flag: "wx", mode: mode & 0o777 });
    // When it was asked last does not change with its name.
    await utimes(draft, atime, mtime);
    await replaceBy(draft, to);
  } finally {
    await removeFile(draft);
  }
}

const latin1 = (text: string) => Buffer.from(text, "utf8").toString("latin1");
const branchSign = latin1("🌿");

/** Its links to other chats are written from its folder. */
function relinked(bytes: string, from: string, to: string): string {
  if (dirname(from) === dirname(to) || !bytes.includes(branchSign)) return bytes;
  const renew = (target: string) => {
    const path = linkTarget(from, { target }, homeFolder());
    return linkTo(to, path === from ? to : path, target);
  };
  return bytes
    .split("\n")
    .map((line) => {
      if (!line.includes(branchSign)) return line;
      const text = Buffer.from(line, "latin1").toString("utf8");
      // What is no UTF-8 would come back as something else.
      return latin1(text) === line ? latin1(relinkedLine(text, renew)) : line;
    })
    .join("\n");
}

/**
 * All of the folder, by a rename or, on another file system, as a copy, which is true; none of it when that fails. None
 * is no failure.
 */
async function placeFolder(from: string, to: string): Promise<boolean> {
  try {
    await replaceBy(from, to);
    return false;
  } catch (error) {
    if (isMissing(error)) return false;
    if (!hasCode(error, "EXDEV")) throw error;
    const draft = `${to}.new`;
    try {
      await cp(from, draft, { recursive: true, errorOnExist: true, verbatimSymlinks: true });
      await replaceBy(draft, to);
      return true;
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}
