/** What a server sends is looked at, never believed: narrowing of unknown JSON values. */
export type JsonObject = { readonly [key: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function stringOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** The text, or an empty one for whatever else it is. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The object, or an empty one for whatever else it is. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** The objects of a list; none for whatever else it is. */
export function objectsOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/**
 * What an object holds under a name that comes from outside. A plain `object[name]` answers `toString`, `constructor`
 * and `__proto__` with what every object inherits.
 */
export function ownValue<Value>(
  object: Readonly<Record<string, Value>>,
  name: string,
): Value | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** A name in a JSON pointer (RFC 6901) as it is in the object. */
export function pointerName(written: string): string {
  return written.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** Equal as JSON: the order of keys does not count. */
export function isSameJson(left: unknown, right: unknown): boolean {
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, at) => isSameJson(item, right[at]));
  }
  if (isObject(left) && isObject(right)) {
    const keys = Object.keys(left);
    return (
      keys.length === Object.keys(right).length &&
      keys.every((key) => Object.hasOwn(right, key) && isSameJson(left[key], right[key]))
    );
  }
  return left === right;
}

/** The value of a text that is JSON, else undefined. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The first number of a JSON text that `JSON.parse` makes another whole number, or none at all, of; null: there is none. */
export function inexactNumber(json: string): string | null {
  let isInText = false;
  for (const [found] of json.matchAll(/\\.|"|-?[0-9][0-9.eE+-]*/g)) {
    if (found === '"') isInText = !isInText;
    else if (!isInText && !isExact(found)) return found;
  }
  return null;
}

/** Digits behind a point may be more than are kept: what is measured is never exact. */
function isExact(written: string): boolean {
  const value = Number(written);
  if (!Number.isFinite(value)) return false;
  return Number.isSafeInteger(value) || /[.eE]/.test(written) || BigInt(value) === BigInt(written);
}

/** What was thrown, in words and without its stack: anything can be thrown. */
export function messageOf(error: unknown): string {
  const said = textOf(objectOf(error).message);
  if (!(error instanceof Error)) return said === "" ? thrownText(error) : said;
  // Node says nothing where several addresses of a host failed, and of a failed fetch no more than that.
  if (said === "fetch failed" && error.cause !== undefined)
    return `${said} (${messageOf(error.cause)})`;
  if (said === "" && error instanceof AggregateError && error.errors.length > 0) {
    return error.errors.map(messageOf).join("; ");
  }
  return said === "" ? error.name : said;
}

/** Programs throw records too, and "[object Object]" says nothing. */
function thrownText(thrown: unknown): string {
  if (!isObject(thrown)) return String(thrown);
  try {
    return JSON.stringify(thrown);
  } catch {
    return String(thrown);
  }
}
