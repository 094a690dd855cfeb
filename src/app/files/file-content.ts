/** What the bytes of a file are: text, an image that models accept, or neither. */

import { isUtf8 } from "node:buffer";
import type { LoadedFile } from "../../conversation/request/needed-files.ts";
import { sizeText } from "../../shared/counted.ts";
import { imageType } from "../../shared/sendable-images.ts";

/** In bytes. The limit for an image in a request to Anthropic, as base64 (5 MB). */
export const largestImage = 3_750_000;
/** In bytes; about 130,000 tokens. */
export const largestText = 512 * 1024;
/** In bytes; larger files are not read at all. */
export const largestFile = Math.max(largestImage, largestText);

/** The content as it can be sent, or a sentence part that says why it cannot ("is …"). */
export function readContent(bytes: Uint8Array): LoadedFile | string {
  const mime = imageType(bytes);
  if (mime !== null) {
    if (bytes.length > largestImage) return tooLargeText(largestImage, "an image");
    return { kind: "image", mime, data: Buffer.from(bytes).toString("base64") };
  }
  const text = decodeText(bytes)?.replace(/\r\n?/g, "\n") ?? null;
  if (text === null) return "is neither text in UTF-8 nor a PNG, JPEG, GIF or WebP image";
  return bytes.length > largestText ? tooLargeText(largestText, "a text") : { kind: "text", text };
}

export function tooLargeText(limit: number, kind: string): string {
  return `is larger than the ${sizeText(limit)} that ${kind} may have`;
}

/** The text without a byte order mark; null for bytes that are no text: they are not UTF-8, or have a zero byte. */
export function decodeText(bytes: Uint8Array): string | null {
  return bytes.includes(0) || !isUtf8(bytes) ? null : new TextDecoder().decode(bytes);
}
