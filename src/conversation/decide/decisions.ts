/** The approval keys and what each means: the one table of it (format, section 4). */
import type { Decision } from "../../transcript/transcript.ts";

/** The keys that decide a proposed call; the record they leave in the line has the same name. */
export type ApprovalKey = Exclude<Decision, "auto">;

export interface KeyRule {
  readonly answer: "yes" | "no";
  /** `all`: every open call of this answer; `one`: the call under the cursor. */
  readonly scope: "all" | "one";
  /** The tool of each call marked is allowed from then on. */
  readonly remember: boolean;
}

/**
 * The requirements describe the scopes of the yes keys twice and differently; this is the first description.
 * Another reading is another table here.
 */
export const keyRules = {
  yA: { answer: "yes", scope: "all", remember: true },
  ya: { answer: "yes", scope: "all", remember: false },
  yo: { answer: "yes", scope: "one", remember: false },
  yO: { answer: "yes", scope: "one", remember: true },
  yn: { answer: "no", scope: "one", remember: false },
  yN: { answer: "no", scope: "all", remember: false },
} as const satisfies Readonly<Record<ApprovalKey, KeyRule>>;

/** The keys that say no. */
export type DecliningKey = {
  [Key in ApprovalKey]: (typeof keyRules)[Key]["answer"] extends "no" ? Key : never;
}[ApprovalKey];

export function isDeclining(key: ApprovalKey): key is DecliningKey {
  return keyRules[key].answer === "no";
}

/** Whether the record says that the call was allowed. It is a record, never a permission (format, section 9). */
export function isYes(decision: Decision): boolean {
  return decision === "auto" || keyRules[decision].answer === "yes";
}

/** Whether a key of this record remembered the call's tool. */
export function isRemembering(decision: Decision | null): decision is ApprovalKey {
  return decision !== null && decision !== "auto" && keyRules[decision].remember;
}
