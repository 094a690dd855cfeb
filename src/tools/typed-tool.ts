import type { Tool } from "../conversation/ports.ts";
import type { ToolCall } from "../transcript/transcript.ts";
import { readArguments } from "./argument-text.ts";
import { ToolArgumentError } from "./tool-errors.ts";

/** What a running tool gets beside its arguments. */
export interface ToolContext {
  /** Aborted when the person stops the call, or when it takes too long. */
  readonly signal: AbortSignal;
  /** Shows how far the tool has come. */
  progress(text: string): void;
}

/** A tool with its arguments' type: made by `defineTool` and `fromJSONSchema`. */
export interface TypedTool<Args = unknown> extends Tool {
  /** The arguments as the schema makes them, defaults put in. Rejects with a `ToolArgumentError`. */
  parse(value: unknown): Promise<Args>;
  /** Absent when whoever gets the call runs it. What comes back is a text, any JSON, or `ToolContent`. */
  run?(args: Args, context: ToolContext): unknown;
}

/** Whether a tool checks its arguments itself. */
export function isTypedTool(tool: Tool): tool is TypedTool {
  return "parse" in tool && typeof tool.parse === "function";
}

/**
 * The arguments of a call, typed by the tool's schema. The text is read as strict JSON: nothing is repaired, and a
 * key that stands twice is refused. Rejects with a `ToolArgumentError` whose message a model can correct itself by.
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
