/** The failure of a module that cannot be loaded on first use: most likely dist/ is incomplete. */
import type { Failure } from "../../conversation/ports.ts";
import { messageOf } from "../../shared/json.ts";

/** `part`: what the module does, as in “that finds tool calls in text”. */
export function notLoaded(part: string, error: unknown): Failure {
  const reason = messageOf(error);
  const message = `The part of Parley ${part} could not be loaded: ${reason}. Install Parley again; in a checkout, run npm run build.`;
  return { kind: "internal", message };
}
