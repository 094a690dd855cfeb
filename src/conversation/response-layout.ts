/**
 * The texts and thoughts of a response as they stand in an answer: a thought behind its marker and closed, blank
 * lines between neighbours, none outside (format, sections 1 and 6). How the response was cut into deltas leaves
 * no trace. What is content still has to be escaped by the one who writes it.
 */
import { markerText, thoughtEnd } from "../transcript/markers.ts";
import type { ProposedCall } from "./proposed-call.ts";
import { harmless } from "./results.ts";

export type ContentKind = "text" | "thought";

/** `layout` is ours and goes into the text as it is; its marker, if it begins with one, belongs at column 0. */
export interface Segment {
  readonly kind: ContentKind | "layout";
  readonly text: string;
}

/** What the model said, in the response's order; thoughts are not in it. */
export type ResponsePart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "call"; readonly call: ProposedCall };

export class ResponseLayout {
  readonly #parts: ResponsePart[] = [];
  readonly #emit: (segment: Segment) => void;
  /** What the last content was; `closed` after a call: what follows is a part of its own. */
  #current: ContentKind | "start" | "closed" = "start";
  /** White space that is content only if more of the same kind follows. */
  #space = { kind: "text" as ContentKind, text: "" };
  /** The end of a delta that means nothing before the next: a CR, half a character. */
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
    const end = contentEnd(text);
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
      // Behind the marker `[END]` would close the thought before it began; it may not even be complete yet.
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

  /** What closes the thought that may be open: the blank line after it does, if it is the first one. */
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

/** Where the trailing spaces, tabs and line feeds begin; a loop, because a pattern would be quadratic. */
function contentEnd(text: string): number {
  let end = text.length;
  while (end > 0 && " \t\n".includes(text.charAt(end - 1))) end -= 1;
  return end;
}
