/** The agent loop for programs: models, typed tools, MCP servers, and approvals that may wait. */

export type {
  AssistantMessage,
  Failure,
  FinishReason,
  ImagePart,
  JsonSchema,
  Message,
  ModelName,
  ModelRequest,
  StreamPart,
  TextPart,
  Tool,
  ToolCallPart,
  ToolChoice,
  ToolHost,
  ToolMessage,
  ToolOutput,
  ToolResultPart,
  Usage,
  UserMessage,
} from "./conversation/ports.ts";
export type { CallNote, ProposedCall, ToolProtocol } from "./conversation/proposed-call.ts";
export { type McpOptions, type McpServers, openMcpServers } from "./library/mcp-tools.ts";
export {
  type Model,
  type ModelOptions,
  modelWithKey,
  openModel,
  scriptedModel,
} from "./library/open-model.ts";
export { runTurn } from "./library/run-turn.ts";
export {
  type StepResult,
  streamText,
  type TextRequest,
  type TextStream,
  toAssistantMessage,
} from "./library/stream-text.ts";
export {
  fromTranscript,
  type ReadTranscript,
  type TranscriptOptions,
  toTranscript,
} from "./library/transcripts.ts";
export type {
  ApprovalAnswer,
  MessageInput,
  Step as TurnStep,
  StepSettings,
  TurnEvent,
  TurnOptions,
  TurnResult,
  WaitingCall,
  WaitingTurn,
} from "./library/turn-options.ts";
export type { Call, CallOf, CallOutcome, ResultOf, Tools } from "./library/typed-calls.ts";
export { defineTool, type ToolDefinition } from "./tools/define-tool.ts";
export { executeTool } from "./tools/execute-tool.ts";
export {
  fromJSONSchema,
  type JsonArguments,
  type JsonToolDefinition,
} from "./tools/from-json-schema.ts";
export type { StandardInput, StandardIssue, StandardResult } from "./tools/standard-schema.ts";
export { ToolArgumentError, ToolExecutionError, ToolSchemaError } from "./tools/tool-errors.ts";
export {
  type ToolContent,
  type ToolResult,
  toolErrorResult,
  toolResult,
} from "./tools/tool-output.ts";
export { createTypedToolHost, type TypedHostOptions } from "./tools/typed-host.ts";
export { parseArguments, type ToolContext, type TypedTool } from "./tools/typed-tool.ts";
