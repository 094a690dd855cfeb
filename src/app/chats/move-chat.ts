/** A chat gets another name, or goes to the trash: its text, its files folder and what this machine remembers of it. */
import {
  cp,
  lstat,
  mkdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { filesFolder, linkInFilesFolder } from "../references/files.ts";
import { hasCode, isMissing } from "../state/own-files.ts";
import { addRecords, dropRecords, loadRecords } from "../state/remembered-store.ts";
import { isKnownText, keepText } from "../state/remembered-texts.ts";

/**
 * Moves the chat at `from` to `to`; both are absolute. The links of its text into its files folder follow, and so
 * do its remembered tools. Throws a sentence when something lies at `to` already; then nothing was moved.
 */
export async function moveChat(from: string, to: string, stateFolder: string): Promise<void> {
  for (const path of [to, filesFolder(to)]) {
    if (await exists(path)) throw new Error(`${path} is there already, so nothing was renamed.`);
  }
  const before = await realpath(from);
  await mkdir(dirname(to), { recursive: true });
  // The new text is whole under its new name before the old one goes.
  await copyWithLinks(before, to);
  const isOwn = await isKnownText(stateFolder, before, await readFile(before, "utf8"));
  await moveFolder(filesFolder(before), filesFolder(to));
  // What another program changed is asked about under its new name as under the old one.
  if (isOwn !== false) await moveRecords(before, await realpath(to), stateFolder);
  await rm(before);
}

/** Puts the chat and its files folder into the trash folder and gives back where it lies there. */
export async function trashChat(path: string, folders: TrashFolders, now: Date): Promise<string> {
  const stamp = now.toISOString().replace(/[:.]/g, "-");
  const place = join(folders.trash, `${stamp} ${basename(path)}`);
  await moveChat(path, place, folders.state);
  return place;
}

export interface TrashFolders {
  /** Where deleted chats lie; made when it is needed. */
  readonly trash: string;
  readonly state: string;
}

/** `](old.md.files/…` becomes `](new.md.files/…`, byte by byte: a chat may hold what is no UTF-8. */
async function copyWithLinks(from: string, to: string): Promise<void> {
  const bytes = (path: string) =>
    Buffer.from(`](${linkInFilesFolder(path, "")}`, "utf8").toString("latin1");
  const { mode, atime, mtime } = await stat(from);
  const text = await readFile(from, "latin1");
  const draft = `${to}.new`;
  try {
    const moved = text.replaceAll(bytes(from), bytes(to));
    await writeFile(draft, moved, { encoding: "latin1", flag: "wx", mode: mode & 0o777 });
    // When it was asked last does not change with its name.
    await utimes(draft, atime, mtime);
    await rename(draft, to);
  } finally {
    await rm(draft, { force: true });
  }
}

async function moveRecords(from: string, to: string, stateFolder: string): Promise<void> {
  const { records } = await loadRecords(stateFolder, from);
  if (records.length > 0) await keepText(stateFolder, to, await readFile(to, "utf8"));
  await addRecords(
    stateFolder,
    records.map((record) => ({ ...record, transcriptPath: to })),
  );
  await dropRecords(stateFolder, records);
}

/** A folder that is not there has nothing to move; another file system takes a copy. */
async function moveFolder(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (isMissing(error)) return;
    if (!hasCode(error, "EXDEV")) throw error;
    await cp(from, to, { recursive: true, errorOnExist: true, verbatimSymlinks: true });
    await rm(from, { recursive: true });
  }
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}
