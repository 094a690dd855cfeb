/** The edits of a transcript, as data against the lines of a parsed one. */
export {
  beginAnswer,
  beginContinuation,
  openQuestion,
  replaceAnswer,
  restartStep,
  retryLastStep,
  stopStep,
} from "./answer-edits.ts";
export { applyEdits } from "./apply-edits.ts";
export { type CallResult, decideCalls, declineCalls, writeResults } from "./call-edits.ts";
export { type FinishedStep, finishStep } from "./finish-step.ts";
export { setHeaderValue } from "./header-edits.ts";
export type { CallPart, StepPart } from "./step-parts.ts";
