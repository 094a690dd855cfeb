/** Makes the file of a branch, with copies of the files that its text names. */
import { realpath, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { piecesOf } from "../../conversation/decide/openings.ts";
import { Refusal } from "../../shared/refusal.ts";
import { hasCode } from "../../system/system-error.ts";
import { parseLines } from "../../transcript/parse.ts";
import { isPlainFileName } from "../../transcript/result-block.ts";
import type { Exchange, Transcript } from "../../transcript/transcript.ts";
import { chatName } from "../chats/chat-file-name.ts";
import { branchLine } from "../chats/links.ts";
import { lineEdits } from "../chats/moved-text.ts";
import { keptPieces } from "../chats/own-pieces.ts";
import { headerTopic } from "../chats/summary.ts";
import { copyToFilesFolder } from "../references/files.ts";
import { fileInFilesFolder, filesFolderRenamer } from "../references/files-link.ts";
import { keepPieces, loadPieces } from "../state/written-pieces.ts";
import { branchText } from "./branch-text.ts";

/** How many file names are tried before giving up. */
const mostBranches = 1000;

/**
 * Writes the chat that branches after this exchange from the one at `path`, into the same folder, and returns its path.
 * Remembered tools and approvals are tied to the old path, so they stay behind; text that the user wrote there also
 * counts as written here. Throws the file system's error.
 */
export async function branchChat(
  transcript: Transcript,
  exchange: Exchange,
  { path, stateFolder }: { readonly path: string; readonly stateFolder: string },
): Promise<string> {
  const topic = headerTopic(transcript.header) ?? "";
  for (let number = 1; number < mostBranches; number += 1) {
    const child = branchPath(path, number);
    const renameFilesFolder = filesFolderRenamer(path, child);
    const link = branchLine(child, path, topic);
    const lines = branchText(transcript, exchange, { link, renameFilesFolder });
    try {
      await writeFile(child, `${lines.join("\n")}\n`, { flag: "wx" });
    } catch (error) {
      if (hasCode(error, "EEXIST")) continue;
      throw error;
    }
    await copyNamedFiles(lines, path, child);
    const known = await loadPieces(stateFolder, await realpath(path).catch(() => path));
    const edits = lineEdits(transcript.lines, renameFilesFolder);
    const own = new Set(keptPieces(known ?? new Set(), transcript, edits));
    const pieces = [...piecesOf(parseLines(lines))].filter((piece) => own.has(piece));
    await keepPieces(stateFolder, await realpath(child), pieces);
    return child;
  }
  throw new Refusal(`${path} has ${mostBranches} branches already, so no new one was made.`);
}

function branchPath(path: string, number: number): string {
  return join(dirname(path), `${chatName(path)}-branch${number === 1 ? "" : `-${number}`}.md`);
}

/** Copies files instead of linking them, so that either chat can be deleted without the other. */
async function copyNamedFiles(lines: readonly string[], from: string, to: string): Promise<void> {
  const kept = lines.flatMap((line) => line.match(/[A-Za-z0-9_-]{64}\.[a-z0-9]{1,10}/g) ?? []);
  // Those that somebody put there under another name.
  const linked = lines.flatMap((line) =>
    [...line.matchAll(/\]\(([^()\n]*)\)/g)].flatMap(
      ([, target = ""]) => fileInFilesFolder(to, target) ?? [],
    ),
  );
  await copyToFilesFolder(from, to, new Set([...kept, ...linked].filter(isPlainFileName)));
}
