/** Changes the text of a chat, through its editor if it is open, else in its file. */
import { realpath } from "node:fs/promises";
import { TextGone, type UndoGroup } from "../../conversation/editor.ts";
import { messageOf } from "../../shared/json.ts";
import { Refusal } from "../../shared/refusal.ts";
import { applyEdits } from "../../transcript/edits/layout.ts";
import { parseLines } from "../../transcript/parse.ts";
import type { Edit, Transcript } from "../../transcript/transcript.ts";
import { FileEditor } from "../files/file-editor.ts";
import { loadRecords } from "../state/remembered-store.ts";
import { isKnownText, keepText } from "../state/remembered-texts.ts";
import { replacePieces } from "../state/written-pieces.ts";
import { keptPieces, ownPieces } from "./own-pieces.ts";
import { whileIdle } from "./while-idle.ts";

/** A chat that is open in this editor. */
export interface OpenText {
  newUndoGroup(): UndoGroup;
  edit(
    undo: UndoGroup,
    plan: (transcript: Transcript) => { readonly edits: readonly Edit[] } | null,
  ): Promise<unknown>;
  save(): Promise<unknown>;
}

export interface RewriteSources {
  readonly stateFolder: string;
  readonly chatFolders: readonly string[];
  /** Null: no chat with this path is open here. */
  open(path: string): OpenText | null;
  /** Called when the file of a chat that was not open has been written: it may have been opened in that moment. */
  rewritten(path: string): Promise<void>;
  log(text: string): void;
}

/** Returns the edits of a transcript; an empty list leaves it as it is. */
export type Rewrite = (transcript: Transcript) => readonly Edit[];

/** How often a chat is rewritten that is opened, closed or written at the same moment. */
const mostAttempts = 3;

/** Returns false when there was nothing to change. Throws a sentence, and changes nothing, when it cannot. */
export async function rewriteChat(
  path: string,
  rewrite: Rewrite,
  places: RewriteSources,
): Promise<boolean> {
  for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
    const open = places.open(path);
    const isChanged = await (open === null
      ? whileIdle(path, places, () => rewriteFile(path, rewrite, places))
      : rewriteOpen(open, rewrite));
    if (isChanged !== "again") return isChanged;
  }
  throw new Refusal(`${path} changed in the meantime, so it was left alone.`);
}

async function rewriteOpen(open: OpenText, rewrite: Rewrite): Promise<boolean | "again"> {
  let isChanged = false;
  try {
    await open.edit(open.newUndoGroup(), (transcript) => {
      const edits = rewrite(transcript);
      isChanged = edits.length > 0;
      return isChanged ? { edits } : null;
    });
    if (isChanged) await open.save();
  } catch (error) {
    if (error instanceof TextGone) return "again";
    throw error;
  }
  return isChanged;
}

async function rewriteFile(
  path: string,
  rewrite: Rewrite,
  places: RewriteSources,
): Promise<boolean | "again"> {
  const { stateFolder, chatFolders } = places;
  const file = await FileEditor.open(path, stateFolder);
  const read = await file.read();
  const { lines } = read;
  const before = parseLines(lines);
  const edits = rewrite(before);
  if (edits.length === 0) return false;
  const real = await realpath(path);
  const own = await ownPieces(stateFolder, real, chatFolders);
  const { records } = await loadRecords(stateFolder, real);
  const isKnown =
    records.length > 0 && (await isKnownText(stateFolder, real, lines.join("\n"))) === true;
  await file.apply(read, edits);
  const after = applyEdits(lines, edits);
  const kept = keptPieces(own, before, edits);
  // Recorded before the file is written: otherwise a reader in between would take the text for another program's.
  if (isKnown) await keepText(stateFolder, real, after.join("\n"));
  const saved = await file.save();
  if (saved === "conflict") return "again";
  await replacePieces(stateFolder, real, kept).catch((error: unknown) =>
    places.log(`written: ${messageOf(error)}`),
  );
  await places.rewritten(path);
  return true;
}
