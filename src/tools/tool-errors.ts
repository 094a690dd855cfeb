/** What can go wrong with a tool, and what a model is told about it. */
import { messageOf } from "../shared/json.ts";
import { uncheckedText } from "./argument-text.ts";

/** The definition of a tool cannot be used; thrown when the tool is defined, never when it is called. */
export class ToolSchemaError extends Error {
  override readonly name = "ToolSchemaError";
  readonly toolName: string;

  constructor(toolName: string, reason: string, options?: ErrorOptions) {
    super(`The tool ${toolName} cannot be defined: ${reason}`, options);
    this.toolName = toolName;
  }
}

/**
 * Arguments that a tool cannot be run with. The message is for the model, which can correct itself; the `cause` is the
 * error of a schema that itself failed.
 */
export class ToolArgumentError extends Error {
  override readonly name = "ToolArgumentError";
  readonly toolName: string;

  constructor(toolName: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.toolName = toolName;
  }
}

/** A tool failed while it ran; the `cause` is what it threw. The message is for the model. */
export class ToolExecutionError extends Error {
  override readonly name = "ToolExecutionError";
  readonly toolName: string;

  constructor(toolName: string, reason: string, options?: ErrorOptions) {
    super(`The tool ${toolName} failed: ${reason}`, options);
    this.toolName = toolName;
  }
}

/** Why arguments cannot be used, for the model. An error thrown by the tool's own schema goes to `log`. */
export function mismatchText(
  toolName: string,
  error: unknown,
  log: (text: string) => void,
): string {
  const isOurs = error instanceof ToolArgumentError;
  const cause = isOurs ? error.cause : error;
  if (cause !== undefined) {
    const stack = cause instanceof Error ? cause.stack : undefined;
    log(`The schema of the tool ${toolName} failed: ${stack ?? messageOf(cause)}`);
  }
  return isOurs ? error.message : uncheckedText(toolName, error);
}
