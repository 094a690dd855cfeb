/** What comparisons are based on: the hash of a text, and the text of a value. */
import { createHash } from "node:crypto";

/** SHA-256 of the text in UTF-8, in hex. */
export function sha256(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}

/**
 * JSON with sorted keys and no white space, so that equal values have equal texts. Values come from `JSON.parse` of
 * texts by models and servers, so a loop replaces recursion: neither depth nor length can be trusted.
 */
export function canonicalJson(value: unknown): string {
  const pieces: string[] = [];
  const waiting: Piece[] = [{ value }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === "string") pieces.push(next);
    else for (const piece of open(next.value).reverse()) waiting.push(piece);
  }
  return pieces.join("");
}

/**
 * As `JSON.stringify`, for values of any depth: a value nested so deeply that the stack overflows gets sorted keys.
 * Empty for a value that is not JSON.
 */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return canonicalJson(value);
  }
}

/** A finished text, or a value still to be written. */
type Piece = string | { readonly value: unknown };

function open(value: unknown): Piece[] {
  if (Array.isArray(value)) {
    return ["[", ...withCommas(value.map((item: unknown) => [{ value: item }])), "]"];
  }
  if (typeof value !== "object" || value === null) return [JSON.stringify(value) ?? "null"];
  const members = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]): Piece[] => [`${JSON.stringify(key)}:`, { value: item }]);
  return ["{", ...withCommas(members), "}"];
}

function withCommas(members: readonly (readonly Piece[])[]): Piece[] {
  return members.flatMap((member, index) => (index === 0 ? member : [",", ...member]));
}
