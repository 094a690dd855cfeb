/**
 * The text of one answer where more than the model's own words goes into it: lines that show what a tool of the
 * vendor's does, and the sources at the end. They are quoted, so that none can be taken for a marker, and are plain
 * text to everything that reads a transcript. Pure but for its own state.
 */

import { isObject, parseJson, textOf } from "../../shared/json.ts";
import { collapseWhitespace, ellipsize, visibleText } from "../../shared/visible.ts";
import { withoutEnd } from "../../shared/without-end.ts";

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
    const shown = visibleText(ellipsize(collapseWhitespace(subject), longestWords));
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
    const end = text.length - withoutEnd(text, "\n").length;
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
  const name = inert(visibleText(ellipsize(collapseWhitespace(title) || url, longestWords)));
  return address === null ? name : `[${name}](<${address}>)`;
}

/** Null for what no editor or browser should be made to open. */
function webAddress(url: string): string | null {
  if (url.length > longestAddress || !URL.canParse(url)) return null;
  const { protocol, href } = new URL(url);
  return /^https?:$/.test(protocol) ? href.replace(/[<>]/g, encodeURIComponent) : null;
}

export interface ServerToolNote {
  /** For example `web search`. */
  readonly label: string;
  /** What was searched, opened or run; empty when the vendor does not say. */
  readonly subject: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** The note of an item of a Responses stream; null for items that are no call of a vendor's tool. */
export function responsesNote(item: Fields & { readonly type: string }): ServerToolNote | null {
  const name = /^(.+)_call$/.exec(item.type)?.[1];
  if (name === undefined || name === "function") return null;
  // Some vendors' own tools come as calls of tools with names of their own.
  if (name === "custom_tool") {
    return { label: label(textOf(item.name) || "tool"), subject: subjectOf(item.input) };
  }
  const subject = subjectOf(item.action) || subjectOf(item);
  return { label: label(name), subject };
}

/** The note of a `server_tool_use` block of Anthropic's. */
export function anthropicNote(name: unknown, input: unknown): ServerToolNote {
  return { label: label(textOf(name) || "tool"), subject: subjectOf(input) };
}

function label(name: string): string {
  return name.replaceAll("_", " ");
}

/** Fields that say the most, the most telling first. */
const telling = ["query", "queries", "url", "pattern", "command", "code", "path"] as const;

function subjectOf(value: unknown): string {
  const parsed = typeof value === "string" ? (parseJson(value) ?? value) : value;
  if (typeof parsed === "string") return parsed;
  if (!isObject(parsed)) return "";
  for (const field of telling) {
    const found = parsed[field];
    const texts = (Array.isArray(found) ? found : [found]).filter(isWords);
    if (texts.length > 0) return texts.join("; ");
  }
  return "";
}

function isWords(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}
