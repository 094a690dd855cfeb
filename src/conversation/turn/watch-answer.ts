/**
 * What is watched while an answer streams: whether its place still exists, whether the model sends anything, and what
 * it is doing.
 */

import { sizeText } from "../../shared/counted.ts";
import { markerAt } from "../../transcript/markers.ts";
import { anchoredExchange } from "../decide/session.ts";
import type { Splice, StreamTip } from "../editor.ts";
import type { StreamPart } from "../ports.ts";
import type { Chat } from "./chat.ts";

/**
 * Calls `onLost` at once when the answer's first line, its tip or its mark is gone, even while the model is silent
 * (format, section 11). Returns a function that ends the watch.
 */
export function watchPlace(chat: Chat, tip: StreamTip, onLost: () => void): () => void {
  let isOver = false;
  const forget = chat.ports.editor.onSplice((splice) => {
    if (!mayTakeAway(splice)) return;
    hasPlace(chat, tip).then(
      (stands) => {
        if (!stands && !isOver) onLost();
      },
      // A buffer that is gone cannot be queried; the next write reports it.
      () => {},
    );
  });
  return () => {
    isOver = true;
    forget();
  };
}

/** Writing an answer removes no lines and begins no turn, so its own changes cost nothing here. */
function mayTakeAway({ start, end, lines }: Splice): boolean {
  if (lines.length < end - start) return true;
  return lines.some((line) => {
    const name = markerAt(line)?.name;
    return name === "question" || name === "answer";
  });
}

async function hasPlace(chat: Chat, tip: StreamTip): Promise<boolean> {
  if ((await tip.line()) === null) return false;
  const { transcript } = await chat.read();
  const exchange = anchoredExchange(transcript, chat.session.turn?.exchange);
  // A question whose line is being retyped is not found for a moment; its answer continues meanwhile.
  return exchange === null || exchange.answer?.unfinished != null;
}

/** Milliseconds of silence before the first report, and between further reports. */
const silentMs = 10_000;
const againMs = 5_000;
const lookMs = 1_000;

interface SilenceReport {
  /** Something arrived. */
  heard(): void;
  end(): void;
}

/**
 * Reports the seconds of silence so far, and null when it is over: the model thinks silently, the connection is dead,
 * or the machine slept. The clock goes on while it sleeps.
 */
export function reportSilence(report: (seconds: number | null) => void): SilenceReport {
  let last = Date.now();
  let reported: number | null = null;
  const timer = setInterval(() => {
    const silent = Date.now() - last;
    if (silent < silentMs || (reported !== null && silent - reported < againMs)) return;
    reported = silent;
    report(Math.round(silent / 1000));
  }, lookMs);
  timer.unref();
  return {
    heard() {
      last = Date.now();
      if (reported !== null) report(null);
      reported = null;
    },
    end: () => clearInterval(timer),
  };
}

/** A call that is being written is reported again after this many milliseconds: its size grows with every part. */
const sizeMs = 500;

/** Null for parts that do not show it. */
function doingOf(part: StreamPart): string | null {
  switch (part.type) {
    case "reasoning-delta":
      return "thinking";
    case "text-delta":
      return "";
    case "tool-input":
      return `writing ${part.name}`;
    case "tool-call":
      return `writing ${part.call.name}`;
    default:
      return null;
  }
}

/** The phase of a request that was sent and has no response yet. */
export function sentPhase(label: string): Extract<Chat["phase"], { readonly type: "streaming" }> {
  return { type: "streaming", text: label, doing: "waiting", since: Date.now() };
}

/** Reports what this part of a response shows to be going on. Parts that continue the same cost nothing. */
export function followProgress(chat: Chat, part: StreamPart): void {
  const { phase } = chat;
  const doing = doingOf(part);
  if (phase.type !== "streaming" || doing === null) return;
  const isSame = phase.doing === doing || phase.doing.startsWith(`${doing} (`);
  const isLonger = part.type === "tool-input" && Date.now() - phase.since >= sizeMs;
  if (isSame && !isLonger) return;
  const size = part.type === "tool-input" ? ` (${sizeText(part.bytes)})` : "";
  chat.setPhase({ ...phase, doing: `${doing}${size}`, since: Date.now() });
}
