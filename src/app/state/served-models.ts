/** The lists of models that servers returned, in one small file of the state folder, so each is asked once a day. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isLocalAddress } from "../../net/local-address.ts";
import type { ServedModel } from "../../providers/prices/served-models.ts";
import { isObject, messageOf, ownValue, parseJson } from "../../shared/json.ts";
import { writeOwn } from "./own-files.ts";

export interface ServedList {
  readonly address: string;
  /** When the list was returned, as ISO 8601. */
  readonly date: string;
  readonly models: readonly ServedModel[];
}

export interface ServedLists {
  /** The last list of a vendor; null when it came from another address. */
  last(vendor: string, address: string): ServedList | null;
  /** The same, unless it is too old. */
  current(vendor: string, address: string): ServedList | null;
  keep(vendor: string, list: ServedList): void;
  /** Records that the server returned no list: for a minute it is asked again only on request. */
  failed(vendor: string): void;
  hasFailed(vendor: string): boolean;
}

const fileName = "models.json";
const dayMs = 86_400_000;
/** A server on this machine answers quickly, and may get new models at any time. */
const localMs = 60_000;
const pauseMs = 60_000;

/** Read on first use; a file that cannot be read or written only costs another request. */
export function createServedLists(
  stateFolder: string,
  log: (line: string) => void,
  now: () => number = Date.now,
): ServedLists {
  let lists: Record<string, ServedList> | null = null;
  let writing = Promise.resolve();
  const failures = new Map<string, number>();
  const known = () => {
    lists ??= readLists(join(stateFolder, fileName));
    return lists;
  };
  const last = (vendor: string, address: string) => {
    const list = ownValue(known(), vendor);
    return list?.address === address ? list : null;
  };
  return {
    last,
    current(vendor, address) {
      const list = last(vendor, address);
      if (list === null) return null;
      const age = now() - Date.parse(list.date);
      return age >= 0 && age < (isLocalAddress(address) ? localMs : dayMs) ? list : null;
    },
    failed(vendor) {
      failures.set(vendor, now());
    },
    hasFailed: (vendor) => now() - (failures.get(vendor) ?? Number.NEGATIVE_INFINITY) < pauseMs,
    keep(vendor, list) {
      failures.delete(vendor);
      // Another editor may have asked this server or others meanwhile.
      const stored = readLists(join(stateFolder, fileName));
      lists = { ...newestOf(stored, lists ?? {}), [vendor]: list };
      const text = `${JSON.stringify(lists)}\n`;
      writing = writing
        .then(() => writeOwn(stateFolder, fileName, text))
        .catch((error: unknown) => log(`${fileName} could not be written: ${messageOf(error)}`));
    },
  };
}

function newestOf(
  stored: Readonly<Record<string, ServedList>>,
  own: Readonly<Record<string, ServedList>>,
): Record<string, ServedList> {
  const newer = Object.entries(own).filter(([vendor, list]) => {
    const other = ownValue(stored, vendor);
    return other === undefined || !(Date.parse(other.date) > Date.parse(list.date));
  });
  return { ...stored, ...Object.fromEntries(newer) };
}

function readLists(path: string): Record<string, ServedList> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    // Missing or unreadable: the servers are asked.
    return {};
  }
  const value = parseJson(text);
  if (!isObject(value)) return {};
  const lists = Object.entries(value).flatMap(([vendor, list]): [string, ServedList][] =>
    isList(list) ? [[vendor, list]] : [],
  );
  return Object.fromEntries(lists);
}

function isList(value: unknown): value is ServedList {
  if (!isObject(value)) return false;
  const { address, date, models } = value;
  const isWhole = typeof address === "string" && typeof date === "string" && Array.isArray(models);
  return isWhole && models.every((model) => isObject(model) && typeof model.id === "string");
}
