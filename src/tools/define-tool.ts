/**
 * Makes a typed tool from a schema of zod, or of any library of Standard Schema, and describes arguments that do not
 * fit.
 */

import { messageOf } from "../shared/json.ts";
import { withoutEnd } from "../shared/without-end.ts";
import { fewReasons, fieldName, mismatchSentence, short, uncheckedText } from "./argument-text.ts";
import type { StandardInput, StandardIssue, StandardResult } from "./standard-schema.ts";
import { checkDefinition, objectInput } from "./tool-definition.ts";
import { ToolArgumentError, ToolSchemaError } from "./tool-errors.ts";
import type { PlanContext, ToolContext, ToolPlan, TypedTool } from "./typed-tool.ts";

export interface ToolDefinition<Args, Name extends string = string, Value = unknown> {
  /** 1 to 64 letters, digits, `_` or `-`. */
  readonly name: Name;
  /** For the model: what the tool does, and when to use it. */
  readonly description: string;
  /** `z.object({ … })`, or an object of any library that implements Standard JSON Schema. */
  readonly input: StandardInput<Args>;
  /** Returns a text, any JSON, or `ToolContent`; an error that it throws becomes an error result with its message. */
  run?(args: Args, context: ToolContext): Value | Promise<Value>;
  /** What `run` would do, without doing it: shown before the decision, and computed again before the run. */
  plan?(args: Args, context: PlanContext): ToolPlan | Promise<ToolPlan>;
}

/**
 * Makes a tool whose arguments one schema describes, checks and types: JSON Schema 2020-12 of what a model may send,
 * with descriptions and defaults. Throws a `ToolSchemaError` when the schema cannot be written as JSON Schema.
 */
export function defineTool<Args, const Name extends string, Value>(
  definition: ToolDefinition<Args, Name, Value>,
): TypedTool<Args, Name, Value> {
  const { name, description, input, plan } = definition;
  checkDefinition(name, description);
  if (typeof definition.run !== "function" && definition.run !== undefined) {
    throw new ToolSchemaError(name, "its run must be a function.");
  }
  if (typeof plan !== "function" && plan !== undefined) {
    throw new ToolSchemaError(name, "its plan must be a function.");
  }
  return {
    name,
    description,
    inputSchema: jsonSchemaOf(name, input),
    server: null,
    parse: (value) => check(name, input, value),
    ...(definition.run === undefined ? {} : { run: definition.run.bind(definition) }),
    ...(plan === undefined
      ? {}
      : { plan: (args, context) => plan.call(definition, args, context) }),
  };
}

function jsonSchemaOf(name: string, input: StandardInput) {
  const standard = input?.["~standard"];
  if (typeof standard?.jsonSchema?.input !== "function") {
    throw new ToolSchemaError(
      name,
      "its input must be a zod object, or a schema that implements Standard JSON Schema. Use fromJSONSchema for plain JSON Schema.",
    );
  }
  let schema: Record<string, unknown>;
  try {
    schema = standard.jsonSchema.input({ target: "draft-2020-12" });
  } catch (error) {
    const reason = `its input cannot be written as JSON Schema (${messageOf(error)}).`;
    throw new ToolSchemaError(name, reason, { cause: error });
  }
  const { $schema, ...rest } = objectInput(name, schema);
  return rest;
}

async function check<Args>(
  name: string,
  input: StandardInput<Args>,
  value: unknown,
): Promise<Args> {
  let reasons: string;
  try {
    const result = await validate(input, value);
    if (result.issues === undefined) return result.value;
    reasons = describeIssues(result.issues, value);
  } catch (error) {
    // A custom check in the schema may throw.
    throw new ToolArgumentError(name, uncheckedText(name, error), { cause: error });
  }
  throw new ToolArgumentError(name, mismatchSentence(name, reasons));
}

