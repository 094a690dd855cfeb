/** Makes a key wait for the servers of its calls, and likewise a list opened by a key; the chat shows the wait. */
import type { OfferedTools } from "../../conversation/chat-tools.ts";
import type { ShownLine } from "../../conversation/decide/approval.ts";
import { decidableExchanges, openCalls } from "../../conversation/decide/next-step.ts";
import { serverMeant, unusableText } from "../../conversation/server-waits.ts";
import type { Chat } from "../../conversation/turn/chat.ts";
import { unlessAborted } from "../../shared/abort.ts";
import { type ApprovalKey, decisionRows } from "../../transcript/decisions.ts";
import type { Transcript } from "../../transcript/transcript.ts";

/** Milliseconds between two looks at a server that is starting. */
const lookMs = 250;
/** In milliseconds: when a wait is first drawn, and how often after that. */
const drawnAfterMs = 300;
const drawnEveryMs = 1000;

export interface AwaitedServers {
  /**
   * Why an approval of the calls that were on screen cannot be taken, as a sentence; null when it can. `stopped`: the
   * user stopped the key, which may still have been waiting for an earlier one.
   */
  forKey(key: KeyOnCalls, stopped: AbortSignal): Promise<string | null>;
  /** A key opened a list of calls whose servers were never started: asks about these servers, then starts them. */
  forList(): Promise<void>;
  /** Stops the waits for lists. False: nothing was waiting. */
  stop(): boolean;
}

export interface KeyOnCalls {
  readonly key: ApprovalKey;
  /** Line of the cursor, zero-based. */
  readonly line: number;
  readonly shown: readonly ShownLine[];
}

export interface AwaitingChat {
  readonly chat: Chat;
  /** Asks about servers that need approval. */
  agree(transcript: Transcript): Promise<void>;
  draw(): void;
}

export function createAwaitedServers({ chat, agree, draw }: AwaitingChat): AwaitedServers {
  const lists = new Set<AbortController>();

  /** Null: it was stopped. */
  const drawnMeanwhile = async <T>(wait: Promise<T>, stopped: AbortSignal): Promise<T | null> => {
    const soon = setTimeout(draw, drawnAfterMs);
    const ticks = setInterval(draw, drawnEveryMs);
    try {
      return await unlessAborted(wait, stopped);
    } finally {
      clearTimeout(soon);
      clearInterval(ticks);
    }
  };

  return {
    async forKey({ key, line, shown }, stopped) {
      const { answer, scope } = decisionRows[key];
      if (answer !== "yes" || chat.active !== null) return null;
      const { transcript } = await chat.read();
      const meant = shown.filter((one) => scope === "all" || one.line === line);
      const isMeant = (text: string) => meant.some((one) => one.text === text);
      const names = openNames(chat, transcript, isMeant);
      const offered = await drawnMeanwhile(started(chat, transcript, names, stopped), stopped);
      if (offered === null) return "Stopped; nothing was decided.";
      const missing = names.find((name) => !offered.tools.has(name));
      return missing === undefined ? null : unusableText(missing, offered.unlisted);
    },
    async forList() {
      const { transcript } = await chat.read();
      const names = openNames(chat, transcript, () => true);
      const stopper = new AbortController();
      lists.add(stopper);
      const agreed = agree(transcript).then(() => started(chat, transcript, names, stopper.signal));
      try {
        await drawnMeanwhile(agreed, stopper.signal);
      } finally {
        lists.delete(stopper);
      }
      draw();
    },
    stop() {
      const any = lists.size > 0;
      for (const stopper of lists) stopper.abort();
      return any;
    },
  };
}

/** The names of the open calls' tools, for calls whose line is meant. */
function openNames(
  chat: Chat,
  transcript: Transcript,
  isMeant: (text: string) => boolean,
): readonly string[] {
  return decidableExchanges(transcript, chat.session)
    .flatMap((exchange) => openCalls(transcript, exchange, chat.session))
    .flatMap(({ call: { call, lineText } }) =>
      call !== null && isMeant(lineText) ? [call.name] : [],
    );
}

/** The tools as soon as no server is starting that may offer tools with these names. */
async function started(
  { ports }: Chat,
  transcript: Transcript,
  names: readonly string[],
  signal: AbortSignal,
): Promise<OfferedTools> {
  for (;;) {
    const offered = await ports.tools.look(transcript);
    const missing = names.filter((name) => !offered.tools.has(name));
    const isStarting = (name: string) => serverMeant(name, offered.unlisted)?.state === "starting";
    if (signal.aborted || !missing.some(isStarting)) return offered;
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
}
