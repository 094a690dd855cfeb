/** Streams the offline models' answers: in small pieces, with a pause before each. */
import { setImmediate, setTimeout } from "node:timers/promises";
import type { FinishReason, StreamPart, Usage } from "../../conversation/ports.ts";
import type { ToolCall } from "../../transcript/transcript.ts";
import { stopped } from "../stream/stream.ts";

export type MockPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thoughts"; readonly text: string }
  | { readonly type: "call"; readonly call: ToolCall };

export interface MockResponse {
  readonly parts: readonly MockPart[];
  readonly usage: Usage;
  /** How it ends; calls are only offered with `stop` and `tool-calls`, as with every provider. */
  readonly end: Extract<StreamPart, { type: "finish" | "error" }>;
}

export interface MockPace {
  /** Milliseconds before each piece. */
  readonly delayMs: number;
  /** Characters in each piece; null: one word. */
  readonly chunk: number | null;
}

export async function* streamMock(
  { parts, usage, end }: MockResponse,
  { delayMs, chunk }: MockPace,
  signal: AbortSignal,
): AsyncGenerator<StreamPart> {
  const keepsCalls = end.type === "finish" && offering.includes(end.reason);
  let count = 0;
  for (const part of parts) {
    if (part.type === "call" && !keepsCalls) continue;
    for (const piece of piecesOf(part, chunk)) {
      await pause(delayMs, count, signal);
      count += 1;
      if (signal.aborted) return yield { type: "error", failure: stopped };
      yield piece;
    }
  }
  // An empty answer can be stopped, too.
  await pause(parts.length === 0 ? delayMs : 0, count, signal);
  if (signal.aborted) return yield { type: "error", failure: stopped };
  yield { type: "usage", usage };
  yield end;
}

const offering: readonly FinishReason[] = ["stop", "tool-calls"];

function piecesOf(part: MockPart, chunk: number | null): readonly StreamPart[] {
  switch (part.type) {
    case "text":
      return split(part.text, chunk).map((text) => ({ type: "text-delta", text }));
    case "thoughts":
      return split(part.text, chunk).map((text) => ({ type: "reasoning-delta", text }));
    case "call": {
      const { name, arguments: json } = part.call;
      return [
        { type: "tool-input", name, bytes: Buffer.byteLength(json), arguments: json },
        { type: "tool-call", call: part.call },
      ];
    }
  }
}

function split(text: string, chunk: number | null): readonly string[] {
  if (chunk === null) return text.match(/\s*\S+\s*/g) ?? (text === "" ? [] : [text]);
  const characters = [...text];
  const pieces: string[] = [];
  for (let start = 0; start < characters.length; start += chunk) {
    pieces.push(characters.slice(start, start + chunk).join(""));
  }
  return pieces;
}

/** Even without a delay, yields to the event loop now and then, so that the user's keys are handled. */
async function pause(milliseconds: number, count: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  if (milliseconds > 0) {
    // An abort ends the pause early; the caller checks the signal.
    await setTimeout(milliseconds, undefined, { signal }).catch(() => {});
  } else if (count % 64 === 0) {
    await setImmediate();
  }
}

/** An invented but stable count: four characters per token. */
export function mockUsage(sent: unknown, parts: readonly MockPart[]): Usage {
  return {
    input: Math.ceil(JSON.stringify(sent).length / 4),
    output: Math.ceil(JSON.stringify(parts).length / 4),
  };
}