/** The part of zod that is not in its Standard Schema. */
interface ZodParser<Args> {
  safeParseAsync(
    value: unknown,
  ): Promise<
    | { readonly success: true; readonly data: Args }
    | { readonly success: false; readonly error: { readonly issues: readonly StandardIssue[] } }
  >;
}

function isZod<Args>(input: StandardInput<Args>): input is StandardInput<Args> & ZodParser<Args> {
  const isItsOwn = input["~standard"].vendor === "zod";
  return isItsOwn && "safeParseAsync" in input && typeof input.safeParseAsync === "function";
}

/**
 * Through its Standard Schema, zod first parses synchronously: an asynchronous check then runs twice, and when it
 * throws, the unhandled rejection of the first run ends the process.
 */
async function validate<Args>(
  input: StandardInput<Args>,
  value: unknown,
): Promise<StandardResult<Args>> {
  if (!isZod(input)) return input["~standard"].validate(value);
  const parsed = await input.safeParseAsync(value);
  return parsed.success ? { value: parsed.data } : { issues: parsed.error.issues };
}

/** `value` is what was checked: a sentence also shows what the field contained. */
function describeIssues(issues: readonly StandardIssue[], value: unknown): string {
  return fewReasons(issues.map((issue) => describe(issue, value)));
}

function describe(issue: StandardIssue, value: unknown): string {
  const path = (issue.path ?? []).map(pathKey);
  const field = fieldName(path);
  const found = valueAt(value, path);
  const unknown = unknownKeys(issue);
  if (unknown.length > 0) {
    return unknown.map((key) => `${fieldName([...path, key])} is not known.`).join(" ");
  }
  const reason = withoutEnd([issue.message, ...alternatives(issue, value)].join("; "), ". \n");
  if (found === undefined && isAboutType(issue)) {
    const words = isZodsOwn(issue) ? "" : `: ${reason}`;
    return `${field} is required and missing${words}.`;
  }
  if (path.length === 0) return `${reason}.`;
  const shown = found === undefined ? "" : `, but it is ${short(found)}`;
  return `${field}: ${reason}${shown}.`;
}

/** Zod's own message for a missing field says no more than that; a message of the schema's author may. */
function isZodsOwn({ message }: StandardIssue): boolean {
  return /^Invalid (?:input|option)\b/.test(message);
}

/** A custom check may be about a field that is absent; its message says more than "required and missing". */
function isAboutType(issue: StandardIssue): boolean {
  return (
    !("code" in issue) ||
    ["invalid_type", "invalid_value", "invalid_union"].includes(String(issue.code))
  );
}

function pathKey(part: PropertyKey | { readonly key: PropertyKey }): string | number {
  const key = typeof part === "object" ? part.key : part;
  return typeof key === "number" ? key : String(key);
}

function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  let found: unknown = value;
  for (const key of path) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = Object.getOwnPropertyDescriptor(found, key)?.value;
  }
  return found;
}

/** zod lists the keys that a strict object does not allow in the issue of the object. */
function unknownKeys(issue: StandardIssue): readonly string[] {
  if (!("keys" in issue) || !Array.isArray(issue.keys)) return [];
  return issue.keys.filter((key) => typeof key === "string");
}

/** For a union, zod's own message only says that nothing matches; the messages of the alternatives say more. */
function alternatives(issue: StandardIssue, value: unknown): readonly string[] {
  if (!("errors" in issue) || !Array.isArray(issue.errors)) return [];
  const wanted = issue.errors.flatMap((branch: unknown) => {
    const first: unknown = Array.isArray(branch) ? branch[0] : undefined;
    if (!isIssue(first)) return [];
    const inner = first.path ?? [];
    if (inner.length === 0) return [first.message];
    const path = [...(issue.path ?? []), ...inner];
    return [withoutEnd(describe({ ...first, path }, value), ".")];
  });
  return wanted.length > 0 ? [`none of the alternatives fits (${wanted.join(" / ")})`] : [];
}

function isIssue(value: unknown): value is StandardIssue {
  return typeof value === "object" && value !== null && "message" in value;
}
