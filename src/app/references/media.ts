/** Saves the media of a tool's result as files next to the transcript. */

import { mediaTypeOf, unknownMediaType } from "../../shared/media-type.ts";
import { imageType, isSendableMime } from "../../shared/sendable-images.ts";
import type { Attachment } from "../../transcript/transcript.ts";
import { saveInFilesFolder } from "./files.ts";

const extensions: ReadonlyMap<string, string> = new Map([
  ["image/png", "png"],
  ["image/jpeg", "jpeg"],
  ["image/gif", "gif"],
  ["image/webp", "webp"],
  ["image/svg+xml", "svg"],
  ["audio/mpeg", "mp3"],
  ["audio/wav", "wav"],
  ["application/pdf", "pdf"],
  ["application/json", "json"],
  ["text/plain", "txt"],
]);

/** `data` is base64. Throws like `saveInFilesFolder`. */
export async function saveMedia(
  transcriptPath: string,
  { mime, data }: { readonly mime: string; readonly data: string },
): Promise<Attachment> {
  const bytes = Buffer.from(data, "base64");
  const type = trueType(mime, bytes);
  const file = await saveInFilesFolder(transcriptPath, bytes, extensions.get(type) ?? "bin");
  return { mime: type, file };
}

/** What the bytes are counts more than the type that the server declares. */
function trueType(claimed: string, bytes: Uint8Array): string {
  const image = imageType(bytes);
  if (image !== null) return image;
  const known = mediaTypeOf(claimed);
  return isSendableMime(known) ? unknownMediaType : known;
}

/** Saves the uncut text of a result and returns its plain name. Throws like `saveInFilesFolder`. */
export function saveFullText(transcriptPath: string, text: string): Promise<string> {
  return saveInFilesFolder(transcriptPath, Buffer.from(text, "utf8"), "txt");
}
