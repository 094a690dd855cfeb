import type { ErrorObject } from "ajv";

const maximumReasons = 5;

/** What ajv found, as sentences that name the field and what is wrong with it. */
export function describeErrors(errors: readonly ErrorObject[]): string {
  // Of a broken `if` or `anyOf` the branches are reported too, and they say more.
  const telling = errors.filter(({ keyword }) => keyword !== "if");
  const reasons = [...new Set(telling.map(describe))];
  const more = reasons.length - maximumReasons;
  const shown = reasons.slice(0, maximumReasons).join(" ");
  return more > 0 ? `${shown} There are ${more} more mistakes.` : shown;
}

function describe(error: ErrorObject): string {
  const field = fieldName(error.instancePath);
  const { keyword, params } = error;
  switch (keyword) {
    case "required":
      return `${fieldName(`${error.instancePath}/${params.missingProperty}`)} is required and missing.`;
    case "additionalProperties":
      return `${fieldName(`${error.instancePath}/${params.additionalProperty}`)} is not known.`;
    case "unevaluatedProperties":
      return `${fieldName(`${error.instancePath}/${params.unevaluatedProperty}`)} is not known.`;
    case "enum":
      return `${field} must be one of ${short(params.allowedValues, 300)}, not ${short(error.data)}.`;
    case "const":
      return `${field} must be ${short(params.allowedValue)}, not ${short(error.data)}.`;
    default:
      return `${field} ${error.message ?? `breaks the rule ${keyword}`}, but it is ${short(error.data)}.`;
  }
}

/** A JSON pointer as people write fields: `items[2].name`. */
function fieldName(pointer: string): string {
  const parts = pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  if (parts.length === 0) return "The object";
  const path = parts
    .map((part, at) => (/^\d+$/.test(part) ? `[${part}]` : at === 0 ? part : `.${part}`))
    .join("");
  return `\`${path}\``;
}

function short(value: unknown, length = 60): string {
  const text = JSON.stringify(value) ?? "undefined";
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}
