/**
 * Separates thoughts that a server leaves in the text: `<think>…</think>` at its very beginning. Anywhere else the tag
 * is text, since an answer may be about it. Some chat templates put the opening tag into the prompt, so the text has
 * only the closing one, which comes too late for the current answer. Pure except for its own buffer.
 */
import type { StreamPart } from "../../conversation/ports.ts";

const openings = ["<think>", "<thinking>", "<thought>", "<reasoning>"];
const usualClosing = "</think>";

/** Splits one text that arrives in pieces. */
export class ThinkSplitter {
  /** `start`: only white space so far; `thought`: after an opening tag; `after`: right after the closing tag. */
  #state: "start" | "thought" | "after" | "text" = "start";
  #held = "";
  /** White space before `#held`, which is examined only once: some answers are a hundred thousand tokens of it. */
  #blanks = "";
  #closing = usualClosing;
  /** The next character may be the line end of the opening tag. */
  #isBehindOpening = false;
  /** Null once thoughts with both tags were seen: a later closing tag is just text. */
  #stray: ClosingWatch | null = new ClosingWatch();
  /** The thoughts so far that began without an opening tag, until they end; null if there are none. */
  unended: string | null = null;

  /** The text begins inside a thought, with or without an opening tag. Only used until the text begins. */
  beginsInThought: boolean;

  constructor(beginsInThought: boolean) {
    this.beginsInThought = beginsInThought;
  }

  /** Whether a closing tag was alone on a line, without an opening one. */
  get hasUnbegun(): boolean {
    return this.#stray?.isSeen ?? false;
  }

  /** Returns the parts of a piece of text; holds back at most the length of one tag. */
  push(text: string): readonly StreamPart[] {
    this.#held += text;
    const parts: StreamPart[] = [];
    for (let found = this.#step(); found !== null; found = this.#step()) {
      parts.push(...found);
      if (this.#held === "") break;
    }
    return parts;
  }

  /** Returns the text that was held back and is not a tag. */
  end(): readonly StreamPart[] {
    const text = this.#blanks + this.#held;
    this.#blanks = "";
    this.#held = "";
    return this.#state === "thought" ? this.#thought(text) : partsOf("text-delta", text);
  }

  /** Null if more text is needed. */
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
    // Blank lines between the thoughts and the answer belong to neither.
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

/** Longer than the searched tag, which may arrive in pieces. */
const recentLength = 16;
const mayMatter = /[<`]/;

/** Searches for a closing tag alone on a line, in text without an opening tag and without code. */
class ClosingWatch {
  isSeen = false;
  #recent = "\n";
  #isAboutTags = false;

  see(text: string): void {
    if (this.#isAboutTags || this.isSeen || text === "") return;
    // This runs for each delta, and most text has no such character: then only a final line end matters.
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

/** Length of the longest suffix of the text that is a prefix of the tag. */
function overlap(text: string, tag: string): number {
  for (let length = Math.min(text.length, tag.length - 1); length > 0; length -= 1) {
    if (tag.startsWith(text.slice(-length))) return length;
  }
  return 0;
}
