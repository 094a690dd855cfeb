/** What the calls of a batch would do, one after the other, before anybody decides them. */

import { isYes } from "../../transcript/decisions.ts";
import type { CallBlock, Exchange, ToolCall } from "../../transcript/transcript.ts";
import type { CallPlan } from "../ports.ts";
import type { Session } from "./session.ts";

/** By the line of the call; calls whose effect nobody can know are missing. */
export type Plans = ReadonlyMap<number, CallPlan>;

export const noPlans: Plans = new Map();

/** What each of these calls would do after those before it; null: nobody can know. */
export type PlanCalls = (calls: readonly ToolCall[]) => Promise<readonly (CallPlan | null)[]>;

/** Plans what is still to be done of the last step with calls: those without a result that nobody declined. */
export async function planBatch(exchange: Exchange, plan: PlanCalls): Promise<Plans> {
  const waiting = lastCalls(exchange).flatMap((block) => {
    const isOver = block.result !== null || block.source === "legacy" || block.broken !== null;
    const isNo = block.decision !== null && !isYes(block.decision);
    return isOver || isNo || block.call === null ? [] : [{ line: block.line, call: block.call }];
  });
  if (waiting.length === 0) return noPlans;
  const plans = await plan(waiting.map(({ call }) => call));
  const found = waiting.map(({ line }, index): [number, CallPlan | null] => [
    line,
    plans[index] ?? null,
  ]);
  return new Map(found.filter((entry): entry is [number, CallPlan] => entry[1] !== null));
}

export function lastCalls({ answer }: Exchange): readonly CallBlock[] {
  return answer?.steps.findLast(({ calls }) => calls.length > 0)?.calls ?? [];
}

/**
 * Of approved calls, those that may start now. What changes something runs alone: after all calls above it have
 * ended, and before any below it starts; so what was planned in order is done in order. All others run together.
 */
export function startable(calls: readonly CallBlock[], session: Session): readonly CallBlock[] {
  const found: CallBlock[] = [];
  let isAnyBefore = false;
  for (const block of calls) {
    if (block.result !== null || block.source === "legacy") continue;
    const tracked = session.calls.find(
      ({ line, text }) => line === block.line && text === block.lineText,
    );
    const isAlone = tracked?.isAlone ?? false;
    if (isAlone && isAnyBefore) break;
    if (tracked?.state === "approved") found.push(block);
    if (isAlone) break;
    isAnyBefore = true;
  }
  return found;
}
