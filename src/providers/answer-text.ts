/**
 * The text of one answer where more than the model's own words goes into it: lines that show what a tool of the
 * vendor's does, and the sources at the end. They are quoted, so that none can be taken for a marker, and are plain
 * text to everything that reads a transcript. Pure but for its own state.
 */
import { clip, visibleText } from "../conversation/visible.ts";

export interface Source {
  readonly title: string;
  /** As the vendor gave it; only web addresses become links. */
  readonly url: string;
}

const longestWords = 300;
const longestAddress = 2000;

export class AnswerText {
  readonly #sources = new Map<string, Source>();
  /** Line feeds at the end so far; there is nothing to set apart at the start. */
  #newlines = 2;
  #isApart = true;

  /** Words of the model, with the blank line before them that is due. */
  words(text: string): string {
    if (text === "") return "";
    const gap = this.#isApart ? "" : this.#gap();
    this.#isApart = true;
    return this.#written(gap + text);
  }

  /** The next words stand in a paragraph of their own. */
  breakParagraph(): void {
    this.#isApart = false;
  }

  /** A line that shows what a tool of the vendor's was asked: `> web search: …`. */
  note(label: string, subject: string): string {
    const { text, cut } = clip(subject.replace(/\s+/gu, " ").trim(), longestWords);
    const shown = visibleText(text) + (cut ? "…" : "");
    const line = `${this.#gap()}> ${inert(visibleText(label))}${shown === "" ? "" : `: ${inert(shown)}`}`;
    this.#isApart = false;
    return this.#written(line);
  }

  /** Remembers what a text rests on. */
  cite(source: Source): void {
    if (!this.#sources.has(source.url)) this.#sources.set(source.url, source);
  }

  /** What the texts rest on, as quoted links, in the order it was cited; empty when nothing was. */
  sources(): string {
    const links = [...this.#sources.values()].map(link);
    this.#sources.clear();
    if (links.length === 0) return "";
    const lines = ["> Sources:", ">", ...links.map((each) => `> - ${each}`)];
    const text = this.#gap() + lines.join("\n");
    this.#isApart = false;
    return this.#written(text);
  }

  #gap(): string {
    return "\n".repeat(Math.max(0, 2 - this.#newlines));
  }

  #written(text: string): string {
    const end = /\n*$/.exec(text)?.[0].length ?? 0;
    this.#newlines = end === text.length ? this.#newlines + end : end;
    return text;
  }
}

/** No line of ours turns into a heading, a link or code by what a model searched for. */
function inert(text: string): string {
  return text.replace(/[`*_[\]<>]/g, "\\$&");
}

function link({ title, url }: Source): string {
  const address = webAddress(url);
  const { text, cut } = clip(title.replace(/\s+/gu, " ").trim() || url, longestWords);
  const name = inert(visibleText(text)) + (cut ? "…" : "");
  return address === null ? name : `[${name}](<${address}>)`;
}

/** Null for what no editor or browser should be made to open. */
function webAddress(url: string): string | null {
  if (url.length > longestAddress || !URL.canParse(url)) return null;
  const { protocol, href } = new URL(url);
  return /^https?:$/.test(protocol) ? href.replace(/[<>]/g, encodeURIComponent) : null;
}
