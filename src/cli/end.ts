/** What the end of a run means to whoever started it. */

import { needsOwnLine, type OpenCall } from "../conversation/decide/next-step.ts";
import type { BudgetName } from "../conversation/turn/budget-limits.ts";
import type { TurnEnd } from "../conversation/turn/chat.ts";
import { counted } from "../shared/counted.ts";

export function exitCode(end: TurnEnd): number {
  switch (end.type) {
    case "done":
      return exitCodes.finished;
    case "await-approval":
      return exitCodes.waitsForApproval;
    case "failed":
      return end.failure.kind === "internal" ? exitCodes.failed : exitCodes.providerFailed;
    case "limit":
      return end.budget === undefined ? exitCodes.maxStepsReached : exitCodes.overBudget;
    case "await-question":
    case "conflict":
    case "refused":
    case "stopped":
    case "unsaved":
    case "gone":
      return exitCodes.failed;
  }
}

/** Reports how the run ended; nothing when it finished. `steps` is the number of model requests. */
export function reportEnd(
  end: TurnEnd,
  { steps, notify }: { readonly steps: number; notify(text: string): void },
): void {
  const sentence = endSentence(end, steps);
  if (sentence !== null) notify(sentence);
}

function endSentence(end: TurnEnd, steps: number): string | null {
  switch (end.type) {
    case "done":
      return steps === 0 ? "There is nothing to do: the last question is answered." : null;
    case "await-approval":
      return waiting(end.open);
    case "failed":
      return end.failure.message;
    case "limit":
      if (end.budget !== undefined) return overBudget(end.message, end.budget);
      if (end.uncorrected) return end.message;
      return `The model was asked ${steps === 1 ? "once" : `${steps} times`}, which is the limit (--max-steps, or max_model_calls of the configuration). Everything so far is in the file; run again to continue.`;
    case "await-question":
      return "There is no question to answer: start a line with 💬: and write your question there.";
    case "conflict":
      return "Another program changed the file in the meantime, so it was not overwritten. Run again to continue from the file as it is.";
    case "refused":
      return end.message;
    case "stopped":
      return "Stopped; the text so far is in the file.";
    case "unsaved":
      return "The file could not be written, so nothing more was done.";
    case "gone":
      return "The question is no longer in the file.";
  }
}

/** Daily limits can only be changed in the configuration. */
function overBudget(figures: string, names: readonly BudgetName[]): string {
  const [sentences = ""] = figures.split("\nNothing was sent");
  const ways = names.map((name) =>
    name.endsWith("_per_day")
      ? `${name} in the configuration`
      : `--${name.replaceAll("_", "-")} N for this run`,
  );
  return `${sentences}\nNothing more was sent; everything so far is in the file. ${[...new Set(ways)].join(", ")} allows more.`;
}

function waiting(open: readonly OpenCall[]): string {
  const names = open.map(({ call, reason }) => {
    const about = [reason, ...call.notes].filter((word) => word !== "undecided").join(", ");
    return `${call.call?.name ?? `line ${call.line + 1}`}${about === "" ? "" : ` (${about})`}`;
  });
  const calls = counted(open.length, "call waits", "calls wait");
  const byHand = open.filter(({ call }) => needsOwnLine(call));
  const why =
    byHand.length > 0 ? " Decide calls that were repaired or cannot be read in the editor." : "";
  const ways =
    byHand.length < open.length ? " Allow them with --approve, or decide in the editor." : "";
  return `${calls} for approval: ${names.join(", ")}.${ways}${why}`;
}

/** The exit codes of the command line; the same for every subcommand. */
export const exitCodes = {
  finished: 0,
  failed: 1,
  wrongUsage: 2,
  waitsForApproval: 3,
  providerFailed: 4,
  maxStepsReached: 5,
  notTrusted: 6,
  overBudget: 7,
} as const;
