import { isObject, stringOf } from "./json.ts";

const maximumPages = 64;
const mostItems = 10_000;

/** Follows all pages of a list whose items stand under `key`. A cursor that comes again ends it. */
export async function readPages(
  key: string,
  readPage: (cursor: string | undefined) => Promise<unknown>,
): Promise<readonly unknown[]> {
  const items: unknown[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await readPage(cursor);
    const found = isObject(page) ? page[key] : null;
    if (Array.isArray(found)) {
      if (items.length + found.length > mostItems) {
        throw new Error(`It lists more than ${mostItems} ${key}, which is more than are read.`);
      }
      items.push(...found);
    }
    cursor = isObject(page) ? (stringOf(page.nextCursor) ?? undefined) : undefined;
    if (cursor === undefined || seen.has(cursor)) break;
    seen.add(cursor);
  } while (seen.size < maximumPages);
  return items;
}
