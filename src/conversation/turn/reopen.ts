/** Approved calls that would do something else by now: their approval is void, and they are open again. */
import { visible } from "../../shared/visible.ts";
import { markCallLine } from "../../transcript/call-line.ts";
import { reopenCalls } from "../../transcript/edits/call-edits.ts";
import type { CallBlock } from "../../transcript/transcript.ts";
import { lastCalls, type Plans, planBatch } from "../decide/plans.ts";
import { exchangeAtLine, type TrackedCall } from "../decide/session.ts";
import type { Chat } from "./chat.ts";

/** Whether an approved call is no longer what was approved. */
export type IsChanged = (block: CallBlock, tracked: TrackedCall, plans: Plans) => boolean;

/** What would be done is what was shown, and nothing else. */
export const hasOtherEffect: IsChanged = ({ line }, { effect }, plans) =>
  effect !== (plans.get(line)?.hash ?? "");

/**
 * Takes back the decisions of the approved calls of the exchange at the line that changed, and gives those calls.
 * They then wait for a key, and are shown as changed.
 */
export async function reopenChanged(
  chat: Chat,
  line: number,
  isChanged: IsChanged,
): Promise<readonly CallBlock[]> {
  const done = await chat.edit(chat.newUndoGroup(), async (transcript) => {
    const exchange = exchangeAtLine(transcript, line);
    if (exchange === null) return null;
    const approved = lastCalls(exchange).flatMap((block) => {
      const tracked = chat.session.calls.find((one) => isOf(block, one));
      return tracked?.state === "approved" ? [{ block, tracked }] : [];
    });
    if (approved.length === 0) return null;
    const plans = await planBatch(exchange, chat.ports.tools.plans);
    const changed = approved
      .filter(({ block, tracked }) => isChanged(block, tracked, plans))
      .map(({ block }) => block);
    return { edits: reopenCalls(transcript, changed), changed };
  });
  const changed = done?.changed ?? [];
  if (changed.length === 0) return [];
  const { transcript } = await chat.read();
  const reopened = changed.flatMap((block): TrackedCall[] => {
    const text = markCallLine(block.lineText, null);
    if (transcript.lines[block.line] !== text) return [];
    return [{ line: block.line, text, state: "reopened", tool: "", effect: "", isAlone: false }];
  });
  const isNew = ({ line: at }: TrackedCall) => !reopened.some((one) => one.line === at);
  chat.session = { ...chat.session, calls: [...chat.session.calls.filter(isNew), ...reopened] };
  return changed;
}

function isOf(block: CallBlock, tracked: TrackedCall): boolean {
  return tracked.line === block.line && tracked.text === block.lineText;
}

/** The calls by their names and lines, for a sentence. */
export function namesOf(blocks: readonly CallBlock[]): string {
  return blocks
    .map(({ call, line }) => `${visible(call?.name ?? "the call")} in line ${line + 1}`)
    .join(", ");
}
