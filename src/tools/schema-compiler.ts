/**
 * Compiles JSON Schemas and describes mistakes in sentences. The only module that loads ajv; imported when the first
 * call is checked. ajv is CommonJS: names imported from it by `import()` exist in Node but not in a bundle, so this
 * module uses static imports.
 */
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import draft6 from "ajv/dist/refs/json-schema-draft-06.json" with { type: "json" };
import formats from "ajv-formats";
import type { JsonSchema } from "../conversation/ports.ts";
import { pointerName } from "../shared/json.ts";
import { clip } from "../shared/visible.ts";
import { fewReasons, fieldName, short } from "./argument-text.ts";

/** `ownProperties`: an argument may have the name of what every object inherits, such as `constructor`. */
const options: Options = {
  strict: false,
  allErrors: true,
  logger: false,
  verbose: true,
  ownProperties: true,
};

/** By draft, only for checking schemas: compiling the meta-schemas takes longer than most tools' own schemas. */
const ofSchemas = new Map<typeof Ajv | typeof Ajv2020, Ajv | Ajv2020>();

/**
 * Throws when the schema is broken or refers to one that is not inside it; nothing is ever fetched. The default draft
 * is 2020-12, as in MCP; a schema may name draft 6 or 7 in `$schema`.
 */
export function compileSchema(schema: JsonSchema): ValidateFunction {
  // With `$async`, ajv would make a check that returns a promise, which would count as true.
  if ("$async" in schema) throw new Error("$async is not part of JSON Schema");
  const Draft = /draft-0[67]/.test(String(schema.$schema ?? "")) ? Ajv : Ajv2020;
  void judgeOfSchemas(Draft).validateSchema(schema, true);
  // A new instance for each schema, so that two schemas with the same `$id` do not collide.
  const ajv = new Draft({ ...options, validateSchema: false });
  formats.default(ajv);
  return ajv.compile(schema);
}

function judgeOfSchemas(Draft: typeof Ajv | typeof Ajv2020): Ajv | Ajv2020 {
  const known = ofSchemas.get(Draft);
  if (known !== undefined) return known;
  const judge = new Draft(options);
  if (Draft === Ajv) judge.addMetaSchema(draft6);
  ofSchemas.set(Draft, judge);
  return judge;
}

/** Sentences about mistakes; null when there are none. */
export function findMistakes(validate: ValidateFunction, value: unknown): string | null {
  try {
    return validate(value) ? null : describeErrors(validate.errors ?? []);
  } catch (error) {
    // A recursive schema follows the value down until the stack overflows.
    if (error instanceof RangeError) return "They are nested too deeply to be checked.";
    throw error;
  }
}

/** Describes ajv's errors as sentences that name the field and what is wrong with it. */
function describeErrors(errors: readonly ErrorObject[]): string {
  // For a failed `if` or `anyOf` the errors of the branches are reported too, and they say more.
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

/** The field that a JSON pointer points to, or one inside it. */
function pointedField(pointer: string, ...inner: readonly unknown[]): string {
  const parts = pointer.split("/").slice(1).map(pointerName);
  return fieldName([...parts, ...inner.map(String)]);
}
