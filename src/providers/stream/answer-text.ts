/**
 * Builds the text of an answer that contains more than the model's own text: lines that show what the vendor's tools
 * do, and the sources at the end. These are block quotes, so that they cannot be mistaken for markers, and readers of a
 * transcript treat them as plain text. Pure except for its own state.
 */

import { isObject, parseJson, textOf } from "../../shared/json.ts";
import { collapseWhitespace, ellipsize, visibleText } from "../../shared/visible.ts";
import { withoutEnd } from "../../shared/without-end.ts";

export interface CitedSource {
  readonly title: string;
  /** As the vendor sent it; only web addresses become links. */
  readonly url: string;
}

const longestWords = 300;
const longestAddress = 2000;

export class AnswerText {
  readonly #sources = new Map<string, CitedSource>();
  /** Line feeds at the end of the text so far; at the start no gap is needed. */
  #newlines = 2;
  #isApart = true;

  /** The model's text, after a blank line if one is due. */
  words(text: string): string {
    if (text === "") return "";
    const gap = this.#isApart ? "" : this.#gap();
    this.#isApart = true;
    return this.#written(gap + text);
  }

  /** Makes the model's next text start a new paragraph. */
  breakParagraph(): void {
    this.#isApart = false;
  }

  /** A line that shows a request to one of the vendor's tools: `> web search: …`. */
  note(label: string, subject: string): string {
    const shown = visibleText(ellipsize(collapseWhitespace(subject), longestWords));
    const line = `${this.#gap()}> ${inert(visibleText(label))}${shown === "" ? "" : `: ${inert(shown)}`}`;
    this.#isApart = false;
    return this.#written(line);
  }

  /** Remembers a source of the text. */
  cite(source: CitedSource): void {
    if (!this.#sources.has(source.url)) this.#sources.set(source.url, source);
  }

  /** The cited sources as quoted links, in order; empty if there are none. */
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

/** Escapes Markdown, so that a search query cannot turn our line into a heading, a link or code. */
function inert(text: string): string {
  return text.replace(/[`*_[\]<>]/g, "\\$&");
}

function link({ title, url }: CitedSource): string {
  const address = webAddress(url);
  const name = inert(visibleText(ellipsize(collapseWhitespace(title) || url, longestWords)));
  return address === null ? name : `[${name}](<${address}>)`;
}

/** Null for an address that no editor or browser should open. */
function webAddress(url: string): string | null {
  if (url.length > longestAddress || !URL.canParse(url)) return null;
  const { protocol, href } = new URL(url);
  return /^https?:$/.test(protocol) ? href.replace(/[<>]/g, encodeURIComponent) : null;
}

export interface ServerToolNote {
  /** For example `web search`. */
  readonly label: string;
  /** What was searched, opened or run; empty if the vendor does not say. */
  readonly subject: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** The note for an item of a Responses stream; null if it is not a call of one of the vendor's tools. */
export function responsesNote(item: Fields & { readonly type: string }): ServerToolNote | null {
  const name = /^(.+)_call$/.exec(item.type)?.[1];
  if (name === undefined || name === "function") return null;
  // Some of the vendors' own tools are sent as calls of custom tools.
  if (name === "custom_tool") {
    return { label: label(textOf(item.name) || "tool"), subject: subjectOf(item.input) };
  }
  const subject = subjectOf(item.action) || subjectOf(item);
  return { label: label(name), subject };
}

/** The note for a `server_tool_use` block of Anthropic. */
export function anthropicNote(name: unknown, input: unknown): ServerToolNote {
  return { label: label(textOf(name) || "tool"), subject: subjectOf(input) };
}

function label(name: string): string {
  return name.replaceAll("_", " ");
}

/** Fields to show, the most informative first. */
const tellingFields = ["query", "queries", "url", "pattern", "command", "code", "path"] as const;

function subjectOf(value: unknown): string {
  const parsed = typeof value === "string" ? (parseJson(value) ?? value) : value;
  if (typeof parsed === "string") return parsed;
  if (!isObject(parsed)) return "";
  for (const field of tellingFields) {
    const found = parsed[field];
    const texts = (Array.isArray(found) ? found : [found]).filter(isWords);
    if (texts.length > 0) return texts.join("; ");
  }
  return "";
}

function isWords(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}
