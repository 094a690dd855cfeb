/**
 * The decisions about proposed calls, one row each; the records, their parser, the keys and their help are derived from
 * it (format, section 4).
 */

export interface DecisionRow {
  readonly answer: "yes" | "no";
  /** `all`: every open call of this answer; `one`: the call under the cursor. */
  readonly scope: "all" | "one";
  /** The tool of each marked call is allowed from then on. */
  readonly remember: boolean;
  /** The user is asked for a reason, which the model receives. */
  readonly asksReason: boolean;
  /** The name of its key in the option `keys`, and what it does there. */
  readonly option: string;
  readonly words: string;
}

/**
 * By the record that a decision leaves in a call's line, which names scope and memory rather than the key that was
 * pressed. Each record is also its default key.
 */
export const decisionRows = {
  ya: {
    answer: "yes",
    scope: "all",
    remember: false,
    asksReason: false,
    option: "approve_all",
    words: "approve all open calls, this time",
  },
  yA: {
    answer: "yes",
    scope: "all",
    remember: true,
    asksReason: false,
    option: "approve_always",
    words: "approve all open calls, and remember their tools",
  },
  yo: {
    answer: "yes",
    scope: "one",
    remember: false,
    asksReason: false,
    option: "approve_one",
    words: "approve this call, this time",
  },
  yO: {
    answer: "yes",
    scope: "one",
    remember: true,
    asksReason: false,
    option: "approve_always_one",
    words: "approve this call, and remember its tool",
  },
  yn: {
    answer: "no",
    scope: "one",
    remember: false,
    asksReason: true,
    option: "deny_one",
    words: "decline this call",
  },
  yN: {
    answer: "no",
    scope: "all",
    remember: false,
    asksReason: true,
    option: "deny_all",
    words: "decline all open calls",
  },
} as const satisfies Readonly<Record<string, DecisionRow>>;

/** A decision that a key makes. */
export type ApprovalKey = keyof typeof decisionRows;

/**
 * The record of what was decided about a proposed call, and by whom (format, section 4). `auto`: by a rule, or by
 * `parley run --approve`. `find`: no decision was needed, since the call runs nothing and only searches the list of
 * tools.
 */
export type Decision = ApprovalKey | "auto" | "find";

export const approvalKeys = Object.keys(decisionRows) as readonly ApprovalKey[];

/** The keys that decline. */
export type DecliningKey = {
  [Key in ApprovalKey]: (typeof decisionRows)[Key]["answer"] extends "no" ? Key : never;
}[ApprovalKey];

export const decliningKeys: readonly DecliningKey[] = approvalKeys.filter(isDeclining);

export function isDecision(word: string): word is Decision {
  return word === "auto" || word === "find" || Object.hasOwn(decisionRows, word);
}

export function isDeclining(key: ApprovalKey): key is DecliningKey {
  return decisionRows[key].answer === "no";
}

/** Whether the record says that the call was allowed. A record is never a permission (format, section 9). */
export function isYes(decision: Decision): boolean {
  return !isKey(decision) || decisionRows[decision].answer === "yes";
}

/** Whether a key of this record remembered the call's tool. */
export function isRemembering(decision: Decision | null): decision is ApprovalKey {
  return decision !== null && isKey(decision) && decisionRows[decision].remember;
}

function isKey(decision: Decision): decision is ApprovalKey {
  return Object.hasOwn(decisionRows, decision);
}
