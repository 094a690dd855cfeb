import type { ValidateFunction } from "ajv";
import type { JsonSchema, Tool } from "../conversation/ports.ts";
import { messageOf } from "../shared/json.ts";
import { misfitSentence, readArguments } from "./argument-text.ts";
import { findMistakes } from "./schema-mistakes.ts";
import { ToolArgumentError } from "./tool-errors.ts";
import { isTypedTool, type TypedTool } from "./typed-tool.ts";

/** Compiled once per schema object; null for a schema that cannot be compiled. */
const validators = new WeakMap<JsonSchema, Promise<ValidateFunction | null>>();
const compiled = new WeakMap<JsonSchema, Promise<ValidateFunction>>();

/**
 * What of a value does not fit a schema (2020-12, or the draft that it names), as sentences; null when it fits.
 * Throws when the schema cannot be compiled.
 */
export async function misfitOf(schema: JsonSchema, value: unknown): Promise<string | null> {
  return findMistakes(await compile(schema), value);
}

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
  const read = readArguments(tool.name, argumentsText);
  if ("mistake" in read) return read.mistake;
  if (isTypedTool(tool)) return checkByTool(tool, read.value, log);
  const validate = await validatorOf(tool, log);
  const reasons = validate && findMistakes(validate, read.value);
  return reasons === null ? null : misfitSentence(tool.name, reasons);
}

/** A tool of ours may ask for more than JSON Schema can say, so it is asked itself. */
async function checkByTool(
  tool: TypedTool,
  value: object,
  log: (text: string) => void,
): Promise<string | null> {
  try {
    await tool.parse(value);
    return null;
  } catch (error) {
    if (error instanceof ToolArgumentError) return error.message;
    const stack = error instanceof Error ? error.stack : undefined;
    log(`The schema of the tool ${tool.name} failed: ${stack ?? messageOf(error)}`);
    return `The arguments of ${tool.name} could not be checked: ${messageOf(error)}`;
  }
}

function validatorOf(
  { name, inputSchema }: Tool,
  log: (text: string) => void,
): Promise<ValidateFunction | null> {
  const known = validators.get(inputSchema);
  if (known) return known;
  const compiling = compile(inputSchema).catch((error: unknown) => {
    log(
      `The schema of the tool ${name} cannot be used (${messageOf(error).slice(0, 300)}); ` +
        "its arguments are passed on when they are a JSON object.",
    );
    return null;
  });
  validators.set(inputSchema, compiling);
  return compiling;
}

function compile(schema: JsonSchema): Promise<ValidateFunction> {
  const known = compiled.get(schema);
  if (known) return known;
  // ajv takes time to load, and most sessions begin without a tool.
  const compiling = import("./schema-compiler.ts").then(({ compileSchema }) =>
    compileSchema(schema),
  );
  compiled.set(schema, compiling);
  return compiling;
}
