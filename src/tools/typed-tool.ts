/** A typed tool: a tool with the types of its arguments, which checks, plans and runs its own calls. */
import type { Tool } from "../conversation/ports.ts";
import type { ToolCall } from "../transcript/transcript.ts";
import { readArguments } from "./argument-text.ts";
import { ToolArgumentError } from "./tool-errors.ts";

/** What a running tool gets besides its arguments. */
export interface ToolContext {
  /** Aborted when the user stops the call, or when it takes too long. */
  readonly signal: AbortSignal;
  /** The hash of the approved plan; absent or empty when there was no plan. */
  readonly effect?: string;
  /** Shows how far the tool has come. */
  progress(text: string): void;
}

/** What a tool may read while it computes what it would do. */
export interface PlanContext {
  /**
   * The text of a file, by its absolute path, as the calls before this one would leave it; null: there is no such file.
   */
  read(path: string): Promise<string | null>;
}

/** What a call would do. The call runs only if the plan is still the same. */
export interface ToolPlan {
  /** For the user; the diffs of `writes` follow automatically. */
  readonly lines?: readonly string[];
  /** Texts that it would write, by absolute path: later calls are planned with them. */
  readonly writes?: readonly { readonly path: string; readonly text: string }[];
}

/** A tool with the types of its arguments and of its value: made by `defineTool` and `fromJSONSchema`. */
export interface TypedTool<Args = unknown, Name extends string = string, Value = unknown>
  extends Tool {
  readonly name: Name;
  /** Parses the arguments by the schema and fills in defaults. Rejects with a `ToolArgumentError`. */
  parse(value: unknown): Promise<Args>;
  /** Absent when whoever receives the call runs it. Returns a text, any JSON, or `ToolContent`. */
  run?(args: Args, context: ToolContext): Value | Promise<Value>;
  /**
   * What `run` would do with these arguments, without doing it: shown before the call is decided. An error that it
   * throws is shown as the reason why the call would be refused. Absent: this cannot be known in advance.
   */
  plan?(args: Args, context: PlanContext): ToolPlan | Promise<ToolPlan>;
}

/** Whether a tool checks its own arguments. */
export function isTypedTool(tool: Tool): tool is TypedTool {
  return "parse" in tool && typeof tool.parse === "function";
}

/**
 * The arguments of a call, typed by the tool's schema. The text is parsed as strict JSON: nothing is repaired, and a
 * repeated key is refused. Rejects with a `ToolArgumentError` whose message lets a model correct itself.
 */
export async function parseArguments<Args>(
  tool: Pick<TypedTool<Args>, "name" | "parse">,
  call: ToolCall,
): Promise<Args> {
  if (call.name !== tool.name) {
    throw new TypeError(`The call ${call.id} is one of ${call.name}, not of ${tool.name}.`);
  }
  const read = readArguments(tool.name, call.arguments);
  if ("mistake" in read) throw new ToolArgumentError(tool.name, read.mistake);
  return tool.parse(read.value);
}
