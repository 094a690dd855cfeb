/** What every definition of a tool must satisfy, however its schema was written. */

import type { JsonSchema } from "../conversation/ports.ts";
import { isObject } from "../shared/json.ts";
import { ToolSchemaError } from "./tool-errors.ts";

/** The strictest rule of the providers. */
const namePattern = /^[a-zA-Z0-9_-]{1,64}$/;

/** Throws a `ToolSchemaError` when no model could ever be offered such a tool. */
export function checkDefinition(name: unknown, description: unknown): void {
  if (typeof name !== "string" || !namePattern.test(name)) {
    throw new ToolSchemaError(
      String(JSON.stringify(name)),
      "its name must be 1 to 64 letters, digits, _ or -.",
    );
  }
  if (typeof description !== "string") {
    throw new ToolSchemaError(name, "its description must be a text.");
  }
}

const objectForms = ["oneOf", "anyOf", "allOf", "$ref"];

/** The schema without `$schema`, which is of no use to a model. Arguments are always an object. */
export function objectInput(name: string, schema: unknown): JsonSchema {
  if (!isObject(schema)) {
    throw new ToolSchemaError(name, "its input schema is not an object.");
  }
  const { type } = { type: undefined, ...schema };
  if (type !== "object" && !(type === undefined && objectForms.some((key) => key in schema))) {
    throw new ToolSchemaError(
      name,
      `its input must be an object, such as z.object({ … }), not ${JSON.stringify(type) ?? "of no type"}.`,
    );
  }
  return { ...schema };
}
