/**
 * What an approval key does: it decides calls as they were on screen, or is refused with a sentence (format, sections 4
 * and 9).
 */

import { counted } from "../../shared/counted.ts";
import { visible } from "../../shared/visible.ts";
import { type ApprovalKey, decisionRows, isDeclining, isYes } from "../../transcript/decisions.ts";
import { decideCalls, declineCalls } from "../../transcript/edits/call-edits.ts";
import { applyEdits } from "../../transcript/edits/layout.ts";
import { parseLines } from "../../transcript/parse.ts";
import type { CallBlock, Edit, Exchange, Transcript } from "../../transcript/transcript.ts";
import type { OfferedTools } from "../chat-tools.ts";
import { type OwnKeys, pressFor } from "../keys.ts";
import type { Tool } from "../ports.ts";
import {
  isDecidable,
  isSettled,
  lastCalls,
  needsOwnLine,
  noPlans,
  type OpenCall,
  openCalls,
  type Plans,
} from "./next-step.ts";
import { toolIdentity } from "./remembered.ts";
import {
  type Anchor,
  exchangeAtLine,
  type Session,
  type TrackedCall,
  trackedAt,
} from "./session.ts";

export interface ShownLine extends Anchor {
  /** The tool that was shown with it, by `toolIdentity`; empty: no tool was known. */
  readonly tool: string;
  /** The hash of the plan that was shown with it; empty: no plan was. */
  readonly effect: string;
}

/** One press of a key, with what was on screen at that moment. */
export interface KeyPress {
  readonly key: ApprovalKey;
  /** Zero-based. */
  readonly cursorLine: number;
  /** The call under the cursor (for a key of scope `all`, every open call line of the answer), with exact texts. */
  readonly shown: readonly ShownLine[];
  /** Why the user declines, in one line; null when no reason was given. */
  readonly reason: string | null;
  /** The user's keys, for sentences that name one. */
  readonly keys: OwnKeys;
}

export type KeyOutcome =
  | { readonly type: "refused"; readonly message: string }
  | {
      readonly type: "decided";
      readonly edits: readonly Edit[];
      /** The text as the edits leave it, if it was parsed. */
      readonly written: Transcript | null;
      /** The calls as they were before the edits. */
      readonly decided: readonly CallBlock[];
      /** For an approval: the lines as they are after the edits; pass them to `grant` once the edits are applied. */
      readonly grants: readonly Anchor[];
      /** Sentences about calls that were skipped or cannot be remembered. */
      readonly notices: readonly string[];
    };

/** Decides the calls that the key applies to; returns edits and applies nothing. */
export function applyKey(
  transcript: Transcript,
  exchange: Exchange,
  session: Session,
  press: KeyPress,
  { tools, plans }: Pick<OfferedTools, "tools"> & { readonly plans: Plans },
): KeyOutcome {
  const { key, reason, keys } = press;
  const open = openCalls(transcript, exchange, session);
  const target = open.find(({ call }) => call.line === press.cursorLine);
  if (target === undefined) return refused(notOpen(transcript, exchange, session, press));
  if (!isAsShown(open, target, press)) {
    return refused(
      `The calls have changed since they were shown, so nothing was decided. Look at them, then press the key again.`,
    );
  }
  const chosen = choose(open, target, press);
  if (typeof chosen === "string") return refused(chosen);
  const other = isDeclining(key) ? undefined : chosen.find(isOther(press, tools));
  if (other !== undefined) return refused(otherTool(other));
  const moved = isDeclining(key) ? undefined : chosen.find(isOtherEffect(press, plans));
  if (moved !== undefined) return refused(otherEffect(moved));

  const edits = isDeclining(key)
    ? declineCalls(transcript, chosen, key, reason)
    : decideCalls(transcript, chosen, key);
  const written = isDeclining(key) ? null : afterEdits(transcript, exchange, edits);
  const grants = written === null ? [] : grantsOf(exchange, written.calls, chosen);
  if (grants === null) {
    return refused(
      `A decision on this line would not read back as ${key}, so nothing was changed. Rewrite the line as one call, or decline it with ${pressFor(keys, "deny_one")}.`,
    );
  }
  const notices = [...passedOver(open, chosen, press), ...notRemembered(chosen, key, tools)];
  const text = written?.transcript ?? null;
  return { type: "decided", edits, written: text, decided: chosen, grants, notices };
}

