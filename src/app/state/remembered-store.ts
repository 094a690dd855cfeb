/**
 * The records of remembered tools on disk: one small file for each, in a folder for each transcript. Adding is a rename
 * and dropping an unlink, so any number of processes can do both without a lock or a merge.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { RememberedRecord } from "../../conversation/decide/remembered.ts";
import { given } from "../../shared/given.ts";
import { sha256 } from "../../shared/hash.ts";
import { removeFile, replaceBy } from "../../system/replace.ts";
import { isMissing } from "../../system/system-error.ts";
import { fieldsOf, filesOf, readOwn, writeOwn } from "./own-files.ts";

export interface LoadedRecords {
  readonly records: readonly RememberedRecord[];
  /** Sentences about files that were not trusted and were set aside. */
  readonly notices: readonly string[];
}

/** The records of one transcript (by its real path); empty where they belong to another user. */
export async function loadRecords(stateFolder: string, path: string): Promise<LoadedRecords> {
  const folder = recordsFolder(stateFolder, path);
  // Checked synchronously: this runs with each drawing, and most chats have no records.
  if (!existsSync(folder)) return { records: [], notices: [] };
  const names = (await filesOf(folder)).filter((name) => name.endsWith(".json")).sort();
  const records: RememberedRecord[] = [];
  const notices: string[] = [];
  for (const name of names) {
    const file = join(folder, name);
    const text = await readOwn(file);
    if (text === "gone") continue;
    const record = readRecord(text);
    if (record?.transcriptPath === path && fileNameOf(record) === name) records.push(record);
    else notices.push(await setAside(file));
  }
  return { records, notices };
}

/** Stores the records; existing ones stay as they are. */
export async function addRecords(
  stateFolder: string,
  records: readonly RememberedRecord[],
): Promise<void> {
  for (const record of records) {
    const folder = recordsFolder(stateFolder, record.transcriptPath);
    await writeOwn(folder, fileNameOf(record), `${JSON.stringify(record)}\n`);
  }
}

/** Removes the records; missing ones are not an error. */
export async function dropRecords(
  stateFolder: string,
  records: readonly RememberedRecord[],
): Promise<void> {
  for (const record of records) {
    await removeFile(join(recordsFolder(stateFolder, record.transcriptPath), fileNameOf(record)));
  }
}

/** The folder for one transcript, by its real path. */
export function recordsFolder(stateFolder: string, path: string): string {
  return join(stateFolder, "remembered", sha256(path));
}

function fileNameOf(record: RememberedRecord): string {
  const { transcriptPath, lineHash, serverKey, definitionHash, file } = record;
  const whole = [
    transcriptPath,
    lineHash,
    serverKey,
    definitionHash,
    ...(file === null ? [] : [file]),
  ];
  return `${sha256(JSON.stringify(whole))}.json`;
}

function readRecord(text: string): RememberedRecord | null {
  const {
    transcriptPath,
    lineHash,
    serverKey,
    definitionHash,
    // Older records have no file: they are for the whole tool.
    file = null,
    // Older records lack this, too.
    since,
  } = fieldsOf(text) ?? {};
  if (typeof transcriptPath !== "string" || typeof lineHash !== "string") return null;
  if (typeof definitionHash !== "string") return null;
  if (typeof serverKey !== "string" && serverKey !== null) return null;
  if (typeof file !== "string" && file !== null) return null;
  const time = typeof since === "number" && Number.isFinite(since) ? since : null;
  return { transcriptPath, lineHash, serverKey, definitionHash, file, ...given({ since: time }) };
}

async function setAside(file: string): Promise<string> {
  const aside = `${file}.broken`;
  try {
    await replaceBy(file, aside);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  return `A record of a remembered tool is not in Parley's format, so it does not count and was moved to ${aside}. Parley will ask about that tool again.`;
}
