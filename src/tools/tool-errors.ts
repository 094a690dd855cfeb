/** A tool whose definition cannot be used; thrown when the tool is defined, never when it is called. */
export class ToolSchemaError extends Error {
  override readonly name = "ToolSchemaError";
  readonly toolName: string;

  constructor(toolName: string, reason: string, options?: ErrorOptions) {
    super(`The tool ${toolName} cannot be defined: ${reason}`, options);
    this.toolName = toolName;
  }
}

/** Arguments that a tool cannot be run with. The message is for the model, which can correct itself by it. */
export class ToolArgumentError extends Error {
  override readonly name = "ToolArgumentError";
  readonly toolName: string;

  constructor(toolName: string, message: string) {
    super(message);
    this.toolName = toolName;
  }
}

/** A tool that failed while it ran; what it threw is the `cause`. The message is for the model. */
export class ToolExecutionError extends Error {
  override readonly name = "ToolExecutionError";
  readonly toolName: string;

  constructor(toolName: string, reason: string, options?: ErrorOptions) {
    super(`The tool ${toolName} failed: ${reason}`, options);
    this.toolName = toolName;
  }
}
