/** Tracks whether a chat came from elsewhere, and what the user lets it open (format, section 9). */

import { dirname, join } from "node:path";
import {
  headerPiece,
  namedEntries,
  openingEntries,
  type PieceKey,
  piecesOf,
  referencePiece,
} from "../../conversation/decide/openings.ts";
import { type Memory, memoriesOf, memoryName } from "../../conversation/decide/remembered.ts";
import { ownValue } from "../../shared/json.ts";
import { ellipsize, visible } from "../../shared/visible.ts";
import { realPathNow, realPathToBe } from "../../system/real-path.ts";
import { homeFolder } from "../../system/standard-folders.ts";
import type { Header, HeaderEntry, Reference, Transcript } from "../../transcript/transcript.ts";
import type { App } from "../app.ts";
import { ownPieces } from "../chats/own-pieces.ts";
import { readChat } from "../chats/read-chat.ts";
import { looksSecret } from "../references/secret-files.ts";
import { locate, shownUrl, splitLines } from "../references/targets.ts";
import { dropRecords, loadRecords } from "../state/remembered-store.ts";
import { isKnownText, keepText } from "../state/remembered-texts.ts";
import { keepPieces, trustFolder } from "../state/written-pieces.ts";

/** One thing that a request would open and that the user is asked about. */
export interface Opening {
  readonly type: "header" | "reference";
  /** Whether it was not written on this machine. Otherwise it is asked about because it looks like a secret. */
  readonly isForeign: boolean;
  /** One line for the user. */
  readonly text: string;
  readonly piece: PieceKey;
  /** The key of a header entry, or a reference as written. */
  readonly name: string;
}

/** The user's answer for all openings: which are allowed, and how long that is kept. */
export interface Agreement {
  readonly allowed: readonly boolean[];
  readonly keep: "once" | "file" | "folder";
}

export interface OriginQuestion {
  readonly openings: readonly Opening[];
  /** What else the foreign header sets, in one line; null: nothing. */
  readonly named: string | null;
  readonly folder: string;
}

export interface ChatOrigin {
  /** Finds out where the text came from, once for each reading of its file, and learns nothing from it before that. */
  loaded(transcript: Transcript): Promise<void>;
  /** The file was read again: its content counts as foreign until `loaded` has checked it. */
  reread(): void;
  /** Called before the text is written: it counts as this machine's even if the program ends right after the write. */
  willWrite(transcript: Transcript): Promise<void>;
  /** This machine wrote the text to its file. */
  written(transcript: Transcript): Promise<void>;
  /** What would be opened and was not written here; `references` are those that would be read now. */
  openings(transcript: Transcript, references: readonly Reference[]): Promise<readonly Opening[]>;
  /** What else the header sets that was not written here, in one line; null: nothing. */
  named(transcript: Transcript): string | null;
  /** The user has read the `named` line of this text. */
  noticeRead(transcript: Transcript): Promise<void>;
  /** Tools that are no longer remembered, because another program had changed the text before it was read. */
  forgotten(): ReadonlySet<string>;
  /** Records that the user allowed these. */
  agree(openings: readonly Opening[], how: Agreement["keep"]): Promise<void>;
}

type Reader = (transcript: Transcript) => void;

