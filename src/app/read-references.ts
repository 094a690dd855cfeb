/** Reads what a question refers to and keeps copies, so that every later request sends the same (format, section 10). */
import type { Copies, LoadedFile } from "../conversation/references.ts";
import type { Reference } from "../transcript/types.ts";
import { fetchBytes } from "./fetch-url.ts";
import { imageType, readContent } from "./file-content.ts";
import { readRegularFile, saveInFilesFolder } from "./files.ts";
import { locate, type ReferencePlace, type ReferenceRoots, shownUrl } from "./reference-places.ts";

export interface ReadReferences {
  readonly copies: Copies;
  /** By the plain names of the copies. */
  readonly files: ReadonlyMap<string, LoadedFile>;
  /** What was read, for people: paths and addresses. */
  readonly read: readonly string[];
  /** Sentences about what was not. */
  readonly notices: readonly string[];
}

export interface ReadPorts {
  /** Asked once, with everything that lies outside; false reads none of it. */
  confirm(question: string): Promise<boolean>;
  readonly signal: AbortSignal;
}

interface Located {
  readonly reference: Reference;
  readonly place: ReferencePlace;
}

/** Reads the references and copies them. Never throws: what cannot be read is named, and sent as written. */
export async function readReferences(
  references: readonly Reference[],
  roots: ReferenceRoots,
  ports: ReadPorts,
): Promise<ReadReferences> {
  const located: Located[] = [];
  for (const reference of references) {
    located.push({ reference, place: await locate(reference, roots) });
  }
  const outside = located.filter(({ place }) => needsYes(place));
  const isAllowed = outside.length === 0 || (await ports.confirm(question(outside)));

  const copies: [string, string][] = [];
  const files = new Map<string, LoadedFile>();
  const read: string[] = [];
  const notices: string[] = [];
  for (const { reference, place } of located) {
    const copy =
      needsYes(place) && !isAllowed
        ? "was not read, because it lies outside this folder and nobody said yes"
        : await copyOf(place, roots.transcriptPath, ports.signal);
    if (typeof copy === "string") {
      notices.push(`${shown(reference, place)} ${copy}. It is sent as written.`);
      continue;
    }
    copies.push([reference.source, copy.name]);
    files.set(copy.name, copy.content);
    read.push(shown(reference, place));
  }
  return { copies: Object.fromEntries(copies), files, read, notices };
}

interface Copy {
  readonly name: string;
  readonly content: LoadedFile;
}

async function copyOf(
  place: ReferencePlace,
  transcriptPath: string,
  signal: AbortSignal,
): Promise<Copy | string> {
  if (place.type === "nowhere") return place.reason;
  try {
    const bytes =
      place.type === "url"
        ? await fetchBytes(place.url, signal)
        : await readRegularFile(place.path);
    const content = typeof bytes === "string" ? bytes : readContent(bytes);
    if (typeof bytes === "string" || typeof content === "string") return String(content);
    const name = await saveInFilesFolder(transcriptPath, bytes, extension(bytes));
    return { name, content };
  } catch (error) {
    return `could not be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Text is kept as `.txt`, whatever it was called, so that no system runs a copy. */
function extension(bytes: Uint8Array): string {
  return imageType(bytes)?.replace("image/", "") ?? "txt";
}

function needsYes(place: ReferencePlace): boolean {
  return place.type === "url" || (place.type === "file" && place.outside);
}

function question(outside: readonly Located[]): string {
  const names = outside.map(({ reference, place }) => shown(reference, place));
  return `The question refers to what lies outside this folder. Read it and send it to the model?\n${names.join("\n")}`;
}

function shown({ target }: Reference, place: ReferencePlace): string {
  switch (place.type) {
    case "url":
      return shownUrl(place.url);
    case "file":
      return place.path;
    case "nowhere":
      return target;
  }
}
