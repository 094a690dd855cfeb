/** Makes a typed tool from a JSON Schema. */
import type { JsonSchema } from "../conversation/ports.ts";
import { isObject, messageOf } from "../shared/json.ts";
import { mismatchSentence } from "./argument-text.ts";
import { compileSchema, findMistakes } from "./schema-compiler.ts";
import { checkDefinition, objectInput } from "./tool-definition.ts";
import { ToolArgumentError, ToolSchemaError } from "./tool-errors.ts";
import type { ToolContext, TypedTool } from "./typed-tool.ts";

/** Arguments that are described only by a JSON Schema. */
export type JsonArguments = Readonly<Record<string, unknown>>;

export interface JsonToolDefinition<Name extends string = string, Value = unknown> {
  readonly name: Name;
  readonly description: string;
  /** JSON Schema of an object; draft 2020-12 unless its `$schema` names draft 6 or 7. */
  readonly inputSchema: JsonSchema;
  run?(args: JsonArguments, context: ToolContext): Value | Promise<Value>;
}

/**
 * Makes a tool from an existing JSON Schema. Throws a `ToolSchemaError` when it cannot be compiled. Arguments are
 * passed as they were sent: a `default` in the schema is shown to the model but not filled in.
 */
export function fromJSONSchema<const Name extends string, Value>(
  definition: JsonToolDefinition<Name, Value>,
): TypedTool<JsonArguments, Name, Value> {
  const { name, description } = definition;
  checkDefinition(name, description);
  const inputSchema = objectInput(name, definition.inputSchema);
  const validate = compile(name, inputSchema);
  return {
    name,
    description,
    inputSchema,
    server: null,
    parse: async (value) => {
      const reasons = isObject(value) ? findMistakes(validate, value) : "It is not an object.";
      if (reasons === null && isObject(value)) return value;
      throw new ToolArgumentError(name, mismatchSentence(name, reasons ?? ""));
    },
    ...(definition.run === undefined ? {} : { run: definition.run.bind(definition) }),
  };
}

function compile(name: string, schema: JsonSchema) {
  try {
    return compileSchema(schema);
  } catch (error) {
    const reason = `its input schema cannot be used (${messageOf(error)}).`;
    throw new ToolSchemaError(name, reason, { cause: error });
  }
}
