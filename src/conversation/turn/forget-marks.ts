/** Forgets remembered tools whose mark was undone, edited or removed, before it can be put back (format, section 9). */

import { type Memory, memoriesOf, staleRecords } from "../decide/remembered.ts";
import type { Chat } from "./chat.ts";

/** Drops the records of this chat's file that no line of the text supports any more, and returns the other memories. */
export async function forgetLostMarks(chat: Chat): Promise<readonly Memory[]> {
  const { remembered } = chat.ports;
  const path = await remembered.path();
  if (path === null) return [];
  // The records come before the text: a key writes its mark first, so each record read here has its mark in that text.
  const records = await remembered.records();
  if (records.length === 0) return [];
  const { transcript } = await chat.read();
  const lost = staleRecords(transcript, records, path);
  if (lost.length > 0) await remembered.drop(lost);
  return memoriesOf(transcript, records, path);
}
