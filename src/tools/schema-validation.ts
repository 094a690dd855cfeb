/** Arguments and schemas of tools checked by what a server sent, with an end: a pattern or a schema may take years. */

import { type Context, createContext, Script } from "node:vm";
import type { ValidateFunction } from "ajv";
import type { JsonSchema, Tool } from "../conversation/ports.ts";
import { messageOf } from "../shared/json.ts";
import { misfitSentence, readArguments } from "./argument-text.ts";
import { findMistakes } from "./schema-mistakes.ts";
import { ToolArgumentError } from "./tool-errors.ts";
import { isTypedTool, type TypedTool } from "./typed-tool.ts";

/** Milliseconds for what a foreign schema asks: a pattern of it may take years. */
const compileTimeMs = 1000;
const checkTimeMs = 250;

/** Schemas that took longer than they may; they are not asked again. */
const tooSlow = new WeakSet<JsonSchema>();

/** Compiled once per schema object; null for a schema that cannot be compiled. */
const validators = new WeakMap<JsonSchema, Promise<ValidateFunction | null>>();
const compiled = new WeakMap<JsonSchema, Promise<ValidateFunction>>();

/**
 * What of a value does not fit a schema (2020-12, or the draft that it names), as sentences; null when it fits.
 * Throws when the schema cannot be compiled, or takes too long.
 */
export async function misfitOf(schema: JsonSchema, value: unknown): Promise<string | null> {
  return check(schema, await compile(schema), value);
}

/** Throws an `OvertimeError` for a schema that takes too long, now or before. */
function check(schema: JsonSchema, validate: ValidateFunction, value: unknown): string | null {
  if (tooSlow.has(schema)) throw new OvertimeError("It takes too long.");
  try {
    return withinTime(checkTimeMs, () => findMistakes(validate, value));
  } catch (error) {
    if (error instanceof OvertimeError) tooSlow.add(schema);
    throw error;
  }
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
  if (validate === null || tooSlow.has(tool.inputSchema)) return null;
  try {
    const reasons = check(tool.inputSchema, validate, read.value);
    return reasons === null ? null : misfitSentence(tool.name, reasons);
  } catch (error) {
    if (!(error instanceof OvertimeError)) throw error;
    log(
      `The schema of the tool ${tool.name} takes too long to check, so its arguments are passed on when they are a JSON object.`,
    );
    return null;
  }
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
    withinTime(compileTimeMs, () => compileSchema(schema)),
  );
  compiled.set(schema, compiling);
  return compiling;
}

/** The work took longer than it may. */
export class OvertimeError extends Error {}

/** How much longer than its own time a piece of work may take where the machine is busy with others. */
const patience = 10;

/** Microseconds of the processor that this process took. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/**
 * What `work` gives, or an `OvertimeError` after so many milliseconds of the processor. It runs here and now, and V8
 * ends it, a regular expression that goes back and forth included. V8 counts the time that passes: where the process
 * did not have the processor for most of it, the work is begun again, with more time, so it must change nothing.
 */
export function withinTime<T>(
  milliseconds: number,
  work: () => T,
  processor: () => number = processorTime,
): T {
  let allowed = milliseconds;
  for (;;) {
    const before = processor();
    const outcome = attempt(allowed, work);
    if (outcome !== null) return outcome.value;
    const taken = (processor() - before) / 1000;
    // The last bit of it is measured by another clock.
    if (taken >= milliseconds * 0.8 || allowed >= milliseconds * patience) {
      throw new OvertimeError(`It took longer than ${milliseconds} ms.`);
    }
    allowed = Math.min(allowed * 3, milliseconds * patience);
  }
}

let box: { readonly context: Context; readonly script: Script } | null = null;

/** Null: it was not done in time. */
function attempt<T>(milliseconds: number, work: () => T): { readonly value: T } | null {
  box ??= { context: createContext({}), script: new Script("work()") };
  const { context, script } = box;
  const before: unknown = context.work;
  let result: { readonly value: T } | null = null;
  context.work = () => {
    result = { value: work() };
  };
  try {
    script.runInContext(context, { timeout: milliseconds });
    return result;
  } catch (error) {
    if (isTimeout(error)) return null;
    throw error;
  } finally {
    context.work = before;
  }
}

/** Thrown by the other context, so it is no `Error` of this one. */
function isTimeout(error: unknown): boolean {
  return (
    typeof error === "object" &&
    error !== null &&
    "code" in error &&
    error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT"
  );
}
