import type { ValidateFunction } from "ajv";
import type { JsonSchema, Tool } from "../conversation/types.ts";
import { describeErrors } from "./schema-errors.ts";

/** Compiled once per schema object; null for a schema that cannot be compiled. */
const validators = new WeakMap<JsonSchema, Promise<ValidateFunction | null>>();

/**
 * Null when the arguments are a JSON object that fits the tool's schema, else a sentence that a model can
 * correct itself by. A schema that cannot be compiled blocks nothing: only the object is checked then, and
 * `log` says so once.
 */
export async function validateArguments(
  tool: Tool,
  argumentsText: string,
  log: (text: string) => void = () => {},
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
  if (validate === null || validate(value)) return null;
  const reasons = describeErrors(validate.errors ?? []);
  return `The arguments do not fit the schema of ${tool.name}: ${reasons} Call it again with corrected arguments.`;
}

function validatorOf(
  { name, inputSchema }: Tool,
  log: (text: string) => void,
): Promise<ValidateFunction | null> {
  const known = validators.get(inputSchema);
  if (known) return known;
  const compiling = compile(inputSchema).catch((error: unknown) => {
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

/** The default draft is 2020-12, as the protocol says; a schema may name another in `$schema`. */
async function compile(schema: JsonSchema): Promise<ValidateFunction> {
  // ajv takes time to load and most sessions begin without a tool.
  const [{ Ajv }, { Ajv2020 }, { default: formats }] = await Promise.all([
    import("ajv"),
    import("ajv/dist/2020.js"),
    import("ajv-formats"),
  ]);
  const draft = String(schema.$schema ?? "");
  const Draft = /draft-0[67]/.test(draft) ? Ajv : Ajv2020;
  // A validator of its own for each schema, so that two that bear the same `$id` do not meet.
  const ajv = new Draft({ strict: false, allErrors: true, logger: false, verbose: true });
  formats.default(ajv);
  return ajv.compile(schema);
}
