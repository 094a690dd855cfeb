/** Builds a request, and saves its text when that takes long. */
import { unlessAborted } from "../../shared/abort.ts";
import { within } from "../../shared/waiting.ts";
import type { Exchange, Transcript } from "../../transcript/transcript.ts";
import type { Failure } from "../ports.ts";
import { referencesToRead } from "../request/needed-files.ts";
import type { Chat, PreparedRequest, PrepareOptions, TurnEnd } from "./chat.ts";
import { saveBefore } from "./save-before.ts";

/** Where the new step goes. */
export type AskMode = "begin" | "continue" | "restart" | "replace" | "retry-last";

/** How the model is asked. */
export interface AskOptions {
  /** Whether the text is saved before anything is sent; `try`: a file that cannot be written does not prevent it. */
  readonly saves: "done" | "must" | "try";
  readonly signal: AbortSignal;
}

/** Milliseconds that building the request may take before its text is saved separately. */
const soonMs = 4;

/**
 * Builds the request; `failed` is null when it was stopped. If that takes long, the text is saved meanwhile, and before
 * a failure is handled; else it is saved when the answer is opened.
 */
export async function makeRequest(
  chat: Chat,
  mode: AskMode,
  {
    transcript,
    exchange,
    how,
  }: { readonly transcript: Transcript; readonly exchange: Exchange; readonly how: AskOptions },
): Promise<
  | { readonly prepared: PreparedRequest }
  | { readonly failed: Failure | null }
  | { readonly end: TurnEnd }
> {
  const inVain = new AbortController();
  const signal = AbortSignal.any([how.signal, inVain.signal]);
  const sent = sentOf(exchange, mode);
  const prepare = () =>
    chat.ports.prepare(transcript, exchange, {
      ...sent,
      signal,
      waiting: (text) => {
        // A stopped request is no longer awaited, though its servers may go on starting.
        if (!signal.aborted) chat.setPhase({ type: "preparing", text });
      },
    });
  // Files that a question names are read, and copied next to the chat, once its text is in the file.
  const isAhead = how.saves === "done" || referencesToRead(exchange, sent).length === 0;
  const preparing = isAhead ? prepare() : null;
  if (preparing !== null) {
    const prepared = await within(unlessAborted(preparing, how.signal), soonMs);
    if (prepared !== null && !("kind" in prepared)) return { prepared };
  }
  const unsaved = await saveForRequest(chat, how);
  if (unsaved !== null) {
    inVain.abort();
    return { end: unsaved };
  }
  const prepared = await unlessAborted(preparing ?? prepare(), how.signal);
  return prepared === null || "kind" in prepared ? { failed: prepared } : { prepared };
}

/** Saves the text that a request is built from. Returns how the turn ends when a required save fails, else null. */
export async function saveForRequest(chat: Chat, how: AskOptions): Promise<TurnEnd | null> {
  if (how.saves === "done") return null;
  return unlessTried(await saveBefore(chat, { quick: true }), how);
}

/** The end of a save; a file that cannot be written is ignored where saving is only tried. */
export function unlessTried(end: TurnEnd | null, { saves }: AskOptions): TurnEnd | null {
  return saves === "try" && end?.type === "unsaved" ? null : end;
}

/** The existing steps that are part of the request; `fresh`: the question gets a new answer. */
function sentOf(exchange: Exchange, mode: AskMode): Pick<PrepareOptions, "fresh" | "steps"> {
  const fresh = mode === "begin" || mode === "replace";
  if (mode === "replace") return { fresh, steps: 0 };
  if (mode !== "retry-last") return { fresh };
  return { fresh, steps: Math.max(0, (exchange.answer?.steps.length ?? 0) - 1) };
}
