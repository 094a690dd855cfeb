/** `parley export`: a chat as HTML or Markdown, for readers without Parley. */
import { writeFile } from "node:fs/promises";
import { exportChat } from "../app/export/export-chat.ts";
import { reasonOf } from "../app/files/reason-of.ts";
import { readNamedFile } from "../system/regular-file.ts";
import { hasCode } from "../system/system-error.ts";
import { parseTranscript } from "../transcript/parse.ts";
import type { Command } from "./arguments.ts";
import { exitCodes } from "./end.ts";
import { print } from "./terminal.ts";

export async function exportFile(
  { file, format, output }: Extract<Command, { name: "export" }>,
  notify: (text: string) => void,
): Promise<number> {
  const chat = await readNamedFile(file).catch((error: unknown) => {
    throw new Error(`${file} could not be read: ${reasonOf(error)}.`);
  });
  const { text, notices } = await exportChat(parseTranscript(chat.toString("utf8")), file, format);
  for (const notice of notices) notify(notice);
  if (output === null) {
    print(text);
    return exitCodes.finished;
  }
  try {
    await writeFile(output, text, { flag: "wx" });
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
    notify(`${output} already exists, so nothing was written.`);
    return exitCodes.failed;
  }
  return exitCodes.finished;
}
