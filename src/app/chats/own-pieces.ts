/** What of a chat is the person's own, by all that this machine knows of it. */
import { dirname } from "node:path";
import { type PieceKey, piecesOf } from "../../conversation/decide/openings.ts";
import type { Transcript } from "../../transcript/transcript.ts";
import { contains } from "../files/inside.ts";
import { changedAt, isTrustedFolder, keptSince, loadPieces } from "../state/written-pieces.ts";

/**
 * What of the chat at `file` (its real path) is the person's own. `all`: it is in a trusted folder, or was in a chat
 * folder before origins were kept.
 */
export async function ownPieces(
  stateFolder: string,
  file: string,
  chatFolders: readonly string[],
): Promise<ReadonlySet<PieceKey> | "all"> {
  if (await isTrustedFolder(stateFolder, dirname(file))) return "all";
  const since = await keptSince(stateFolder);
  const known = await loadPieces(stateFolder, file);
  if (known !== null) return known;
  const changed = await changedAt(file);
  const inside = await Promise.all(chatFolders.map((folder) => contains(folder, file)));
  const isAdopted = inside.includes(true) && changed !== null && changed <= since;
  return isAdopted ? "all" : new Set();
}

/** What is the person's own in a text, for where it goes next: another path, or another text of the same file. */
export function keptPieces(own: ReadonlySet<PieceKey> | "all", text: Transcript): PieceKey[] {
  return [...piecesOf(text)].filter((piece) => own === "all" || own.has(piece));
}
