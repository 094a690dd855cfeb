/** Building blocks for the schemas of options; each error message says what to write. */
import * as z from "zod";
import { nearestWord } from "../../shared/nearest.ts";

/** The message for a value of another type. */
export const word = (message: string) => ({ error: message });

export const positive = z
  .number(word("write a number"))
  .int("write a whole number")
  .positive("write 1 or more");

export const yesOrNo = z.boolean(word("write true or false"));
export const anyText = z.string(word("write a text"));
export const oneLineText = anyText.regex(/^[^\r\n]+$/, "write one line");

/** A text that is not empty. */
export function filledText(words: string) {
  return z.string(word(words)).min(1, words);
}

/** A list of such texts; `words` is the message for the whole list. */
export function texts(words: string) {
  return z.array(filledText(words), word(words));
}

/** An empty Lua table arrives as an empty list. */
export function emptyTable(value: unknown): unknown {
  return Array.isArray(value) && value.length === 0 ? {} : value;
}

/** An object with these keys and no others. */
export function table<S extends z.ZodRawShape>(shape: S) {
  const error: z.core.$ZodErrorMap = (issue) =>
    issue.code === "unrecognized_keys"
      ? (issue.keys ?? []).map((key) => unknownKey(key, Object.keys(shape))).join("\n")
      : "write a table";
  return z.preprocess(emptyTable, z.strictObject(shape, { error }));
}

/** Each of several unknown keys gets a line of its own. */
function unknownKey(key: string, known: readonly string[]): string {
  const nearest = nearestWord(key, known);
  return nearest === null
    ? "there is no such key"
    : `there is no such key; did you mean ${nearest}?`;
}

/** Values by names that the user chooses; `nameWords` says how such a name is written. */
export function named<T extends z.ZodType>(value: T, name = z.string(), nameWords = "") {
  const error: z.core.$ZodErrorMap = (issue) =>
    issue.code === "invalid_key" ? nameWords : "write a table";
  return z.preprocess(emptyTable, z.record(name, value, { error }));
}
