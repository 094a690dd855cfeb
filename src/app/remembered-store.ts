/**
 * The records of remembered tools on disk: one small file for each, in a folder for each transcript. Adding is
 * a rename and dropping an unlink, so any number of processes can do both without a lock or a merge.
 */
import { createHash, randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { mkdir, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RememberedRecord } from "../conversation/remembered.ts";

export interface LoadedRecords {
  readonly records: readonly RememberedRecord[];
  /** Sentences about files that were not trusted and set aside. */
  readonly notices: readonly string[];
}

/** The records of one transcript (by its real path). Throws when the folder is there and cannot be read. */
export async function loadRecords(stateFolder: string, path: string): Promise<LoadedRecords> {
  const folder = folderOf(stateFolder, path);
  const names = (await filesOf(folder)).filter((name) => name.endsWith(".json")).sort();
  const records: RememberedRecord[] = [];
  const notices: string[] = [];
  for (const name of names) {
    const file = join(folder, name);
    const text = await readOwn(file);
    if (text === "gone") continue;
    const record = text === "foreign" ? null : readRecord(text);
    if (record?.transcriptPath === path && fileNameOf(record) === name) records.push(record);
    else notices.push(await setAside(file));
  }
  return { records, notices };
}

/** Stores the records; those that are there already stay as they are. */
export async function addRecords(
  stateFolder: string,
  records: readonly RememberedRecord[],
): Promise<void> {
  for (const record of records) {
    const folder = folderOf(stateFolder, record.transcriptPath);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const draft = join(folder, `${randomUUID()}.new`);
    try {
      await writeFile(draft, `${JSON.stringify(record)}\n`, { flag: "wx", mode: 0o600 });
      await rename(draft, join(folder, fileNameOf(record)));
    } finally {
      await rm(draft, { force: true });
    }
  }
}

/** Forgets the records; those that are not there any more are no error. */
export async function dropRecords(
  stateFolder: string,
  records: readonly RememberedRecord[],
): Promise<void> {
  for (const record of records) {
    await rm(join(folderOf(stateFolder, record.transcriptPath), fileNameOf(record)), {
      force: true,
    });
  }
}

function folderOf(stateFolder: string, path: string): string {
  return join(stateFolder, "remembered", sha256(path));
}

function fileNameOf(record: RememberedRecord): string {
  const { transcriptPath, lineHash, serverKey, definitionHash } = record;
  return `${sha256(JSON.stringify([transcriptPath, lineHash, serverKey, definitionHash]))}.json`;
}

async function filesOf(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** `gone`: dropped meanwhile by somebody. `foreign`: a link, or a file that others could have written. */
async function readOwn(file: string): Promise<string | "gone" | "foreign"> {
  let handle: Awaited<ReturnType<typeof open>>;
  try {
    handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (isMissing(error)) return "gone";
    if (hasCode(error, "ELOOP") || hasCode(error, "EMLINK")) return "foreign";
    throw error;
  }
  try {
    const { mode, uid, size } = await handle.stat();
    const isOwn =
      process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
    return isOwn && size <= largestRecord ? await handle.readFile("utf8") : "foreign";
  } finally {
    await handle.close();
  }
}

/** In bytes; a record is four short texts. */
const largestRecord = 64 * 1024;

function readRecord(text: string): RememberedRecord | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  if (typeof value !== "object" || value === null) return null;
  const fields: { readonly [key: string]: unknown } = { ...value };
  const { transcriptPath, lineHash, serverKey, definitionHash } = fields;
  if (typeof transcriptPath !== "string" || typeof lineHash !== "string") return null;
  if (typeof definitionHash !== "string") return null;
  if (typeof serverKey !== "string" && serverKey !== null) return null;
  return { transcriptPath, lineHash, serverKey, definitionHash };
}

async function setAside(file: string): Promise<string> {
  const aside = `${file}.broken`;
  try {
    await rename(file, aside);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  return `A record of a remembered tool was not as Parley writes it and is not trusted; it is kept as ${aside}. Its tool will ask again.`;
}

function isMissing(error: unknown): boolean {
  return hasCode(error, "ENOENT");
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

function sha256(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}