function refused(message: string): KeyOutcome {
  return { type: "refused", message };
}

/**
 * A key applies to what was on screen: the line, or for a bulk key exactly that list of open lines (format, section 9).
 */
function isAsShown(open: readonly OpenCall[], target: OpenCall, press: KeyPress): boolean {
  const matches = ({ call }: OpenCall) =>
    press.shown.some(({ line, text }) => line === call.line && text === call.lineText);
  if (decisionRows[press.key].scope === "one") return matches(target);
  return open.length === press.shown.length && open.every(matches);
}

/** Whether the tool to approve differs from the one on screen, or none was on screen. */
function isOther({ shown }: KeyPress, tools: OfferedTools["tools"]): (block: CallBlock) => boolean {
  return ({ line, call }) => {
    const seen = shown.find((one) => one.line === line)?.tool ?? "";
    return seen !== toolIdentity(tools.get(call?.name ?? ""));
  };
}

/** Whether the effect to approve differs from the one on screen: a file may have changed since it was drawn. */
function isOtherEffect({ shown }: KeyPress, plans: Plans): (block: CallBlock) => boolean {
  return ({ line }) =>
    (shown.find((one) => one.line === line)?.effect ?? "") !== (plans.get(line)?.hash ?? "");
}

function otherEffect({ call }: CallBlock): string {
  const name = visible(call?.name ?? "");
  return `What ${name} would do has changed since it was shown, so nothing was decided. Look at it, then press the key again.`;
}

function otherTool({ call }: CallBlock): string {
  const name = visible(call?.name ?? "");
  return `The tool ${name} is not the one that was shown, so nothing was decided. Look at it, then press the key again.`;
}

/** The calls that the key decides, or why it decides none. */
function choose(
  open: readonly OpenCall[],
  target: OpenCall,
  { key, keys }: KeyPress,
): readonly CallBlock[] | string {
  const { answer, scope } = decisionRows[key];
  if (scope === "one") {
    if (answer === "yes" && target.call.broken !== null) {
      return `${target.call.broken} So nothing was decided: repair the line, or decline it with ${pressFor(keys, "deny_one")}.`;
    }
    return [target.call];
  }
  // A denial also reaches a repaired call but, like every decision about one, only from that call's own line.
  const chosen = open.filter(
    ({ call }) =>
      !needsOwnLine(call) ||
      (call.broken === null && answer === "no" && call.line === target.call.line),
  );
  if (chosen.length > 0) return chosen.map(({ call }) => call);
  return `Keys for all calls skip lines that cannot be read and calls that were repaired, and no other call is open. Decide each on its own line with ${ownLineKeys(keys)}.`;
}

/** The lines of the approvals after the edits; null when one would not read back as written. */
export function grantsOf(
  exchange: Exchange,
  after: readonly CallBlock[],
  decided: readonly CallBlock[],
): readonly Anchor[] | null {
  const before = lastCalls(exchange);
  const grants = before.flatMap((call, index) => {
    const written = after[index];
    if (!decided.includes(call)) return [];
    const isSame = written?.json === call.json && written.broken === null;
    if (!isSame || written.decision === null || !isYes(written.decision)) return [];
    return [{ line: written.line, text: written.lineText }];
  });
  return grants.length === decided.length && after.length === before.length ? grants : null;
}

function passedOver(
  open: readonly OpenCall[],
  chosen: readonly CallBlock[],
  { key, keys }: KeyPress,
): readonly string[] {
  const left = open.length - chosen.length;
  if (decisionRows[key].scope === "one" || left === 0) return [];
  return [
    `${counted(left, "call was", "calls were")} skipped: decide a call that was repaired or cannot be read on its own line, with ${ownLineKeys(keys)}.`,
  ];
}

function ownLineKeys(keys: OwnKeys): string {
  return `${pressFor(keys, "approve_one")} or ${pressFor(keys, "deny_one")}`;
}

