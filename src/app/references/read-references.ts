/** Reads what a question refers to and keeps copies, so that every later request sends the same (format, section 10). */

import { type Copies, type LoadedFile, partKey } from "../../conversation/request/needed-files.ts";
import { messageOf } from "../../shared/json.ts";
import { visible } from "../../shared/visible.ts";
import type { Reference } from "../../transcript/transcript.ts";
import { fetchBytes } from "./fetch-url.ts";
import { readRegularFile } from "./files.ts";
import { copyResource, type ResourceCopy, type ResourceSource, saveCopy } from "./read-resource.ts";
import { locate, type ReferenceRoots, type ReferenceTarget, shownUrl } from "./targets.ts";

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
  /** What was answered already, by the reference as written. */
  readonly decided: ReadonlyMap<string, boolean>;
  readonly resources: ResourceSource;
  readonly signal: AbortSignal;
}

interface Located {
  readonly reference: Reference;
  readonly place: ReferenceTarget;
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
  const { decided } = ports;
  const outside = located.filter(
    ({ reference, place }) => needsYes(place) && !decided.has(reference.source),
  );
  const isAllowed = outside.length === 0 || (await ports.confirm(question(outside)));

  const copies: [string, string][] = [];
  const files = new Map<string, LoadedFile>();
  const read: string[] = [];
  const notices: string[] = [];
  for (const { reference, place } of located) {
    const answer = decided.get(reference.source);
    const isRefused = answer === undefined ? needsYes(place) && !isAllowed : !answer;
    const why =
      answer === undefined
        ? "was not read, because it lies outside this folder and nobody said yes"
        : "was not read, because nobody said yes";
    const copy = isRefused ? why : await copyOf(place, roots.transcriptPath, ports);
    if (typeof copy === "string") {
      notices.push(`${shown(reference, place)} ${copy}. It is sent as written.`);
      continue;
    }
    copies.push([reference.source, copy.name]);
    files.set(copy.name, copy.content);
    for (const [index, image] of copy.images.entries()) {
      copies.push([partKey(reference.source, index), image.name]);
      files.set(image.name, image.content);
    }
    read.push(shown(reference, place));
  }
  return { copies: Object.fromEntries(copies), files, read, notices };
}

async function copyOf(
  place: ReferenceTarget,
  transcriptPath: string,
  { resources, signal }: ReadPorts,
): Promise<ResourceCopy | string> {
  if (place.type === "nowhere") return place.reason;
  try {
    if (place.type === "resource") {
      const parts = await resources.read(place.server, place.uri, signal);
      return await copyResource(parts, transcriptPath);
    }
    const bytes =
      place.type === "url"
        ? await fetchBytes(place.url, signal)
        : await readRegularFile(place.path);
    const copy = typeof bytes === "string" ? bytes : await saveCopy(transcriptPath, bytes);
    return typeof copy === "string" ? copy : { ...copy, images: [] };
  } catch (error) {
    const reason = messageOf(error);
    return `could not be read: ${reason.replace(/\.$/, "")}`;
  }
}

function needsYes(place: ReferenceTarget): boolean {
  return place.type === "url" || (place.type === "file" && place.outside);
}

function question(outside: readonly Located[]): string {
  const names = outside.map(({ reference, place }) => shown(reference, place));
  return `The question refers to what lies outside this folder. Read it and send it to the model?\n${names.join("\n")}`;
}

function shown({ source, target }: Reference, place: ReferenceTarget): string {
  switch (place.type) {
    case "url":
      return shownUrl(place.url);
    case "file":
      return visible(place.path);
    case "resource":
      return source;
    case "nowhere":
      return target;
  }
}
