/** The texts and images that the questions of a request name: read now, or copied when the question was first asked. */

import { join } from "node:path";
import {
  type Copies,
  type LoadedFile,
  neededFiles,
  sentSteps,
} from "../../conversation/request/needed-files.ts";
import { tokensOf } from "../../conversation/request/request-size.ts";
import type { PrepareOptions } from "../../conversation/turn/chat.ts";
import { sizeText } from "../../shared/counted.ts";
import { given } from "../../shared/given.ts";
import { Refusal } from "../../shared/refusal.ts";
import { homeFolder } from "../../system/standard-folders.ts";
import { type AlmostReference, almostReferences } from "../../transcript/references.ts";
import type { Exchange, Reference, Transcript } from "../../transcript/transcript.ts";
import { loadFiles } from "../references/files.ts";
import {
  type ReadContent,
  type ReadPorts,
  type ReadReferences,
  readReferences,
} from "../references/read-references.ts";
import type { ResourceSource } from "../references/read-resource.ts";

/** Where the files of one chat's questions are, and how the user is asked about them. */
export interface QuestionSources {
  readonly resources: ResourceSource;
  readonly around: ReadPorts["around"];
  readonly workingDirectory: string;
  /** Path of the transcript; null while it has none. */
  readonly path: string | null;
  confirm(question: string): Promise<boolean>;
  /** References that the user has already decided about, as written; absent: none. */
  readonly decided?: ReadonlyMap<string, boolean>;
}

export interface PrepareHow extends PrepareOptions {
  /** False for a preview: nothing is fetched, asked or written, and references that need it are sent as written. */
  readonly online: boolean;
}

export interface QuestionFiles {
  /** By plain name in the files folder. */
  readonly loaded: ReadonlyMap<string, LoadedFile>;
  /** The names of the copies, by reference as written. */
  readonly copies: Copies;
  /** The content that was read now. */
  readonly read: readonly ReadContent[];
  /** Sentences about what could not be read. */
  readonly notices: readonly string[];
}

/** Reads what the request needs and what has no copy yet; for earlier questions, loads the copies. */
export async function readQuestionFiles(
  sources: QuestionSources,
  transcript: Transcript,
  exchange: Exchange,
  maxFullExchanges: number,
  how: PrepareHow,
): Promise<QuestionFiles> {
  const needed = neededFiles(transcript, exchange, {
    maxFullExchanges,
    fresh: how.fresh,
    ...given({ steps: how.steps }),
  });
  const { path } = sources;
  const stored = path === null ? nothingStored : await loadFiles(path, needed.names);
  refuseTooMuch(stored.files, needed.counts);
  const { meant, notices } = await withoutText(sources.resources, needed.reads);
  const almost = isFirstRequest(exchange, how) ? almostReferences(exchange.question.text) : [];
  const read = await readNow(sources, meant, how);
  return {
    loaded: new Map([...stored.files, ...read.files]),
    copies: { ...needed.copies, ...read.copies },
    read: read.read,
    notices: [...stored.notices, ...notices, ...almost.map(almostText), ...read.notices],
  };
}

/** In characters, of all texts of files in a request; no model takes that much. */
const largestTexts = 64_000_000;

/** Throws a sentence where the chat, which anyone may have written, names its files so often that nothing can hold it. */
function refuseTooMuch(
  files: ReadonlyMap<string, LoadedFile>,
  counts: ReadonlyMap<string, number>,
): void {
  let size = 0;
  for (const [name, file] of files) {
    if (file.kind === "text") size += file.text.length * (counts.get(name) ?? 0);
  }
  if (size <= largestTexts) return;
  throw new Refusal(
    `The files that this chat names have ${sizeText(size)} of text, more than any model takes, so nothing was sent. Name fewer or smaller files, or lower max_full_exchanges in the header.`,
  );
}

const almostText = ({ written, meant }: AlmostReference) =>
  `${written} names no file, so it is sent as written; ${meant} would send one.`;

/** A resource counts only when its server exists; otherwise it is text, with a notice if it contains an address. */
async function withoutText(resources: ResourceSource, reads: readonly Reference[]) {
  const isResource = ({ kind }: Reference) => kind === "resource";
  const names = reads.some(isResource) ? await resources.names() : [];
  const isUnknown = (reference: Reference) =>
    isResource(reference) && !names.includes(reference.label);
  return {
    meant: reads.filter((reference) => !isUnknown(reference)),
    notices: reads
      .filter((reference) => isUnknown(reference) && reference.target.includes("://"))
      .map(
        ({ label, source }) =>
          `There is no MCP server ${JSON.stringify(label)}, so ${source} is sent as written.`,
      ),
  };
}

const nothingStored = { files: new Map(), notices: [] };
const nothingRead: ReadReferences = { copies: {}, files: new Map(), read: [], notices: [] };

async function readNow(
  { path, workingDirectory, resources, around, confirm, decided = new Map() }: QuestionSources,
  references: readonly Reference[],
  { online, signal }: PrepareHow,
): Promise<ReadReferences> {
  if (references.length === 0) return nothingRead;
  if (path === null && online) {
    const notice =
      "The chat has no file yet, so Parley cannot keep the files of its question beside it; their names are sent as written. Save it (:write) and respond again.";
    return { ...nothingRead, notices: [notice] };
  }
  const roots = {
    workingFolder: workingDirectory,
    transcriptPath: path ?? join(workingDirectory, "chat.md"),
    home: homeFolder(),
  };
  const ports = { confirm, decided, resources, around, online, signal };
  return readReferences(references, roots, ports);
}

/** Whether this is the first request of an answer. */
export function isFirstRequest(exchange: Exchange, { steps, fresh }: PrepareHow): boolean {
  return sentSteps(exchange, steps) === 0 || fresh;
}

/** The sizes of the texts that the question refers to, by reference as written. */
export function sizesOf({ copies, loaded }: QuestionFiles) {
  return Object.entries(copies).flatMap(([source, name]) => {
    const file = loaded.get(name);
    return file?.kind === "text" ? [{ source, tokens: tokensOf(file.text) }] : [];
  });
}
