/** What a typed tool is: a tool with the types of its arguments, which checks, plans and runs itself. */
import type { Tool } from "../conversation/ports.ts";
import type { ToolCall } from "../transcript/transcript.ts";
import { readArguments } from "./argument-text.ts";
import { ToolArgumentError } from "./tool-errors.ts";

/** What a running tool gets beside its arguments. */
export interface ToolContext {
  /** Aborted when the person stops the call, or when it takes too long. */
  readonly signal: AbortSignal;
  /** The hash of the plan that was approved; absent or empty where there was none. */
  readonly effect?: string;
  /** Shows how far the tool has come. */
  progress(text: string): void;
}

/** What a tool may look at while it says what it would do. */
export interface PlanContext {
  /** The text of a file, by its absolute path, as the calls before this one would leave it; null: there is none. */
  read(path: string): Promise<string | null>;
}

/** What a call would do. The call runs only while the same plan comes out again. */
export interface ToolPlan {
  /** For the person; the diffs of `writes` follow by themselves. */
  readonly lines?: readonly string[];
  /** Texts that it would write, by absolute path: calls after it are planned with them. */
  readonly writes?: readonly { readonly path: string; readonly text: string }[];
}

/** A tool with the types of its arguments and of what it gives: made by `defineTool` and `fromJSONSchema`. */
export interface TypedTool<Args = unknown, Name extends string = string, Value = unknown>
  extends Tool {
  readonly name: Name;
  /** The arguments as the schema makes them, defaults put in. Rejects with a `ToolArgumentError`. */
  parse(value: unknown): Promise<Args>;
  /** Absent when whoever gets the call runs it. What comes back is a text, any JSON, or `ToolContent`. */
  run?(args: Args, context: ToolContext): Value | Promise<Value>;
  /**
   * What `run` would do with these arguments, without doing it: it is shown before the call is decided. What it throws
   * is shown as the reason why the call would be refused. Absent: nobody can know before.
   */
  plan?(args: Args, context: PlanContext): ToolPlan | Promise<ToolPlan>;
}

/** Whether a tool checks its arguments itself. */
export function isTypedTool(tool: Tool): tool is TypedTool {
  return "parse" in tool && typeof tool.parse === "function";
}

/**
 * The arguments of a call, typed by the tool's schema. The text is read as strict JSON: nothing is repaired, and a
 * key that occurs twice is refused. Rejects with a `ToolArgumentError` whose message a model can correct itself by.
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
