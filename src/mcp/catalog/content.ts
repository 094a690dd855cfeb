/** What a server sends beside plain text: binary data and its type, as far as it can be used. */
import { boundedSize } from "../../shared/bounded-json.ts";
import { isObject, objectOf, stringOf, textOf } from "../../shared/json.ts";

export interface Binary {
  /** As the format allows it on a head line (format, section 5). */
  readonly mime: string;
  /** base64 of the one kind that providers take; null when what came is none. */
  readonly data: string | null;
}

/** Null when there is no data at all. */
export function readBinary(data: unknown, mimeType: unknown): Binary | null {
  if (typeof data !== "string") return null;
  const mime = mediaType(mimeType);
  const packed = data.replace(/\s/g, "");
  // A provider refuses the whole request for one image that is not base64.
  if (packed === "" || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(packed)) return { mime, data: null };
  return { mime, data: Buffer.from(packed, "base64").toString("base64") };
}

function mediaType(value: unknown): string {
  const type = (stringOf(value) ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return /^[a-z]+\/[a-z0-9.+-]+$/.test(type) ? type : "application/octet-stream";
}

/** `data` is base64. */
export function sizeOf(data: string): string {
  return sizeText(Buffer.byteLength(data, "base64"));
}

function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

const maximumPages = 64;
const mostItems = 10_000;
/** Of all pages together, in values and units of text. */
const largestList = 16_000_000;

/** Follows all pages of a list whose items stand under `key`. An empty cursor, or one that comes again, ends it. */
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
        throw new Error(`Its list of ${key} is larger than 16 MB, which is more than is read.`);
      }
      left -= size;
      if (items.length + found.length > mostItems) {
        throw new Error(`It lists more than ${mostItems} ${key}, which is more than are read.`);
      }
      for (const item of found) items.push(item);
    }
    // Go's servers write an empty one where there is none.
    cursor = textOf(objectOf(page).nextCursor);
    if (cursor === "" || seen.has(cursor)) break;
    seen.add(cursor);
  } while (seen.size < maximumPages);
  return items;
}
