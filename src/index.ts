/**
 * Parley as a library. The transcript, what comes next, and what a model is sent are pure functions over plain
 * data; typed tools and the loop of an agent with approval (`runTurn`) stand beside them.
 */

export { modelWithKey } from "./app/default-model.ts";
export { type Model, type ModelOptions, openModel, scriptedModel } from "./app/open-model.ts";
export { type ApprovalAnswer, runTurn, type TurnOptions, type TurnResult } from "./app/run-turn.ts";
export {
  type StepResult,
  streamText,
  type TextRequest,
  type TextStream,
  toAssistantMessage,
} from "./app/stream-text.ts";
export { type BuiltMessages, buildMessages, type MessageOptions } from "./conversation/messages.ts";
export {
  type NextStep,
  nextStep,
  type OpenCall,
  type OpenReason,
} from "./conversation/next-step.ts";
export type { CallNote, ProposedCall, ToolProtocol } from "./conversation/proposed-call.ts";
export {
  type Copies,
  type LoadedFile,
  type NeededFiles,
  type NeededFilesOptions,
  neededFiles,
} from "./conversation/references.ts";
export {
  type Anchor,
  emptySession,
  type RunningTurn,
  type Session,
  type TrackedCall,
} from "./conversation/session.ts";
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
} from "./conversation/types.ts";
export {
  toAnthropicRequest,
  toAnthropicToolChoice,
  toAnthropicTools,
} from "./providers/anthropic-request.ts";
export { toOpenAIRequest, toOpenAIToolChoice, toOpenAITools } from "./providers/openai-request.ts";
export { createDetector } from "./providers/text-tools/detector.ts";
export { detectableProtocols } from "./providers/text-tools/protocol-ids.ts";
export { textToolProtocols } from "./providers/text-tools/protocols.ts";
export type {
  Detector,
  DetectorEvent,
  DetectorFinish,
  DetectorOptions,
  KnownTool,
  TextToolCall,
  TextToolProtocol,
  TextToolResult,
} from "./providers/text-tools/types.ts";
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
} from "./transcript/answer-edits.ts";
export { applyEdits } from "./transcript/apply-edits.ts";
export {
  type CallResult,
  decideCalls,
  declineCalls,
  writeResults,
} from "./transcript/call-edits.ts";
export { type FinishedStep, finishStep } from "./transcript/finish-step.ts";
export { setHeaderValue } from "./transcript/header-edits.ts";
export type { Opening, Tip } from "./transcript/layout.ts";
export { escapeAnswerText } from "./transcript/markers.ts";
export { parseLines, parseTranscript } from "./transcript/parse.ts";
export { type ProblemCode, problemLevels } from "./transcript/problems.ts";
export type { ResultInput } from "./transcript/result-block.ts";
export type { CallPart, StepPart } from "./transcript/step-parts.ts";
export type * from "./transcript/types.ts";
