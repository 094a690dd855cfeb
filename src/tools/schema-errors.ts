import type { ErrorObject } from "ajv";
import { clip } from "../shared/visible.ts";
import { fewReasons, fieldName, short } from "./argument-text.ts";

/** What ajv found, as sentences that name the field and what is wrong with it. */
export function describeErrors(errors: readonly ErrorObject[]): string {
  // Of a broken `if` or `anyOf` the branches are reported too, and they say more.
  return fewReasons(errors.filter(({ keyword }) => keyword !== "if").map(describe));
}

function describe(error: ErrorObject): string {
  const field = pointedField(error.instancePath);
  const { keyword, params } = error;
  switch (keyword) {
    case "required":
      return `${pointedField(error.instancePath, params.missingProperty)} is required and missing.`;
    case "additionalProperties":
      return `${pointedField(error.instancePath, params.additionalProperty)} is not known.`;
    case "unevaluatedProperties":
      return `${pointedField(error.instancePath, params.unevaluatedProperty)} is not known.`;
    case "enum":
      return `${field} must be one of ${short(params.allowedValues, 300)}, not ${short(error.data)}.`;
    case "const":
      return `${field} must be ${short(params.allowedValue)}, not ${short(error.data)}.`;
    default:
      return `${field} ${clip(error.message ?? `breaks the rule ${keyword}`, 300).text}, but it is ${short(error.data)}.`;
  }
}

/** The field that a JSON pointer leads to, or one in it. */
function pointedField(pointer: string, ...inner: readonly unknown[]): string {
  const parts = pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  return fieldName([...parts, ...inner.map(String)]);
}
