/** Which parts of a chat are the user's own, by everything that this machine knows about it. */
import { dirname } from "node:path";
import { type PieceKey, piecesOf } from "../../conversation/decide/openings.ts";
import type { Transcript } from "../../transcript/transcript.ts";
import { contains } from "../files/inside.ts";
import { changedAt, isTrustedFolder, loadPieces, recordedSince } from "../state/written-pieces.ts";

/**
 * The parts of the chat at `file` (its real path) that are the user's own. `all`: it is in a trusted folder, or was in
 * a chat folder before origins were kept.
 */
export async function ownPieces(
  stateFolder: string,
  file: string,
  chatFolders: readonly string[],
): Promise<ReadonlySet<PieceKey> | "all"> {
  if (await isTrustedFolder(stateFolder, dirname(file))) return "all";
  const since = await recordedSince(stateFolder);
  const known = await loadPieces(stateFolder, file);
  if (known !== null) return known;
  const changed = await changedAt(file);
  const inside = await Promise.all(chatFolders.map((folder) => contains(folder, file)));
  const isAdopted = inside.includes(true) && changed !== null && changed <= since;
  return isAdopted ? "all" : new Set();
}

/** The user's own parts of a text, to be kept for it under another path or as another version of the same file. */
export function keptPieces(own: ReadonlySet<PieceKey> | "all", text: Transcript): PieceKey[] {
  return [...piecesOf(text)].filter((piece) => own === "all" || own.has(piece));
}
