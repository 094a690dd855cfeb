/**
 * Parley as a library: the transcript, what comes next, and what a model is sent.
 * Everything here is a pure function over plain data.
 */

export { buildMessages } from "./conversation/messages.ts";
export { type NextStep, nextStep, type OpenCall } from "./conversation/next-step.ts";
export {
  emptySession,
  type RunningTurn,
  type Session,
  type TrackedCall,
} from "./conversation/session.ts";
export type {
  AssistantMessage,
  Message,
  ModelRequest,
  StreamPart,
  Tool,
  ToolChoice,
  ToolMessage,
  Usage,
  UserMessage,
} from "./conversation/types.ts";
export { toAnthropicRequest, toAnthropicTools } from "./providers/anthropic-request.ts";
export { toOpenAIRequest, toOpenAITools } from "./providers/openai-request.ts";
export {
  beginAnswer,
  beginContinuation,
  openQuestion,
  replaceAnswer,
  restartStep,
  retryLastStep,
  stopStep,
} from "./transcript/answer-edits.ts";
export { applyEdits } from "./transcript/apply-edits.ts";
export { decideCalls, declineCalls, writeResults } from "./transcript/call-edits.ts";
export { finishStep } from "./transcript/finish-step.ts";
export { setHeaderValue } from "./transcript/header-edits.ts";
export { parseLines, parseTranscript } from "./transcript/parse.ts";
export type * from "./transcript/types.ts";
