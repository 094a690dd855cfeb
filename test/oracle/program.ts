/** The program as the oracle sees it: the one file here that knows where things are. */
export { previewRequest } from "../../src/app/preview.ts";
export { nextStep } from "../../src/conversation/next-step.ts";
export { emptySession, type Session } from "../../src/conversation/session.ts";
export { chatSettings } from "../../src/conversation/settings.ts";
export {
  beginAnswer,
  beginContinuation,
  openQuestion,
  replaceAnswer,
  restartStep,
  retryLastStep,
  stopStep,
} from "../../src/transcript/answer-edits.ts";
export { applyEdits } from "../../src/transcript/apply-edits.ts";
export { decideCalls, declineCalls, writeResults } from "../../src/transcript/call-edits.ts";
export { finishStep } from "../../src/transcript/finish-step.ts";
export { setHeaderValue } from "../../src/transcript/header-edits.ts";
export { parseTranscript } from "../../src/transcript/parse.ts";
export { insertQuestion } from "../../src/transcript/question-edits.ts";
export type { CallBlock, Edit, Exchange, Problem, Transcript } from "../../src/transcript/types.ts";
export { chatOptions, sources } from "../app/sources.ts";