function notRemembered(
  chosen: readonly CallBlock[],
  key: ApprovalKey,
  tools: ReadonlyMap<string, Tool>,
): readonly string[] {
  if (!decisionRows[key].remember) return [];
  const names = chosen.flatMap(({ call }) =>
    call === null || tools.has(call.name) ? [] : [call.name],
  );
  return [...new Set(names)].map(
    (name) =>
      `The tool ${JSON.stringify(name)} is not offered in this chat, so it is not remembered.`,
  );
}

/** Why the line under the cursor cannot be decided now. */
function notOpen(
  transcript: Transcript,
  exchange: Exchange,
  session: Session,
  { cursorLine, keys }: KeyPress,
): string {
  const calls = exchange.answer?.steps.flatMap((step) => step.calls) ?? [];
  const call = calls.find(({ line }) => line === cursorLine);
  if (call === undefined) return `There is no open call on this line; nothing was decided.`;
  if (isSettled(call)) return `This call already has its result; nothing was changed.`;
  if (exchange.answer?.unfinished) {
    return `The answer is not finished, so nothing was decided. Wait until it ends, or press ${pressFor(keys, "respond")} to ask for it again.`;
  }
  if (!isDecidable(transcript, exchange, session)) {
    return `Only calls of the last answer can be decided; nothing was changed. Press ${pressFor(keys, "respond")} here to ask this question again.`;
  }
  switch (trackedAt(session, call)?.state) {
    case "running":
      return `This call is running; nothing was changed. ${pressFor(keys, "stop")} stops it.`;
    case "approved":
      return `This call is already decided; nothing was changed. Undo (u) takes the decision back.`;
    default:
      return `This call does not wait for a decision; nothing was changed.`;
  }
}

/** Returns the text after the edits of an exchange, and the calls of the exchange's last step with calls. */
export function afterEdits(
  transcript: Transcript,
  exchange: Exchange,
  edits: readonly Edit[],
): { readonly transcript: Transcript; readonly calls: readonly CallBlock[] } {
  const after = parseLines(applyEdits(transcript.lines, edits), transcript);
  const same = after.exchanges[exchange.index];
  return { transcript: after, calls: same === undefined ? [] : lastCalls(same) };
}

/**
 * Returns the session in which the calls at `grants` may start. `transcript` is the text read after the edits that
 * recorded the decisions were applied. A line that is no longer as it was decided is not granted: its call is then
 * shown as interrupted and waits for a key. `tools` and `plans` are those that were on screen; plans are keyed by the
 * lines of this text.
 */
export function grant(
  session: Session,
  transcript: Transcript,
  grants: readonly Anchor[],
  tools: ReadonlyMap<string, Tool>,
  plans: Plans = noPlans,
): Session {
  const lines = grants.flatMap((wanted) => {
    const line = findLine(transcript, wanted);
    return line === null ? [] : [line];
  });
  const approved = lines.map((line): TrackedCall => {
    const text = transcript.lines[line] ?? "";
    const exchange = exchangeAtLine(transcript, line);
    const block = exchange && lastCalls(exchange).find((call) => call.line === line);
    const plan = plans.get(line);
    return {
      line,
      text,
      state: "approved",
      tool: toolIdentity(tools.get(block?.call?.name ?? "")),
      effect: plan?.hash ?? "",
      isAlone: plan?.changes ?? false,
    };
  });
  const kept = session.calls.filter(({ line }) => !lines.includes(line));
  const texts = approved.map(({ text }) => text);
  const others = (known: readonly string[]) => known.filter((text) => !texts.includes(text));
  const [unstarted, unsaved] = [others(session.unstarted), others(session.unsaved)];
  return { ...session, unstarted, unsaved, calls: [...kept, ...approved] };
}

/** The user may have typed above since the edits: the same text elsewhere is the same call if it occurs there once. */
function findLine(transcript: Transcript, { line, text }: Anchor): number | null {
  if (transcript.lines[line] === text) return line;
  const found = transcript.lines.indexOf(text);
  return found >= 0 && transcript.lines.indexOf(text, found + 1) < 0 ? found : null;
}
