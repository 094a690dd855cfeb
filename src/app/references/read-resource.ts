/** Copies resources of MCP servers next to the transcript, like files that a question names (format, section 10). */

import type { LoadedFile } from "../../conversation/request/needed-files.ts";
import type { ResourcePart } from "../../mcp/catalog/resources.ts";
import { sizeText } from "../../shared/counted.ts";
import { imageType } from "../../shared/sendable-images.ts";
import { readContent } from "../files/file-content.ts";
import { copyFileName, saveInFilesFolder } from "./files.ts";
import { saveMedia } from "./media.ts";

/** Reads resources of the servers that are configured and approved. */
export interface ResourceSource {
  /** Names of all configured servers. */
  names(): Promise<readonly string[]>;
  /** Throws a sentence. */
  read(server: string, uri: string, signal: AbortSignal): Promise<readonly ResourcePart[]>;
}

export interface Copy {
  readonly name: string;
  readonly content: LoadedFile;
}

/** How a resource is kept. */
export interface ResourceCopy extends Copy {
  /** Images that it contains besides its text, in their order; the text names each. */
  readonly images: readonly Copy[];
}

/** The most images of one resource that are sent, as vendors accept few; the others only stay next to the chat. */
const mostImages = 10;

/** Saves bytes as they can be sent (without a path, only names them); a sentence part says why they cannot be sent. */
export async function saveCopy(
  transcriptPath: string | null,
  bytes: Uint8Array,
): Promise<Copy | string> {
  const content = readContent(bytes);
  if (typeof content === "string") return content;
  // Text is kept as `.txt`, whatever its name was, so that no system runs a copy.
  const extension = imageType(bytes)?.replace("image/", "") ?? "txt";
  const name =
    transcriptPath === null
      ? copyFileName(bytes, extension)
      : await saveInFilesFolder(transcriptPath, bytes, extension);
  return { name, content };
}

/**
 * Keeps a single text or image as it is. Several parts become one text in which each has its URI, with the images among
 * them as further files. A part that is neither text nor an image is kept as a file of its own and named in the text.
 */
export async function copyResource(
  parts: readonly ResourcePart[],
  transcriptPath: string,
): Promise<ResourceCopy | string> {
  const [only] = parts;
  if (only === undefined) return "is empty";
  if (parts.length === 1) {
    const copy = await copyPart(only, transcriptPath);
    if (typeof copy !== "string") return { ...copy, images: [] };
    if ("text" in only) return copy;
  }
  const texts: string[] = [];
  const images: Copy[] = [];
  for (const part of parts) {
    const image = images.length < mostImages && isImage(part);
    const copy = image ? await copyPart(part, transcriptPath) : "";
    if (typeof copy === "string") {
      texts.push(await partText(part, transcriptPath));
    } else {
      images.push(copy);
      texts.push(`[${part.uri}: image ${images.length}, below]`);
    }
  }
  const text = await saveCopy(transcriptPath, Buffer.from(texts.join("\n\n"), "utf8"));
  return typeof text === "string" ? text : { ...text, images };
}

/** Whether models accept an image of this kind and size. */
function isImage(part: ResourcePart): boolean {
  if ("text" in part || part.data === null) return false;
  const content = readContent(Buffer.from(part.data, "base64"));
  return typeof content !== "string" && content.kind === "image";
}

async function copyPart(part: ResourcePart, transcriptPath: string): Promise<Copy | string> {
  if ("text" in part) return saveCopy(transcriptPath, Buffer.from(part.text, "utf8"));
  if (part.data === null) return "is not base64";
  return saveCopy(transcriptPath, Buffer.from(part.data, "base64"));
}

async function partText(part: ResourcePart, transcriptPath: string): Promise<string> {
  if ("text" in part) return `[${part.uri}]\n${part.text}`;
  const { uri, mime, data } = part;
  if (data === null) return `[${uri}: ${mime}, its data is not base64]`;
  const bytes = Buffer.from(data, "base64");
  const content = readContent(bytes);
  if (typeof content !== "string" && content.kind === "text") return `[${uri}]\n${content.text}`;
  const { mime: type, file } = await saveMedia(transcriptPath, { mime, data });
  return `[${uri}: ${type}, ${sizeText(bytes.length)}, not sent; kept beside the chat as ${file}]`;
}
