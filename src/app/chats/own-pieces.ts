/** Which parts of a chat are the user's own, by everything that this machine knows about it. */
import { dirname } from "node:path";
import {
  headerPiece,
  type PieceKey,
  piecesOf,
  referencePiece,
} from "../../conversation/decide/openings.ts";
import { applyEdits } from "../../transcript/edits/layout.ts";
import { parseLines } from "../../transcript/parse.ts";
import type { Edit, Transcript } from "../../transcript/transcript.ts";
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

/**
 * The user's own parts of a text after these edits by the user or by what the user asked for, to be kept for it. New
 * parts are the user's own, except where they replace lines with parts that are not.
 */
export function keptPieces(
  own: ReadonlySet<PieceKey> | "all",
  before: Transcript,
  edits: readonly Edit[],
): readonly PieceKey[] {
  const textAfter = (some: readonly Edit[]) => parseLines(applyEdits(before.lines, some));
  if (own === "all") return [...piecesOf(textAfter(edits))];
  const foreign = new Set([...piecesOf(before)].filter((piece) => !own.has(piece)));
  const foreignLines = new Set(linesOf(before, foreign));
  const ownEdits = edits.filter(({ start, end }) =>
    range(start, end).every((line) => !foreignLines.has(line)),
  );
  return [...piecesOf(textAfter(ownEdits))].filter((piece) => !foreign.has(piece));
}

/** The lines of the text that have such pieces. */
function linesOf(
  { header, exchanges }: Transcript,
  pieces: ReadonlySet<PieceKey>,
): readonly number[] {
  const entries = header.entries.filter((entry) => pieces.has(headerPiece(entry)));
  const references = exchanges.flatMap(({ question }) =>
    question.references.filter((reference) => pieces.has(referencePiece(reference))),
  );
  return [
    ...entries.flatMap(({ line, end }) => range(line, end)),
    ...references.map(({ line }) => line),
  ];
}

function range(start: number, end: number): readonly number[] {
  return Array.from({ length: end - start }, (_, at) => start + at);
}
