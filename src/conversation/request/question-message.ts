/** Turns a question into the user message that is sent, with the files it refers to (format, section 10). */

import { compact } from "../../shared/compact.ts";
import { isUnseen, wellFormed } from "../../shared/well-formed.ts";
import { fenced } from "../../transcript/code.ts";
import { namedReferences, readReferenceName, referencesIn } from "../../transcript/references.ts";
import type { Question, Reference } from "../../transcript/transcript.ts";
import type { ImagePart, TextPart, UserMessage } from "../ports.ts";
import { type Copies, copyName, type LoadedFile, partsOf } from "./needed-files.ts";

export interface ReferencedFiles {
  readonly copies: Copies;
  readonly files: ReadonlyMap<string, LoadedFile>;
}

export interface BuiltQuestion {
  /** Null when there is nothing to send. */
  readonly message: UserMessage | null;
  /** Sentences about references that are sent as written because their content is missing. */
  readonly notices: readonly string[];
}

/** A reference whose content is in the message. */
interface Resolved {
  readonly reference: Reference;
  readonly file: LoadedFile;
  /** Images that a resource holds in addition to its text. */
  readonly images: readonly LoadedFile[];
}

export interface QuestionMessageOptions {
  /** False for an old exchange, whose image references are sent as written. */
  readonly withImages: boolean;
  /** False when whoever read the files has already reported those that could not be read. */
  readonly reportsUnread: boolean;
}

export function questionMessage(
  question: Question,
  { copies, files }: ReferencedFiles,
  { withImages, reportsUnread }: QuestionMessageOptions,
): BuiltQuestion {
  // Most questions refer to nothing.
  if (question.references.length === 0) return built(textParts(question.text), none);
  const resolved: Resolved[] = [];
  const notices: string[] = [];
  for (const reference of distinct(question.references)) {
    if (reference.kind === "image" && !withImages) continue;
    const name = copyName(copies, reference.source);
    const file = name === null ? undefined : files.get(name);
    if (file && (reference.kind !== "image" || file.kind === "image")) {
      const parts = withImages ? partsOf(copies, reference.source) : [];
      const images = parts.flatMap(([, part]) => files.get(part) ?? []);
      if (withImages || file.kind === "text") resolved.push({ reference, file, images });
    } else if (name !== null || (reportsUnread && reference.kind !== "resource"))
      notices.push(notSent(reference, name, file));
  }
  return built(fileParts(resolved).concat(questionParts(question.text, resolved)), notices);
}

const none: readonly never[] = [];

function built(content: UserMessage["content"], notices: readonly string[]): BuiltQuestion {
  return { message: content.length > 0 ? { role: "user", content } : null, notices };
}

/** Files and resources come above the question: long material first, the question last. */
function fileParts(resolved: readonly Resolved[]): readonly (TextPart | ImagePart)[] {
  return resolved.flatMap(({ reference, file, images }): (TextPart | ImagePart)[] => {
    if (reference.kind === "image") return [];
    if (file.kind === "image") return [imagePart(file)];
    const text = wellFormed(`${headingOf(reference)}\n\n${fenced(file.text)}`);
    return [{ type: "text", text }, ...images.filter(isImage).map(imagePart)];
  });
}

function headingOf({ kind, label, target }: Reference): string {
  if (kind === "resource") return `Resource: ${label}:${target}`;
  const named = kind === "named" ? readReferenceName(target) : null;
  if (named === null) return `File: ${target}`;
  return `${target}, ${namedReferences[named.name]}:`;
}

/** The text split at its image lines, with each image in its place. */
function questionParts(
  text: string,
  resolved: readonly Resolved[],
): readonly (TextPart | ImagePart)[] {
  const images = new Map<string, ImagePart>();
  for (const { reference, file } of resolved) {
    if (reference.kind !== "image" || file.kind !== "image") continue;
    images.set(reference.source, imagePart(file));
  }
  if (images.size === 0) return textParts(text);
  const parts: (TextPart | ImagePart)[] = [];
  let lines: string[] = [];
  const endText = () => {
    parts.push(...textParts(lines.join("\n")));
    lines = [];
  };
  for (const line of text.split("\n")) {
    const [reference] = referencesIn(line, 0);
    const image = reference?.kind === "image" ? images.get(reference.source) : undefined;
    if (image === undefined) {
      lines.push(line);
      continue;
    }
    endText();
    parts.push(image);
  }
  endText();
  return parts;
}

/** Without leading blank lines and trailing white space; empty when nothing of the text can be seen. */
function textParts(text: string): readonly TextPart[] {
  const part = compact(text.replace(/^\s*\n/, "").trimEnd());
  return isUnseen(part) ? [] : [{ type: "text", text: wellFormed(part) }];
}

type ImageFile = LoadedFile & { readonly kind: "image" };

function isImage(file: LoadedFile): file is ImageFile {
  return file.kind === "image";
}

function imagePart({ mime, data }: ImageFile): ImagePart {
  return { type: "image", mime, data };
}

/** The same file may be named twice. */
function distinct(references: readonly Reference[]): readonly Reference[] {
  return [...new Map(references.map((each) => [`${each.kind} ${each.source}`, each])).values()];
}

function notSent(
  { source, target }: Reference,
  name: string | null,
  file: LoadedFile | undefined,
): string {
  if (name === null) {
    return `${source} was not read for this question, so it is sent as written. At that question, respond again to read it.`;
  }
  if (file) return `${target} contains no image that can be sent, so it is sent as written.`;
  return `${source} is sent as written: its copy ${name} in the files folder of this chat could not be loaded.`;
}
