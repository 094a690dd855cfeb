/**
 * Parley as a library. The transcript, what comes next, and what a model is sent are pure functions over plain
 * data; typed tools and the loop of an agent with approval (`runTurn`) stand beside them.
 */

export { modelWithKey } from "./app/configuration/default-model.ts";
export {
  type NextStep,
  nextStep,
  type OpenCall,
  type OpenReason,
} from "./conversation/decide/next-step.ts";
export {
  type Anchor,
  emptySession,
  type RunningTurn,
  type Session,
  type TrackedCall,
} from "./conversation/decide/session.ts";
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
export {
  type BuiltMessages,
  buildMessages,
  type MessageOptions,
} from "./conversation/request/messages.ts";
export {
  type Copies,
  type LoadedFile,
  type NeededFiles,
  type NeededFilesOptions,
  neededFiles,
} from "./conversation/request/needed-files.ts";
export { type McpOptions, type McpServers, openMcpServers } from "./library/mcp-tools.ts";
export { type Model, type ModelOptions, openModel, scriptedModel } from "./library/open-model.ts";
export { runTurn } from "./library/run-turn.ts";
export {
  type StepResult,
  streamText,
  type TextRequest,
  type TextStream,
  toAssistantMessage,
} from "./library/stream-text.ts";
export type { Call, CallOf, CallOutcome, ResultOf, Tools } from "./library/tool-types.ts";
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
export {
  toAnthropicRequest,
  toOpenAIRequest,
  toResponsesRequest,
} from "./library/wire-requests.ts";
export {
  toAnthropicToolChoice,
  toAnthropicTools,
} from "./providers/anthropic/anthropic-request.ts";
export {
  toOpenAIToolChoice,
  toOpenAITools,
} from "./providers/openai-chat/openai-request.ts";
export type { DescribedTool } from "./providers/request/prepare-tool.ts";
export type {
  Detector,
  DetectorEvent,
  DetectorFinish,
  DetectorOptions,
  KnownTool,
  TextToolCall,
  TextToolProtocol,
  TextToolResult,
} from "./providers/text-tools/detection.ts";
export { createDetector } from "./providers/text-tools/detector.ts";
export { detectableProtocols } from "./providers/text-tools/protocol-ids.ts";
export { textToolProtocols } from "./providers/text-tools/protocols.ts";
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
export {
  beginAnswer,
  beginContinuation,
  type NewAnswer,
  type NewStep,
  openQuestion,
  replaceAnswer,
  restartStep,
  retryLastStep,
  stopStep,
} from "./transcript/edits/answer-edits.ts";
export {
  type CallResult,
  decideCalls,
  declineCalls,
  writeResults,
} from "./transcript/edits/call-edits.ts";
export type { CallPart, StepPart } from "./transcript/edits/finish-step.ts";
export { type FinishedStep, finishStep } from "./transcript/edits/finish-step.ts";
export { setHeaderValue } from "./transcript/edits/header-edits.ts";
export type { Opening, Tip } from "./transcript/edits/layout.ts";
export { applyEdits } from "./transcript/edits/layout.ts";
export { escapeAnswerText } from "./transcript/markers.ts";
export { parseLines, parseTranscript } from "./transcript/parse.ts";
export { type ProblemCode, problemLevels } from "./transcript/problems.ts";
export type { ResultInput } from "./transcript/result-block.ts";
export type * from "./transcript/transcript.ts";
