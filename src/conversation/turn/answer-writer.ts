/** Turns the parts of a model's stream into the text to write at the tip of the answer, frame by frame. */

import { withoutEnd } from "../../shared/without-end.ts";
import { escapeAtTip, holdBack, markerText, thoughtEnd } from "../../transcript/markers.ts";
import type { StreamPart } from "../ports.ts";
import type { ProposedCall } from "../proposed-call.ts";
import { harmless } from "../results.ts";

export interface AnswerWriter {
  /** True when there may be something to write now. */
  push(part: StreamPart): boolean;
  /** The response has ended, complete or not: nothing is held back any longer, and an open thought is closed. */
  end(): void;
  /**
   * Begins a frame; what the previous frame rendered last counts as written. The returned function takes the text
   * before the tip on its line and returns what to write there; it may be called again until that is written.
   */
  frame(): (linePrefix: string) => string;
  /** Texts and calls so far, in the response's order, unescaped and without thoughts, as `finishStep` takes them. */
  readonly parts: readonly ResponsePart[];
}

/** A writer for one response. */
export function createAnswerWriter(): AnswerWriter {
  let waiting: Segment[] = [];
  let taken: Taken = { segments: 0, characters: 0 };
  let ended = false;
  const layout = new ResponseLayout((segment) => {
    const last = waiting.at(-1);
    const isSame = last?.kind === segment.kind && segment.kind !== "layout";
    if (isSame) waiting[waiting.length - 1] = { ...last, text: last.text + segment.text };
    else waiting.push(segment);
  });
  return {
    push(part) {
      if (part.type === "text-delta") layout.add("text", part.text);
      else if (part.type === "reasoning-delta") layout.add("thought", part.text);
      else if (part.type === "tool-call") layout.addCall(part.call);
      return waiting.length > taken.segments;
    },
    end() {
      layout.end();
      ended = true;
    },
    frame() {
      waiting = without(waiting, taken);
      taken = { segments: 0, characters: 0 };
      return (linePrefix) => {
        const rendered = render(waiting, linePrefix, ended);
        taken = rendered.taken;
        return rendered.text;
      };
    },
    get parts() {
      return layout.parts;
    },
  };
}

/** How much was rendered: whole segments, and characters of the one after them. */
interface Taken {
  readonly segments: number;
  readonly characters: number;
}

function without(segments: readonly Segment[], { segments: whole, characters }: Taken): Segment[] {
  const [first, ...rest] = segments.slice(whole);
  if (first === undefined) return [];
  return [{ ...first, text: first.text.slice(characters) }, ...rest];
}

/** The last segment may still grow: an end of it that could become a marker is held back, unless nothing follows. */
function render(
  segments: readonly Segment[],
  linePrefix: string,
  isComplete: boolean,
): { readonly text: string; readonly taken: Taken } {
  let text = "";
  let prefix = linePrefix;
  let taken: Taken = { segments: 0, characters: 0 };
  segments.forEach((segment, index) => {
    const isGrowing = !isComplete && index === segments.length - 1 && segment.kind !== "layout";
    const kept = isGrowing ? holdBack(segment.text, prefix === "") : 0;
    const size = segment.text.length - kept;
    const written = renderSegment({ ...segment, text: segment.text.slice(0, size) }, prefix);
    text += written;
    prefix = (prefix + written).slice((prefix + written).lastIndexOf("\n") + 1);
    taken = isGrowing
      ? { segments: index, characters: size }
      : { segments: index + 1, characters: 0 };
  });
  return { text, taken };
}

function renderSegment({ kind, text }: Segment, prefix: string): string {
  if (kind !== "layout") return escapeAtTip(prefix, text, { answerText: kind === "text" });
  // The user typed at the tip before this marker got there; a marker has a meaning at column 0 only.
  return prefix !== "" && !text.startsWith("\n") ? `\n${text}` : text;
}

export type ContentKind = "text" | "thought";

