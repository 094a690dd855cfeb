import type { ValidateFunction } from "ajv";
import { describeErrors } from "./schema-errors.ts";

/** Sentences about what does not fit; null when everything does. */
export function findMistakes(validate: ValidateFunction, value: unknown): string | null {
  try {
    return validate(value) ? null : describeErrors(validate.errors ?? []);
  } catch (error) {
    // A recursive schema follows the value down, and the stack has an end.
    if (error instanceof RangeError) return "They are nested too deeply to be checked.";
    throw error;
  }
}
