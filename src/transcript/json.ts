/** Strict JSON: what `JSON.parse` takes, minus objects that repeat a key (format, section 4). */

export type JsonReading =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string; readonly repeatsKey: boolean };

/** Index of the quote that ends the string beginning at `start`. The text is known to be valid JSON. */
function stringEnd(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (end >= 0) {
    let first = end;
    while (json.charCodeAt(first - 1) === 0x5c) first -= 1;
    if ((end - first) % 2 === 0) return end;
    end = json.indexOf('"', end + 1);
  }
  return json.length;
}

function isKey(json: string, afterString: number): boolean {
  let index = afterString;
  while (/[ \t\n\r]/.test(json.charAt(index))) index += 1;
  return json.charAt(index) === ":";
}

function decodeKey(literal: string): string {
  return literal.includes("\\") ? String(JSON.parse(literal)) : literal.slice(1, -1);
}

/**
 * The first key that an object of valid JSON repeats, or null. `JSON.parse` keeps the last one silently,
 * while a reader of the line sees the first. Iterative, so that deep nesting cannot overflow the stack.
 */
function findRepeatedKey(json: string): string | null {
  const open: Set<string>[] = [];
  for (let index = 0; index < json.length; index += 1) {
    const unit = json.charCodeAt(index);
    if (unit === 0x7b) open.push(new Set());
    else if (unit === 0x7d) open.pop();
    else if (unit === 0x22) {
      const end = stringEnd(json, index);
      if (isKey(json, end + 1)) {
        const key = decodeKey(json.slice(index, end + 1));
        const keys = open.at(-1);
        if (keys?.has(key)) return key;
        keys?.add(key);
      }
      index = end;
    }
  }
  return null;
}

/** Reads JSON; a repeated key at any depth makes it unreadable. Never throws. */
export function readJson(json: string): JsonReading {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    // The reason of V8 quotes the text and names offsets of its own; the person has the line in view.
    return { ok: false, reason: "it is not readable JSON", repeatsKey: false };
  }
  const repeated = findRepeatedKey(json);
  if (repeated === null) return { ok: true, value };
  const key = JSON.stringify(repeated.slice(0, 80));
  return { ok: false, reason: `it repeats the key ${key}`, repeatsKey: true };
}

export function isJsonObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
