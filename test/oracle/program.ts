/** The program as the oracle sees it: the one file here that knows where things are. */
import type { ChatOptions } from "../../src/app/open-chat/chat-ports.ts";
import {
  type PreviewOptions,
  previewRequest as previewOf,
} from "../../src/app/open-chat/preview.ts";
import type { Transcript } from "../../src/transcript/transcript.ts";
import { type Sources, sourcesOf } from "../app/sources.ts";

export { nextStep } from "../../src/conversation/decide/next-step.ts";
export { emptySession, type Session } from "../../src/conversation/decide/session.ts";
export { chatSettings } from "../../src/conversation/settings/chat-settings.ts";
export {
  beginAnswer,
  beginContinuation,
  openQuestion,
  replaceAnswer,
  restartStep,
  retryLastStep,
  stopStep,
} from "../../src/transcript/edits/answer-edits.ts";
export { decideCalls, declineCalls, writeResults } from "../../src/transcript/edits/call-edits.ts";
export { finishStep } from "../../src/transcript/edits/finish-step.ts";
export { insertQuestion, setHeaderValue } from "../../src/transcript/edits/header-edits.ts";
export { applyEdits } from "../../src/transcript/edits/layout.ts";
export { parseTranscript } from "../../src/transcript/parse.ts";
export type {
  CallBlock,
  Edit,
  Exchange,
  Problem,
  Transcript,
} from "../../src/transcript/transcript.ts";
export { chatOptions, sources } from "../app/sources.ts";

export function previewRequest(
  app: Sources,
  chat: ChatOptions,
  transcript: Transcript,
  options: PreviewOptions,
) {
  return previewOf(sourcesOf(app, chat), app.models, transcript, options);
}
