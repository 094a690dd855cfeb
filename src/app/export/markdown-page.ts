/** A shared chat as Markdown for other programs: headings by speaker, foldable calls, embedded images. */

import markdownIt from "markdown-it";
import { visible } from "../../shared/visible.ts";
import {
  closesFence,
  closingFence,
  type Fence,
  fenceFor,
  openingFence,
} from "../../transcript/code.ts";
import { escapeHtml } from "./markdown-html.ts";
import type { Page, PageImages } from "./page.ts";
import { type SharedCall, type SharedPart, type SharedTurn, statusWords } from "./shared-chat.ts";

export function markdownPage(title: string): Page {
  return {
    turn: (turn, images) => turnParts(turn, images).join("\n\n"),
    whole: (turns) => `${[`# ${inline(title)}`, ...turns].join("\n\n")}\n`,
  };
}

function turnParts({ question, answer }: SharedTurn, images: PageImages): readonly string[] {
  const asked = question.map((part) => partText(part, images));
  const answered = answer?.parts.map((part) => partText(part, images)) ?? [];
  return [
    "---",
    ...(asked.length > 0 ? ["**Question**", ...asked] : []),
    ...(answer === null ? [] : [`**${inline(answer.label)}**`, ...answered]),
  ];
}

function partText(part: SharedPart, images: PageImages): string {
  switch (part.type) {
    case "text":
      return withoutHtml(closed(part.text));
    case "image":
      return imageText(part, images);
    case "call":
      return callText(part, images);
  }
}

/** Closes a fence that the text left open; otherwise it would swallow everything after it. */
function closed(text: string): string {
  let fence: Fence | null = null;
  for (const line of text.split("\n")) {
    if (fence === null) fence = openingFence(line);
    else if (closesFence(line, fence)) fence = null;
  }
  return fence === null ? text : `${text}\n${closingFence(fence)}`;
}

function imageText(
  { file, alt }: Extract<SharedPart, { type: "image" }>,
  images: PageImages,
): string {
  const image = images.next(file);
  const words = inline(alt === "" ? file : alt);
  if (image === null) return `(not here: ${words})`;
  return image.address === null ? `(shown above: ${words})` : `![${words}](${image.address})`;
}

function callText(call: SharedCall, images: PageImages): string {
  const heading = `<code>${escapeHtml(visible(call.name))}</code> ${statusWords[call.status]}`;
  return [
    `<details><summary>${heading}</summary>`,
    fenced(call.arguments, "json"),
    ...(call.result === null || call.result === "" ? [] : [fenced(call.result, "")]),
    ...call.images.map((image) => imageText(image, images)),
    "</details>",
  ].join("\n\n");
}

function fenced(text: string, language: string): string {
  const fence = fenceFor(text);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** One line with all markup escaped. */
function inline(text: string): string {
  return visible(text).replace(/[\\`*_{}[\]()<>#!|~&]/g, "\\$&");
}

const reader = markdownIt({ html: true });

/** Escaping one tag may reveal another, so it takes a few rounds; a text that still has HTML then loses every `<`. */
const rounds = 3;

/** Changes the text so that no Markdown parser finds HTML in it; only lines of paragraphs with HTML are changed. */
function withoutHtml(text: string): string {
  let lines = text.split("\n");
  for (let round = 0; round < rounds; round += 1) {
    const found = htmlLines(lines.join("\n"));
    if (found.size === 0) return lines.join("\n");
    lines = lines.map((line, at) => (found.has(at) ? escaped(line) : line));
  }
  return htmlLines(lines.join("\n")).size === 0 ? lines.join("\n") : lines.map(escaped).join("\n");
}

function escaped(line: string): string {
  return line.replaceAll("<", "&lt;");
}

/**
 * The lines of blocks that are HTML or contain inline HTML, and of footnotes that may contain some: this parser skips
 * footnotes, others show them.
 */
function htmlLines(text: string): ReadonlySet<number> {
  const found = new Set<number>();
  const shown = new Set<number>();
  let block: readonly [start: number, end: number] = [0, 0];
  for (const { type, map, nesting, children } of reader.parse(text, {})) {
    // A table cell has no lines of its own; its row does.
    block = map ?? block;
    const hasHtml =
      type === "html_block" || children?.some((child) => child.type === "html_inline");
    if (nesting !== 0) continue;
    for (let line = block[0]; line < block[1]; line += 1) {
      shown.add(line);
      if (hasHtml) found.add(line);
    }
  }
  for (const [at, line] of text.split("\n").entries()) {
    if (/^[\s>]*\[\^[^\]]*\]:.*</.test(line) && !shown.has(at)) found.add(at);
  }
  return found;
}
