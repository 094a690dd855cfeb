/**
 * Parley as a library. The transcript, the next step, and what is sent to a model are pure functions over plain data;
 * typed tools and the agent loop with approval (`runTurn`) complete them.
 */

export * from "./agent.ts";
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
export {
  type BuiltMessages,
  buildMessages,
  type MessageOptions,
} from "./conversation/request/build-messages.ts";
export {
  type Copies,
  type LoadedFile,
  type NeededFiles,
  type NeededFilesOptions,
  neededFiles,
} from "./conversation/request/needed-files.ts";
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
export type { OpenedTip as Opening, Tip } from "./transcript/edits/layout.ts";
export { applyEdits } from "./transcript/edits/layout.ts";
export { escapeAnswerText } from "./transcript/markers.ts";
export { parseLines, parseTranscript } from "./transcript/parse.ts";
export { type ProblemCode, problemLevels } from "./transcript/problems.ts";
export type { ResultInput } from "./transcript/result-block.ts";
export type * from "./transcript/transcript.ts";
