import { messageOf } from "../shared/json.ts";
import { misfitSentence } from "./argument-text.ts";
import { describeIssues } from "./issues.ts";
import type { StandardInput } from "./standard-schema.ts";
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
  /** Gives a text, any JSON, or `ToolContent`; what it throws becomes an error result with its message. */
  run?(args: Args, context: ToolContext): Value | Promise<Value>;
  /** What `run` would do, without doing it: shown before the call is decided, and computed again before it runs. */
  plan?(args: Args, context: PlanContext): ToolPlan | Promise<ToolPlan>;
}

/**
 * A tool whose arguments are described, checked and typed by one schema: JSON Schema 2020-12 of what a model may
 * send, with descriptions and defaults. Throws a `ToolSchemaError` when the schema has no such form.
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
    const reason = `its input has no form in JSON Schema (${messageOf(error)}).`;
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
  const result = await input["~standard"].validate(value);
  if (result.issues === undefined) return result.value;
  const reasons = describeIssues(result.issues, value);
  throw new ToolArgumentError(name, misfitSentence(name, reasons));
}
