/** Content of a server that is not plain text: binary data with its type, if usable; and lists in pages. */
import { boundedSize } from "../../shared/bounded-json.ts";
import { sizeText } from "../../shared/counted.ts";
import { isObject, objectOf, textOf } from "../../shared/json.ts";
import { bareBase64, mediaTypeOf, unknownMediaType } from "../../shared/media-type.ts";
import { imageType } from "../../shared/sendable-images.ts";

export interface Binary {
  /** A media type that is valid on a head line (format, section 5). */
  readonly mime: string;
  /** base64 in the one alphabet that providers accept; null if the data is not base64. */
  readonly data: string | null;
}

/** Null if there is no data. */
export function readBinary(data: unknown, mimeType: unknown): Binary | null {
  if (typeof data !== "string") return null;
  const mime = mediaTypeOf(mimeType);
  const packed = bareBase64(data);
  // A single image that is not base64 makes a provider reject the whole request.
  if (packed === "" || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(packed)) return { mime, data: null };
  const bytes = Buffer.from(packed, "base64");
  return { mime: typeByBytes(bytes, mime), data: bytes.toString("base64") };
}

/** Servers also write `image/jpg`, no type, or that of another image; a provider rejects the whole request for that. */
function typeByBytes(bytes: Uint8Array, mime: string): string {
  const isImage = mime.startsWith("image/") || mime === unknownMediaType;
  return (isImage ? imageType(bytes) : null) ?? mime;
}

/** `data` is base64. */
export function dataSizeText(data: string): string {
  return sizeText(Buffer.byteLength(data, "base64"));
}

const maximumPages = 64;
const mostItems = 10_000;
/** For all pages together, counting values and UTF-16 code units. */
const largestList = 16_000_000;

/** Reads all pages of a list whose items are under `key`. Stops at an empty or a repeated cursor. */
export async function readPages(
  key: string,
  readPage: (cursor: string | undefined) => Promise<unknown>,
): Promise<readonly unknown[]> {
  const items: unknown[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  let left = largestList;
  do {
    const page = await readPage(cursor);
    const found = isObject(page) ? page[key] : null;
    if (Array.isArray(found)) {
      const size = boundedSize(found, left, Number.POSITIVE_INFINITY);
      if (size === null) {
        throw new Error(`Its list of ${key} is larger than 16 MB, more than Parley reads.`);
      }
      left -= size;
      if (items.length + found.length > mostItems) {
        throw new Error(`It lists more than ${mostItems} ${key}, more than Parley reads.`);
      }
      for (const item of found) items.push(item);
    }
    // Go servers send an empty cursor on the last page.
    cursor = textOf(objectOf(page).nextCursor);
    if (cursor === "" || seen.has(cursor)) break;
    seen.add(cursor);
  } while (seen.size < maximumPages);
  return items;
}
