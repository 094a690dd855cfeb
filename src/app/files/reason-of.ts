/** Why something that was done with a file failed, as a part of a sentence for people. */
import { messageOf } from "../../shared/json.ts";
import { systemReason } from "../../system/system-error.ts";

/** What the system says, in words; of any other error its own. */
export function reasonOf(error: unknown): string {
  return systemReason(error) ?? messageOf(error);
}
