/** Reads what a question refers to and keeps copies, so that later requests send the same (format, section 10). */

import { join, resolve } from "node:path";
import { type Copies, type LoadedFile, partKey } from "../../conversation/request/needed-files.ts";
import { counted } from "../../shared/counted.ts";
import { visible } from "../../shared/visible.ts";
import { expandHome } from "../../system/paths.ts";
import type { Reference } from "../../transcript/transcript.ts";
import { readContent } from "../files/file-content.ts";
import { isInside } from "../files/inside.ts";
import { reasonOf } from "../files/reason-of.ts";
import { fetchBytes } from "./fetch-url.ts";
import { readReferencedFile } from "./files.ts";
import { type GatheredText, readFolder } from "./folder-files.ts";
import { type NamedSources, readNamedText } from "./named-texts.ts";
import { copyResource, type ResourceCopy, type ResourceSource, saveCopy } from "./read-resource.ts";
import { looksSecret } from "./secret-files.ts";
import {
  type LineSpan,
  locate,
  type ReferenceRoots,
  type ReferenceTarget,
  shownUrl,
  splitLines,
} from "./targets.ts";

export interface ReadReferences {
  readonly copies: Copies;
  /** By the plain names of the copies. */
  readonly files: ReadonlyMap<string, LoadedFile>;
  /** What was read, to show to the user. */
  readonly read: readonly ReadContent[];
  /** One sentence about everything that was not read; empty when all was. */
  readonly notices: readonly string[];
}

/** A path, an address or a name, with its content. */
export interface ReadContent {
  readonly name: string;
  readonly content: LoadedFile;
}

export interface ReadPorts {
  /** Called once, with everything that lies outside; false reads none of it. */
  confirm(question: string): Promise<boolean>;
  /** Earlier answers, by reference as written. */
  readonly decided: ReadonlyMap<string, boolean>;
  readonly resources: ResourceSource;
  /** The sources besides files: open texts, diagnostics, the repository. */
  readonly around: Omit<NamedSources, "signal" | "workingFolder">;
  /** False for a preview: nothing is asked or written, and what needs approval or a network is not read. */
  readonly online: boolean;
  readonly signal: AbortSignal;
}

interface Located {
  readonly reference: Reference;
  readonly place: ReferenceTarget;
}

/** Reads the references and copies them. Never throws; what cannot be read is named, and sent as written. */
export async function readReferences(
  references: readonly Reference[],
  roots: ReferenceRoots,
  ports: ReadPorts,
): Promise<ReadReferences> {
  const located: Located[] = [];
  for (const reference of references) {
    located.push({ reference, place: await locateOpen(reference, roots, ports) });
  }
  const refusals = await refusedOf(located, ports);
  const copies: [string, string][] = [];
  const files = new Map<string, LoadedFile>();
  const read: ReadContent[] = [];
  const unread: string[] = [];
  const leftOut: string[] = [];
  for (const [index, { reference, place }] of located.entries()) {
    const copy = refusals[index] ?? (await copyOf(place, roots, ports));
    const name = shown(reference, place);
    if (typeof copy === "string") {
      unread.push(`${name} ${visible(copy)}`);
      continue;
    }
    copies.push([reference.source, copy.name]);
    files.set(copy.name, copy.content);
    for (const [index, image] of copy.images.entries()) {
      copies.push([partKey(reference.source, index), image.name]);
      files.set(image.name, image.content);
    }
    leftOut.push(...copy.leftOut.map((what) => `${name} without ${visible(what)}`));
    read.push({ name, content: copy.content });
  }
  return {
    copies: Object.fromEntries(copies),
    files,
    read,
    notices: unreadNotice(unread, leftOut, ports),
  };
}

/** All of it in one text, so that the user gets one message. */
function unreadNotice(
  unread: readonly string[],
  leftOut: readonly string[],
  { online }: ReadPorts,
): readonly string[] {
  const when = online ? "" : " in this preview";
  const parts = [
    ...(unread.length === 0
      ? []
      : [
          online
            ? "Not read, so sent as written:"
            : "Not read in this preview, so shown as written:",
          ...unread,
        ]),
    ...(leftOut.length === 0 ? [] : [`Read${when} in part:`, ...leftOut]),
  ];
  return parts.length === 0 ? [] : [parts.join("\n")];
}

/** A buffer may have a file name that was never written to. */
async function locateOpen(
  reference: Reference,
  roots: ReferenceRoots,
  { around: { workspace } }: ReadPorts,
): Promise<ReferenceTarget> {
  const place = await locate(reference, roots);
  if (place.type !== "nowhere" || reference.kind !== "file" || workspace.open === null)
    return place;
  const { path: written, lines } = splitLines(reference.target);
  const path = resolve(roots.workingFolder, expandHome(written, roots.home));
  if (!(await workspace.open()).includes(path)) return place;
  const outside = !(await isInside(path, [roots.workingFolder], roots.home));
  return { type: "file", path, outside, lines };
}

