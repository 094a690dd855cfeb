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
  applyEdits,
  beginAnswer,
  beginContinuation,
  decideCalls,
  declineCalls,
  finishStep,
  openQuestion,
  replaceAnswer,
  restartStep,
  retryLastStep,
  setHeaderValue,
  stopStep,
  writeResults,
} from "./transcript/edits.ts";
export { parseLines, parseTranscript } from "./transcript/parse.ts";
export type * from "./transcript/types.ts";