/** `isRead` is called with each text that is checked, as it was read from its file. */
export function createChatOrigin(app: App, path: () => string | null, isRead?: Reader): ChatOrigin {
  const { stateFolder } = app.options;
  /** What the file contained that was not written here. */
  let unknownPieces: ReadonlySet<PieceKey> = new Set();
  /** What was typed or allowed since. */
  const own = new Set<PieceKey>();
  const forgotten = new Set<string>();
  const learn = rememberLast((transcript: Transcript) => {
    const pieces = [...piecesOf(transcript)].filter((piece) => !unknownPieces.has(piece));
    for (const piece of pieces) own.add(piece);
    return pieces;
  });
  const keeper = createKeeper(stateFolder);
  const keep = (file: string, pieces: readonly PieceKey[]) => app.kept(keeper(file, pieces));
  const isUnknown = (piece: PieceKey) => unknownPieces.has(piece) && !own.has(piece);

  const looking = once(async (transcript: Transcript) => {
    isRead?.(transcript);
    const file = realOf(path());
    // A chat without a file was made here.
    if (file === null) return;
    for (const { tool } of await forgetIfChanged(app, file, transcript)) forgotten.add(tool);
    unknownPieces = await findUnknownPieces(app, file, transcript, own);
    learn.forget();
  });

  return {
    loaded: looking.run,
    forgotten: () => forgotten,
    reread: looking.forget,
    async willWrite(transcript) {
      await looking.run(transcript);
      const real = realOf(path(), realPathToBe);
      if (real !== null) await keep(real, learn.of(transcript));
    },
    async written(transcript) {
      await looking.run(transcript);
      const file = realOf(path());
      if (file === null) return;
      await keep(file, learn.of(transcript));
      const { records } = await loadRecords(stateFolder, file);
      if (records.length > 0)
        await app.kept(keepText(stateFolder, file, transcript.lines.join("\n")));
    },
    async openings(transcript, references) {
      await looking.run(transcript);
      learn.of(transcript);
      const entries = unknownEntries(app, transcript.header, isUnknown);
      return [...entries, ...(await askedReferences(app, path(), references, isUnknown))];
    },
    named(transcript) {
      learn.of(transcript);
      const entries = unknownNames(transcript.header, isUnknown);
      return entries.length === 0 ? null : entries.map(entryText).join(", ");
    },
    async noticeRead(transcript) {
      const pieces = unknownNames(transcript.header, isUnknown).map(headerPiece);
      for (const piece of pieces) own.add(piece);
      const file = realOf(path());
      if (file !== null && pieces.length > 0) await app.kept(keepPieces(stateFolder, file, pieces));
    },
    async agree(openings, how) {
      for (const { piece } of openings) own.add(piece);
      const file = realOf(path());
      if (file === null || how === "once") return;
      if (how === "folder") await app.kept(trustFolder(stateFolder, dirname(file)));
      const pieces = openings.map(({ piece }) => piece);
      await app.kept(keepPieces(stateFolder, file, pieces));
    },
  };
}

/** A function that is asked several times about one text in a row: it is called once. */
function rememberLast<Result>(find: (transcript: Transcript) => Result) {
  let last: { readonly of: Transcript; readonly result: Result } | null = null;
  return {
    of(transcript: Transcript): Result {
      if (last?.of !== transcript) last = { of: transcript, result: find(transcript) };
      return last.result;
    },
    forget() {
      last = null;
    },
  };
}

function realOf(file: string | null, find = realPathNow): string | null {
  return file === null ? null : find(file);
}

/** Keeps pieces of a file; pieces that it already kept cost nothing. */
function createKeeper(stateFolder: string) {
  let kept = { file: "", pieces: new Set<PieceKey>() };
  return async (file: string, pieces: readonly PieceKey[]) => {
    const before = kept.file === file ? kept.pieces : null;
    if (before !== null && pieces.every((piece) => before.has(piece))) return;
    await keepPieces(stateFolder, file, pieces);
    kept = { file, pieces: new Set([...(before ?? []), ...pieces]) };
  };
}

/** Runs `act` for the first caller, and again only after it failed or was forgotten. */
function once<T>(act: (argument: T) => Promise<void>) {
  let begun: Promise<void> | null = null;
  return {
    run(argument: T): Promise<void> {
      if (begun !== null) return begun;
      const mine = act(argument);
      begun = mine;
      mine.catch(() => {
        if (begun === mine) begun = null;
      });
      return mine;
    },
    forget() {
      begun = null;
    },
  };
}

async function findUnknownPieces(
  app: App,
  file: string,
  transcript: Transcript,
  own: ReadonlySet<PieceKey>,
): Promise<ReadonlySet<PieceKey>> {
  const { chat_dirs } = app.now.configuration;
  const known = await ownPieces(app.options.stateFolder, file, chat_dirs);
  if (known === "all") return new Set();
  return new Set([...piecesOf(transcript)].filter((piece) => !known.has(piece) && !own.has(piece)));
}

