/**
 * Thoughts that a server leaves in the text: `<think>…</think>` at its very beginning. Elsewhere it is text, since
 * an answer may be about the tag. Pure but for its own buffer.
 */
import type { StreamPart } from "../../conversation/ports.ts";

export interface ThinkSplitter {
  /** The parts of a piece of text; at most one tag's length is held back. */
  push(text: string): readonly StreamPart[];
  /** What was held back and turned out to be no tag. */
  end(): readonly StreamPart[];
}

const openings = ["<think>", "<thinking>", "<thought>", "<reasoning>"];

export function createThinkSplitter(): ThinkSplitter {
  /** `start`: nothing but white space yet; `thought`: after an opening tag; `after`: directly behind its end. */
  let state: "start" | "thought" | "after" | "text" = "start";
  let held = "";
  /** White space before what is held, which is looked at once: some answers are nothing else for a hundred thousand tokens. */
  let blanks = "";
  let closing = "";
  const step = (): readonly StreamPart[] | null => {
    switch (state) {
      case "start":
      case "after": {
        const trimmed = held.trimStart();
        // Blank lines between the thoughts and the answer are of neither.
        if (state === "start") blanks += held.slice(0, held.length - trimmed.length);
        held = trimmed;
        const opening = openings.find((tag) => held.startsWith(tag));
        if (opening !== undefined) {
          closing = opening.replace("<", "</");
          held = held.slice(opening.length).replace(/^\n/, "");
          blanks = "";
          state = "thought";
          return [];
        }
        if (openings.some((tag) => tag.startsWith(held))) return null;
        const text = blanks + held;
        state = "text";
        blanks = "";
        held = "";
        return partsOf("text-delta", text);
      }
      case "thought": {
        const end = held.indexOf(closing);
        const kept = end < 0 ? overlap(held, closing) : 0;
        const text = end < 0 ? held.slice(0, held.length - kept) : held.slice(0, end);
        held = end < 0 ? held.slice(held.length - kept) : held.slice(end + closing.length);
        if (end >= 0) state = "after";
        return end < 0 && text === "" ? null : partsOf("reasoning-delta", text);
      }
      case "text": {
        const text = held;
        held = "";
        return text === "" ? null : partsOf("text-delta", text);
      }
    }
  };
  return {
    push(text) {
      held += text;
      const parts: StreamPart[] = [];
      for (let found = step(); found !== null; found = step()) {
        parts.push(...found);
        if (held === "") break;
      }
      return parts;
    },
    end() {
      const text = blanks + held;
      blanks = "";
      held = "";
      return partsOf(state === "thought" ? "reasoning-delta" : "text-delta", text);
    },
  };
}

function partsOf(type: "text-delta" | "reasoning-delta", text: string): readonly StreamPart[] {
  return text === "" ? [] : [{ type, text }];
}

/** Length of the longest end of the text that is a beginning of the tag. */
function overlap(text: string, tag: string): number {
  for (let length = Math.min(text.length, tag.length - 1); length > 0; length -= 1) {
    if (tag.startsWith(text.slice(-length))) return length;
  }
  return 0;
}
