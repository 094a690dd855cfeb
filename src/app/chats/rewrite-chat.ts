/** Changes the text of a chat that may be open or not: in its editor, or in its file. */
import { realpath } from "node:fs/promises";
import type { UndoGroup } from "../../conversation/editor.ts";
import { messageOf } from "../../shared/json.ts";
import { Refusal } from "../../shared/refusal.ts";
import { applyEdits } from "../../transcript/edits/layout.ts";
import { parseLines } from "../../transcript/parse.ts";
import type { Edit, Transcript } from "../../transcript/transcript.ts";
import { FileEditor } from "../files/file-editor.ts";
import { loadRecords } from "../state/remembered-store.ts";
import { isKnownText, keepText } from "../state/remembered-texts.ts";
import { replacePieces } from "../state/written-pieces.ts";
import { atRest } from "./at-rest.ts";
import { keptPieces, ownPieces } from "./own-pieces.ts";

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
  /** Null: no chat of this path is open here. */
  open(path: string): OpenText | null;
  log(text: string): void;
}

/** Edits of a transcript; none leaves it as it is. */
export type Rewrite = (transcript: Transcript) => readonly Edit[];

/** False when there was nothing to change. Throws a sentence when the text could not be changed; then it is as it was. */
export async function rewriteChat(
  path: string,
  rewrite: Rewrite,
  places: RewriteSources,
): Promise<boolean> {
  const open = places.open(path);
  if (open === null) return atRest(path, places, () => rewriteFile(path, rewrite, places));
  let isChanged = false;
  await open.edit(open.newUndoGroup(), (transcript) => {
    const edits = rewrite(transcript);
    isChanged = edits.length > 0;
    return isChanged ? { edits } : null;
  });
  if (isChanged) await open.save();
  return isChanged;
}

/** What the person did to it here is their own afterwards, and what was foreign stays so. */
async function rewriteFile(
  path: string,
  rewrite: Rewrite,
  places: RewriteSources,
): Promise<boolean> {
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
  const foreign = new Set(keptPieces("all", before));
  for (const piece of keptPieces(own, before)) foreign.delete(piece);
  const kept = keptPieces("all", parseLines(after)).filter((piece) => !foreign.has(piece));
  // Before the file has it: in between, a reader would take it for another program's.
  if (isKnown) await keepText(stateFolder, real, after.join("\n"));
  const saved = await file.save();
  if (saved === "conflict")
    throw new Refusal(`${path} changed in the meantime, so it was left alone.`);
  await replacePieces(stateFolder, real, kept).catch((error: unknown) =>
    places.log(`written: ${messageOf(error)}`),
  );
  return true;
}