/** `layout` is Parley's own and is written as it is; if it begins with a marker, that belongs at column 0. */
export interface Segment {
  readonly kind: ContentKind | "layout";
  readonly text: string;
}

/** What the model sent, in the response's order, without thoughts. */
export type ResponsePart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "call"; readonly call: ProposedCall };

class ResponseLayout {
  readonly #parts: ResponsePart[] = [];
  readonly #emit: (segment: Segment) => void;
  /** The kind of the last content; `closed` after a call: what follows is a new part. */
  #current: ContentKind | "start" | "closed" = "start";
  /** White space that is content only if more of the same kind follows. */
  #space = { kind: "text" as ContentKind, text: "" };
  /** The end of a delta that is incomplete without the next: a CR, half a character. */
  #carry = { kind: "text" as ContentKind, text: "" };
  #thoughtHasBlankLine = false;

  constructor(emit: (segment: Segment) => void) {
    this.#emit = emit;
  }

  get parts(): readonly ResponsePart[] {
    return this.#parts;
  }

  add(kind: ContentKind, delta: string): void {
    if (this.#carry.kind !== kind) this.#flushCarry();
    const text = this.#carry.text + delta;
    const cut = /[\r\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length;
    this.#carry = { kind, text: text.slice(cut) };
    this.#addClean(kind, harmless(text.slice(0, cut)));
  }

  addCall(call: ProposedCall): void {
    this.#close();
    this.#parts.push({ type: "call", call });
  }

  end(): void {
    this.#close();
  }

  #flushCarry(): void {
    const { kind, text } = this.#carry;
    this.#carry = { kind, text: "" };
    this.#addClean(kind, harmless(text));
  }

  #addClean(kind: ContentKind, text: string): void {
    const end = withoutEnd(text, " \t\n").length;
    if (this.#space.kind !== kind) this.#space = { kind, text: "" };
    const content = end === 0 ? "" : this.#space.text + text.slice(0, end);
    const space = end === 0 ? this.#space.text + text : text.slice(end);
    this.#space = { kind, text: space };
    if (content !== "") this.#addContent(kind, content);
  }

  #addContent(kind: ContentKind, content: string): void {
    if (this.#current === kind) {
      this.#write(kind, content);
      return;
    }
    const before = this.#current === "start" ? "" : `${this.#thoughtEnd()}\n\n`;
    this.#current = kind;
    if (kind === "thought") {
      const thought = content.replace(/^[ \t\n]+/, "");
      // Right after the marker, `[END]` would close the thought before it began; it may not even be complete yet.
      this.#layout(`${before}${markerText.thought}${thought.startsWith("[") ? "\n" : " "}`);
      this.#write(kind, thought);
    } else {
      this.#layout(before);
      this.#parts.push({ type: "text", text: "" });
      this.#write(kind, content.replace(/^(?:[ \t]*\n)+/, ""));
    }
  }

  #write(kind: ContentKind, text: string): void {
    this.#emit({ kind, text });
    if (kind === "thought") this.#thoughtHasBlankLine ||= /\n[ \t]*\n/.test(text);
    const part = this.#parts.at(-1);
    if (kind === "text" && part?.type === "text") {
      this.#parts[this.#parts.length - 1] = { type: "text", text: part.text + text };
    }
  }

  #layout(text: string): void {
    if (text !== "") this.#emit({ kind: "layout", text });
  }

  /** What closes a thought that may be open: the blank line after it is enough, unless the thought has one itself. */
  #thoughtEnd(): string {
    const end = this.#current === "thought" && this.#thoughtHasBlankLine ? `\n${thoughtEnd}` : "";
    this.#thoughtHasBlankLine = false;
    return end;
  }

  #close(): void {
    this.#flushCarry();
    this.#layout(this.#thoughtEnd());
    this.#space = { kind: "text", text: "" };
    if (this.#current !== "start") this.#current = "closed";
  }
}
