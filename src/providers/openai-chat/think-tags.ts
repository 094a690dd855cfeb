/**
 * Thoughts that a server leaves in the text: `<think>…</think>` at its very beginning. Elsewhere it is text, since
 * an answer may be about the tag. Some templates write the opening tag into the prompt, and the text has the closing
 * one alone: that is seen too late for the answer at hand. Pure but for its own buffer.
 */
import type { StreamPart } from "../../conversation/ports.ts";

const openings = ["<think>", "<thinking>", "<thought>", "<reasoning>"];
const usualClosing = "</think>";

/** Splits one text, piece by piece. */
export class ThinkSplitter {
  /** `start`: nothing but white space yet; `thought`: after an opening tag; `after`: directly behind its end. */
  #state: "start" | "thought" | "after" | "text" = "start";
  #held = "";
  /** White space before what is held, which is looked at once: some answers are nothing else for a hundred thousand tokens. */
  #blanks = "";
  #closing = usualClosing;
  /** What comes next may be the line end of the opening tag. */
  #isBehindOpening = false;
  /** Null: thoughts with a beginning and an end came, so another end is of none. */
  #stray: ClosingWatch | null = new ClosingWatch();
  /** What was taken for thoughts without an opening tag, as long as they did not end; null: nothing was. */
  unended: string | null = null;

  /** The text begins within a thought, with an opening tag or without. Counts until it has begun. */
  beginsInThought: boolean;

  constructor(beginsInThought: boolean) {
    this.beginsInThought = beginsInThought;
  }

  /** A closing tag had a line to itself, without an opening one. */
  get hasUnbegun(): boolean {
    return this.#stray?.isSeen ?? false;
  }

  /** The parts of a piece of text; at most one tag's length is held back. */
  push(text: string): readonly StreamPart[] {
    this.#held += text;
    const parts: StreamPart[] = [];
    for (let found = this.#step(); found !== null; found = this.#step()) {
      parts.push(...found);
      if (this.#held === "") break;
    }
    return parts;
  }

  /** What was held back and turned out to be no tag. */
  end(): readonly StreamPart[] {
    const text = this.#blanks + this.#held;
    this.#blanks = "";
    this.#held = "";
    return this.#state === "thought" ? this.#thought(text) : partsOf("text-delta", text);
  }

  /** Null: more is needed. */
  #step(): readonly StreamPart[] | null {
    switch (this.#state) {
      case "start":
      case "after":
        return this.#begin();
      case "thought":
        return this.#goOnThinking();
      case "text":
        return this.#held === "" ? null : this.#text();
    }
  }

  #begin(): readonly StreamPart[] | null {
    const trimmed = this.#held.trimStart();
    // Blank lines between the thoughts and the answer are of neither.
    if (this.#state === "start") {
      this.#blanks += this.#held.slice(0, this.#held.length - trimmed.length);
    }
    this.#held = trimmed;
    const opening = openings.find((tag) => trimmed.startsWith(tag));
    if (opening === undefined && openings.some((tag) => tag.startsWith(trimmed))) return null;
    const isUnopened = opening === undefined && this.#state === "start" && this.beginsInThought;
    if (opening === undefined && !isUnopened) return this.#text();
    if (opening === undefined) {
      this.unended = "";
    } else {
      this.#closing = opening.replace("<", "</");
      this.#held = trimmed.slice(opening.length);
      this.#isBehindOpening = true;
    }
    this.#blanks = "";
    this.#state = "thought";
    return [];
  }

  #goOnThinking(): readonly StreamPart[] | null {
    if (this.#isBehindOpening && this.#held !== "") {
      this.#held = this.#held.replace(/^\n/, "");
      this.#isBehindOpening = false;
    }
    const held = this.#held;
    const end = held.indexOf(this.#closing);
    if (end < 0) {
      const kept = overlap(held, this.#closing);
      this.#held = held.slice(held.length - kept);
      const text = held.slice(0, held.length - kept);
      return text === "" ? null : this.#thought(text);
    }
    this.#held = held.slice(end + this.#closing.length);
    this.#state = "after";
    this.#stray = null;
    this.unended = null;
    return partsOf("reasoning-delta", held.slice(0, end));
  }

  #thought(text: string): readonly StreamPart[] {
    if (this.unended !== null) this.unended += text;
    return partsOf("reasoning-delta", text);
  }

  #text(): readonly StreamPart[] {
    const text = this.#blanks + this.#held;
    this.#state = "text";
    this.#blanks = "";
    this.#held = "";
    this.#stray?.see(text);
    return partsOf("text-delta", text);
  }
}

/** Longer than what is looked for, which may come in pieces. */
const recentLength = 16;
const mayMatter = /[<`]/;

/** Looks for a closing tag that has a line to itself, in text that has no opening one and no code. */
class ClosingWatch {
  isSeen = false;
  #recent = "\n";
  #isAboutTags = false;

  see(text: string): void {
    if (this.#isAboutTags || this.isSeen || text === "") return;
    // Most text has neither, and this runs for each delta: of it only a line end at its end can matter.
    if (!mayMatter.test(text) && !mayMatter.test(this.#recent)) {
      this.#recent = text.slice(-1);
      return;
    }
    const window = this.#recent + text;
    const closing = window.search(/\n<\/think>[ \t]*\n/);
    const before = closing < 0 ? window : window.slice(0, closing);
    this.#isAboutTags = [...openings, "```"].some((tag) => before.includes(tag));
    this.isSeen = !this.#isAboutTags && closing >= 0;
    this.#recent = window.slice(-recentLength);
  }
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
