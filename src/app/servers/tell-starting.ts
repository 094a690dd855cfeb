/** What is on screen while an answer waits for servers that start. */
import { visible } from "../../shared/visible.ts";

export interface StartUnderWay {
  readonly name: string;
  readonly seconds: number;
}

const tickMs = 1000;

/** Says once a second which servers the answer waits for, `starting github, 14 s`, until it is ended. */
export function tellStarting(
  starting: () => readonly StartUnderWay[],
  tell: ((text: string) => void) | undefined,
): { end(): void } {
  const timer = setInterval(() => {
    const lines = starting().map(({ name, seconds }) => `${visible(name)}, ${seconds} s`);
    if (lines.length > 0) tell?.(`starting ${lines.join("; ")}`);
  }, tickMs);
  return { end: () => clearInterval(timer) };
}
