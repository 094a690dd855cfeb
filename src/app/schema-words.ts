/** What the schemas of the configuration are written with. */
import { z } from "zod";

/** The sentence of a value that is of another type. */
export const word = (message: string) => ({ error: message });

export const positive = z
  .number(word("write a number"))
  .int("write a whole number")
  .positive("write 1 or more");

/** An object with these keys and no others. An empty table of Lua arrives as an empty list. */
export function table<S extends z.ZodRawShape>(shape: S) {
  return z.preprocess(
    (value) => (Array.isArray(value) && value.length === 0 ? {} : value),
    z.strictObject(shape, word("write a table")),
  );
}

/** Values by a name of the person's own. */
export function named<T extends z.ZodType>(value: T, name = z.string()) {
  return z.preprocess(
    (given) => (Array.isArray(given) && given.length === 0 ? {} : given),
    z.record(name, value, word("write a table")),
  );
}
