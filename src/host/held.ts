/** Retries writes that Neovim refuses for now, as they would move text that the user is editing (`kept_rows.lua`). */
import { setTimeout } from "node:timers/promises";

/** Milliseconds between two tries: a menu is open, or an operator waits, for a moment. */
const pauseMs = 30;

interface Outcome {
  readonly status: string;
}

type Settled<Answer extends Outcome> = Answer & {
  readonly status: Exclude<Answer["status"], "held">;
};

/** Resolves with the first answer that is not `held`. */
export async function whileHeld<Answer extends Outcome>(
  ask: () => Promise<Answer>,
): Promise<Settled<Answer>> {
  for (;;) {
    const answer = await ask();
    if (isSettled(answer)) return answer;
    await setTimeout(pauseMs);
  }
}

function isSettled<Answer extends Outcome>(answer: Answer): answer is Settled<Answer> {
  return answer.status !== "held";
}
