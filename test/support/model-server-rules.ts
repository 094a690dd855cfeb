/** What the rules of both wire APIs are written with. Nothing of src is used: these check what src makes. */

export type Json = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function objects(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function isBlankText(value: unknown): boolean {
  return typeof value !== "string" || value.trim() === "";
}

export const namePattern = /^[a-zA-Z0-9_-]{1,64}$/;

/** A breach of the rules of tool definitions that both APIs share; null without one. */
export function checkSchema(schema: unknown, place: string): string | null {
  if (!isObject(schema)) return `${place}: Input should be a valid dictionary`;
  if (schema.type !== "object") return `${place}.type: schema must be of type 'object'`;
  const root = ["oneOf", "anyOf", "allOf"].find((key) => key in schema);
  return root ? `${place}: schema does not support oneOf, allOf, or anyOf at the top level` : null;
}

/** The first place with half a surrogate pair, which every provider refuses (rule U1), or a NUL, where some read no further. */
export function findLoneSurrogate(value: unknown, place = "body"): string | null {
  if (typeof value === "string") return /\p{Surrogate}|\0/u.test(value) ? place : null;
  if (typeof value !== "object" || value === null) return null;
  for (const [key, item] of Object.entries(value)) {
    const found = findLoneSurrogate(key, place) ?? findLoneSurrogate(item, `${place}.${key}`);
    if (found !== null) return found;
  }
  return null;
}
