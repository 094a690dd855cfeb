/** What may be spent without asking, and what was spent. */

/** By the names of the options; null: no limit. Costs are in US dollars. */
export interface BudgetLimits {
  readonly max_cost: number | null;
  readonly max_cost_per_day: number | null;
  readonly max_input_tokens: number | null;
  readonly max_input_tokens_per_day: number | null;
  /** Tokens of one text that a question refers to. */
  readonly large_reference: number;
}

export type BudgetName = keyof BudgetLimits;

/** By all chats of this machine since midnight, as far as prices are known. */
export interface SpentToday {
  readonly cost: number;
  readonly input: number;
}

export interface BudgetPort {
  limits(): BudgetLimits;
  today(): Promise<SpentToday>;
}

/** The multiple of each limit that the user has allowed. */
export type Allowed = Map<BudgetName, number>;

/** Limits that start again with each answer. */
export const limitsOfAnswer: readonly BudgetName[] = ["max_cost", "max_input_tokens"];
