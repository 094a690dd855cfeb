/** Why a command of a person's did not do what it should, as the end of a sentence about it. */
import type { CommandOutcome } from "./commands.ts";

/** `said` is what it printed about that, without secrets; empty when nothing. */
export function commandFailure(outcome: CommandOutcome, timeoutMs: number, said: string): string {
  const tail = said === "" ? "" : `: ${said.slice(0, 200).replace(/\.+$/, "")}`;
  switch (outcome.type) {
    case "timeout":
      return `did not end within ${timeoutMs / 1000} seconds${tail}`;
    case "missing":
      return "was not found";
    case "too-long":
      return "printed more than 1 MB";
    case "failed":
      return `could not be run (${outcome.reason})`;
    case "ended":
      return outcome.code === null
        ? `was ended by ${outcome.signal}${tail}`
        : `ended with exit code ${outcome.code}${tail}`;
  }
}
