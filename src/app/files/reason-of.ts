/** Why a file operation failed, as part of a sentence for the user. */
import { messageOf } from "../../shared/json.ts";
import { systemReason } from "../../system/system-error.ts";

/** The system's reason in plain words; for any other error its message. */
export function reasonOf(error: unknown): string {
  return systemReason(error) ?? messageOf(error);
}
