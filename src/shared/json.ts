/** Narrows unknown JSON values: data of a server is checked, never trusted. */
export type JsonObject = { readonly [key: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function stringOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** The text, or an empty one for any other value. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The object, or an empty one for any other value. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** The objects of a list; none for any other value. */
export function objectsOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/**
 * The value of an object under a name that comes from outside. A plain `object[name]` would return what every object
 * inherits for `toString`, `constructor` and `__proto__`.
 */
export function ownValue<Value>(
  object: Readonly<Record<string, Value>>,
  name: string,
): Value | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Decodes a name in a JSON pointer (RFC 6901). */
export function pointerName(written: string): string {
  return written.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** Equal as JSON: the order of keys does not matter. */
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

/**
 * The first number in a JSON text that `JSON.parse` turns into a different whole number, or into none; null: there is
 * none.
 */
export function inexactNumber(json: string): string | null {
  let isInText = false;
  for (const [found] of json.matchAll(/\\.|"|-?[0-9][0-9.eE+-]*/g)) {
    if (found === '"') isInText = !isInText;
    else if (!isInText && !isExact(found)) return found;
  }
  return null;
}

/** Digits after a decimal point may be lost: measured values are never exact. */
function isExact(written: string): boolean {
  const value = Number(written);
  if (!Number.isFinite(value)) return false;
  return Number.isSafeInteger(value) || /[.eE]/.test(written) || BigInt(value) === BigInt(written);
}

/** The message of a thrown value, without its stack; any value can be thrown. */
export function messageOf(error: unknown): string {
  const said = textOf(objectOf(error).message);
  if (!(error instanceof Error)) return said === "" ? thrownText(error) : said;
  // Node's message is empty when several addresses of a host failed, and says only "fetch failed" for a failed fetch.
  if (said === "fetch failed" && error.cause !== undefined)
    return `${said} (${messageOf(error.cause)})`;
  if (said === "" && error instanceof AggregateError && error.errors.length > 0) {
    return error.errors.map(messageOf).join("; ");
  }
  return said === "" ? error.name : said;
}

/** Programs also throw plain objects, and "[object Object]" would say nothing. */
function thrownText(thrown: unknown): string {
  if (!isObject(thrown)) return String(thrown);
  try {
    return JSON.stringify(thrown);
  } catch {
    return String(thrown);
  }
}
