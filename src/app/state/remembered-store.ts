/**
 * The records of remembered tools on disk: one small file for each, in a folder for each transcript. Adding is
 * a rename and dropping an unlink, so any number of processes can do both without a lock or a merge.
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
  /** Sentences about files that were not trusted and set aside. */
  readonly notices: readonly string[];
}

/** The records of one transcript (by its real path); none where they are another's. */
export async function loadRecords(stateFolder: string, path: string): Promise<LoadedRecords> {
  const folder = recordsFolder(stateFolder, path);
  // Asked at once: with each drawing, and most chats have none.
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

/** Stores the records; those that are there already stay as they are. */
export async function addRecords(
  stateFolder: string,
  records: readonly RememberedRecord[],
): Promise<void> {
  for (const record of records) {
    const folder = recordsFolder(stateFolder, record.transcriptPath);
    await writeOwn(folder, fileNameOf(record), `${JSON.stringify(record)}\n`);
  }
}

/** Forgets the records; those that are not there any more are no error. */
export async function dropRecords(
  stateFolder: string,
  records: readonly RememberedRecord[],
): Promise<void> {
  for (const record of records) {
    await removeFile(join(recordsFolder(stateFolder, record.transcriptPath), fileNameOf(record)));
  }
}

/** Of one transcript, by its real path. */
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
    // Older records have none: they are for the tool.
    file = null,
    // Older records have none of this either.
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
