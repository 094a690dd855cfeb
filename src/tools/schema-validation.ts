import type { ValidateFunction } from "ajv";
import type { JsonSchema, Tool } from "../conversation/types.ts";
import { describeErrors } from "./schema-errors.ts";

/** Compiled once per schema object; null for a schema that cannot be compiled. */
const validators = new WeakMap<JsonSchema, Promise<ValidateFunction | null>>();

/**
 * Null when the arguments are a JSON object that fits the tool's schema, else a sentence that a
 * model can correct itself by. A schema that cannot be compiled blocks nothing: only the object is
 * checked then, and `log` says so once.
 */
export async function validateArguments(
  tool: Tool,
  argumentsText: string,
  log: (text: string) => void,
): Promise<string | null> {
  let value: unknown;
  try {
    value = JSON.parse(argumentsText);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `The arguments of ${tool.name} are not JSON: ${reason.slice(0, 200)}. Send one JSON object.`;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return `The arguments of ${tool.name} are not a JSON object. Send one JSON object.`;
  }
  const validate = await validatorOf(tool, log);
  const reasons = validate && mistakes(validate, value);
  if (reasons === null) return null;
  return (
    `The arguments do not fit the schema of ${tool.name}: ${reasons} ` +
    "Call it again with corrected arguments."
  );
}

/** Null when there are none. */
function mistakes(validate: ValidateFunction, value: object): string | null {
  try {
    return validate(value) ? null : describeErrors(validate.errors ?? []);
  } catch (error) {
    // A recursive schema follows the arguments down, and the stack has an end.
    if (error instanceof RangeError) return "They are nested too deeply to be checked.";
    throw error;
  }
}

function validatorOf(
  { name, inputSchema }: Tool,
  log: (text: string) => void,
): Promise<ValidateFunction | null> {
  const known = validators.get(inputSchema);
  if (known) return known;
  // ajv takes time to load, and most sessions begin without a tool.
  const loading = import("./schema-compiler.ts");
  const compiling = loading
    .then(({ compileSchema }) => compileSchema(inputSchema))
    .catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      log(
        `The schema of the tool ${name} cannot be used (${reason.slice(0, 300)}); ` +
          "its arguments are passed on when they are a JSON object.",
      );
      return null;
    });
  validators.set(inputSchema, compiling);
  return compiling;
}
