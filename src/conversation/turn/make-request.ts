/** What a request is made from, put together while the editor writes the file. */
import { unlessAborted } from "../../shared/abort.ts";
import { given } from "../../shared/given.ts";
import type { Exchange, Transcript } from "../../transcript/transcript.ts";
import type { Failure } from "../ports.ts";
import { referencesToRead } from "../request/needed-files.ts";
import type { Chat, PreparedRequest, PrepareOptions, TurnEnd } from "./chat.ts";
import { saveBefore } from "./save-before.ts";

/** Where the new step goes. */
export type AskMode = "begin" | "continue" | "restart" | "replace" | "retry-last";

/** How the model is asked. */
export interface AskHow {
  /** Whether the text is saved before anything leaves; `try`: a file that cannot be written is no hindrance. */
  readonly saves: "done" | "must" | "try";
  readonly signal: AbortSignal;
}

/** Makes the request while the editor writes the file. `prepared` is null when it was stopped. */
export async function makeRequest(
  chat: Chat,
  mode: AskMode,
  {
    transcript,
    exchange,
    how,
  }: { readonly transcript: Transcript; readonly exchange: Exchange; readonly how: AskHow },
): Promise<{ readonly end: TurnEnd } | { readonly prepared: PreparedRequest | Failure | null }> {
  const inVain = new AbortController();
  const sent = sentOf(exchange, mode);
  let preparing: Promise<PreparedRequest | Failure> | null = null;
  const prepare = () => {
    preparing ??= chat.ports.prepare(transcript, exchange, {
      ...sent,
      signal: AbortSignal.any([how.signal, inVain.signal]),
      waiting: (text) => chat.setPhase({ type: "preparing", text }),
    });
    // Nobody waits for it where the text could not be saved.
    preparing.catch(() => {});
    return preparing;
  };
  if (how.saves !== "done") {
    // What a question names is read, and copied beside the chat, once its text is in the file.
    const work = referencesToRead(exchange, sent).length > 0 ? null : prepare;
    const unsaved = await saveBefore(chat, { quick: true, ...given({ work }) });
    if (unsaved !== null && !(how.saves === "try" && unsaved.type === "unsaved")) {
      inVain.abort();
      return { end: unsaved };
    }
  }
  return { prepared: await unlessAborted(prepare(), how.signal) };
}

/** Of the steps that stand there, those that are part of the request; `fresh`: the question is answered anew. */
function sentOf(exchange: Exchange, mode: AskMode): Pick<PrepareOptions, "fresh" | "steps"> {
  const fresh = mode === "begin" || mode === "replace";
  if (mode === "replace") return { fresh, steps: 0 };
  if (mode !== "retry-last") return { fresh };
  return { fresh, steps: Math.max(0, (exchange.answer?.steps.length ?? 0) - 1) };
}
