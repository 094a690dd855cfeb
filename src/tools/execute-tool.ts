/** Runs one call of a typed tool. */
import type { ToolOutput } from "../conversation/ports.ts";
import { messageOf } from "../shared/json.ts";
import type { ToolCall } from "../transcript/transcript.ts";
import { ToolExecutionError } from "./tool-errors.ts";
import { toToolOutput } from "./tool-output.ts";
import { parseArguments, type ToolContext, type TypedTool } from "./typed-tool.ts";

/**
 * Checks the arguments of one call and runs it. Rejects with a `ToolArgumentError`, in which case nothing was run, or
 * with a `ToolExecutionError`. The caller decides beforehand whether it may run. `gave` receives what its `run`
 * returned.
 */
export async function executeTool<Args>(
  tool: TypedTool<Args>,
  call: ToolCall,
  context: ToolContext,
  gave: (value: unknown) => void = () => {},
): Promise<ToolOutput> {
  const args = await parseArguments(tool, call);
  if (tool.run === undefined) {
    throw new ToolExecutionError(tool.name, "it has no run function, so its caller runs it.");
  }
  try {
    const value = await tool.run(args, context);
    const output = toToolOutput(value);
    gave(value);
    return output;
  } catch (error) {
    if (error instanceof ToolExecutionError) throw error;
    throw new ToolExecutionError(tool.name, messageOf(error), { cause: error });
  }
}