/** Why each may not be read; null: it may. */
async function refusedOf(
  located: readonly Located[],
  { decided, online, confirm }: ReadPorts,
): Promise<readonly (string | null)[]> {
  if (!online) return located.map(({ place }) => leftForRespond(place));
  const isOpen = ({ reference, place }: Located) =>
    needsYes(place) && !decided.has(reference.source);
  const outside = located.filter(isOpen);
  const isAllowed = outside.length === 0 || (await confirm(question(outside)));
  return located.map((one) => {
    if (decided.get(one.reference.source) === false)
      return "was not read, because that was not allowed";
    return isOpen(one) && !isAllowed
      ? "was not read, because it is outside this folder and that was not allowed"
      : null;
  });
}

function leftForRespond(place: ReferenceTarget): string | null {
  if (place.type === "url" || place.type === "resource") return "is read when you respond";
  const isAsked = needsYes(place) || (place.type === "file" && looksSecret(place.path));
  return isAsked ? "needs your approval when you respond" : null;
}

/** A copy, and what it leaves out of the reference, as sentence parts that begin with a name. */
interface ReadCopy extends ResourceCopy {
  readonly leftOut: readonly string[];
}

async function copyOf(
  place: ReferenceTarget,
  { transcriptPath, workingFolder }: ReferenceRoots,
  ports: ReadPorts,
): Promise<ReadCopy | string> {
  const { around, resources, signal, online } = ports;
  const save = (bytes: Uint8Array) => saveCopy(online ? transcriptPath : null, bytes);
  const whole = async (bytes: Uint8Array | string): Promise<ReadCopy | string> => {
    const copy = typeof bytes === "string" ? bytes : await save(bytes);
    return typeof copy === "string" ? copy : { ...copy, images: [], leftOut: [] };
  };
  const gathered = async (found: GatheredText | string): Promise<ReadCopy | string> => {
    if (typeof found === "string") return found;
    const copy = await whole(Buffer.from(found.text, "utf8"));
    return typeof copy === "string" ? copy : { ...copy, leftOut: found.leftOut };
  };
  try {
    switch (place.type) {
      case "nowhere":
        return place.reason;
      case "resource": {
        const parts = await resources.read(place.server, place.uri, signal);
        const copy = await copyResource(parts, transcriptPath);
        return typeof copy === "string" ? copy : { ...copy, leftOut: [] };
      }
      case "url":
        return await whole(await fetchBytes(place.url, signal));
      case "file":
        return await whole(await fileBytes(place, around.workspace));
      case "folder":
        return await gathered(
          await readFolder({ folder: place.path, glob: place.glob }, { ...around, signal }),
        );
      case "named":
        return await gathered(await readNamedText(place, { ...around, workingFolder, signal }));
    }
  } catch (error) {
    const reason = reasonOf(error);
    return `could not be read: ${reason.replace(/\.$/, "")}`;
  }
}

/** The text on screen where the file is open, else the file's bytes. */
async function fileBytes(
  { path, lines }: Extract<ReferenceTarget, { type: "file" }>,
  workspace: NamedSources["workspace"],
): Promise<Uint8Array | string> {
  const open = workspace.open === null ? null : await workspace.read(path).catch(() => null);
  if (open?.source === "buffer") return linesOf(open.text, lines);
  const bytes = await readReferencedFile(path);
  if (lines === null || typeof bytes === "string") return bytes;
  const content = readContent(bytes);
  if (typeof content === "string") return content;
  return content.kind === "text" ? linesOf(content.text, lines) : "is an image, which has no lines";
}

function linesOf(text: string, lines: LineSpan | null): Uint8Array | string {
  if (lines === null) return Buffer.from(text, "utf8");
  const all = text.replace(/\n$/, "").split("\n");
  const { first, last } = lines;
  if (first > all.length)
    return `has ${counted(all.length, "line")}, none from ${first} to ${last}`;
  return Buffer.from(`${all.slice(first - 1, last).join("\n")}\n`, "utf8");
}

function needsYes(place: ReferenceTarget): boolean {
  if (place.type === "url") return true;
  return (place.type === "file" || place.type === "folder") && place.outside;
}

function question(outside: readonly Located[]): string {
  const names = outside.map(({ reference, place }) => shown(reference, place));
  return `The question refers to something outside this folder. Read it and send it to the model?\n${names.join("\n")}`;
}

function shown({ source, target }: Reference, place: ReferenceTarget): string {
  switch (place.type) {
    case "url":
      return shownUrl(place.url);
    case "file":
      return visible(place.path) + spanText(place.lines);
    case "folder":
      return visible(join(place.path, place.glob));
    case "resource":
    case "named":
      return source;
    case "nowhere":
      return target;
  }
}

function spanText(lines: LineSpan | null): string {
  if (lines === null) return "";
  return lines.first === lines.last ? `:${lines.first}` : `:${lines.first}-${lines.last}`;
}