/** Remembered tools only count for texts that this machine wrote; in any other text, each tool asks again. */
async function forgetIfChanged(
  app: App,
  file: string,
  transcript: Transcript,
): Promise<readonly Memory[]> {
  const { stateFolder, notify } = app.options;
  const { records } = await loadRecords(stateFolder, file);
  if (records.length === 0) return [];
  // The text on screen may be typed and unsaved; only the file shows whether another program wrote it.
  const text = (await readChat(file)) ?? transcript.lines.join("\n");
  const isKnown = await isKnownText(stateFolder, file, text);
  if (isKnown === null) await app.kept(keepText(stateFolder, file, text));
  if (isKnown !== false) return [];
  await dropRecords(stateFolder, records);
  const memories = memoriesOf(transcript, records, file);
  const names = memories.map(memoryName);
  if (names.length === 0) return [];
  notify(
    "warn",
    `Another program has changed this chat since you wrote it here, so Parley asks again about ${names.join(", ")}. yO on the next call remembers it again.`,
  );
  return memories;
}

type IsUnknown = (piece: PieceKey) => boolean;

/** Foreign header entries that are only named. An entry that opens something is asked about instead. */
function unknownNames(header: Header, isUnknown: IsUnknown): readonly HeaderEntry[] {
  const asked = openingEntries(header, { allowsTools: true, opensByAgent: () => true });
  return namedEntries(header).filter(
    (entry) => !asked.includes(entry) && isUnknown(headerPiece(entry)),
  );
}

function unknownEntries(app: App, header: Header, isUnknown: IsUnknown): readonly Opening[] {
  const { auto_approve, rules, agents } = app.now.configuration;
  const allowsTools = auto_approve.trim() !== "none" || rules.allow.length > 0;
  const opensByAgent = (name: string) => {
    const { server_tools = [], rules_files = [] } = ownValue(agents, name) ?? {};
    return server_tools.length > 0 || rules_files.length > 0;
  };
  return openingEntries(header, { allowsTools, opensByAgent }).flatMap((entry) => {
    const piece = headerPiece(entry);
    if (!isUnknown(piece)) return [];
    // The user sees the whole value that they allow.
    const text = `${visible(entry.key)}: ${visible(entry.value)}`;
    return [{ type: "header", isForeign: true, text, piece, name: entry.key }];
  });
}

/** References that were not written here, and those to files that look like secrets, wherever they were written. */
async function askedReferences(
  app: App,
  path: string | null,
  references: readonly Reference[],
  isUnknown: IsUnknown,
): Promise<readonly Opening[]> {
  const found: Opening[] = [];
  for (const reference of references) {
    const piece = referencePiece(reference);
    const text = await referenceText(app, path, reference);
    const isSecret = [splitLines(reference.target).path, splitLines(text).path].some(looksSecret);
    const isForeign = isUnknown(piece);
    if (!isForeign && !isSecret) continue;
    const words = `reads ${text}${isSecret ? ", which looks like a secret" : ""}`;
    found.push({ type: "reference", isForeign, text: words, piece, name: reference.source });
  }
  return found;
}

/** The beginning of an entry that is only named. */
function entryText({ key, value }: HeaderEntry): string {
  return `${visible(key)}: ${ellipsize(visible(value), 100)}`;
}

/** The real path or the address: what is read, not how it is written. */
async function referenceText(
  app: App,
  transcriptPath: string | null,
  reference: Reference,
): Promise<string> {
  if (transcriptPath === null) return visible(reference.source);
  const roots = { workingFolder: app.workingDirectory, transcriptPath, home: homeFolder() };
  const place = await locate(reference, roots);
  if (place.type === "url") return shownUrl(place.url);
  if (place.type === "folder") return visible(join(place.path, place.glob));
  return visible(place.type === "file" ? place.path : reference.source);
}
