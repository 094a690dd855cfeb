/** A shared chat as Markdown for other programs: a heading, who said what, calls to unfold, images in it. */

import { visible } from "../../shared/visible.ts";
import {
  closesFence,
  closingFence,
  type Fence,
  fenceFor,
  openingFence,
} from "../../transcript/code.ts";
import { escapeHtml } from "./markdown-html.ts";
import { withoutHtml } from "./markdown-text.ts";
import type { SharedCall, SharedChat, SharedPart, SharedTurn } from "./shared-chat.ts";
import { type ImageAddresses, statusWords } from "./shared-words.ts";

export function markdownPage({ title, turns }: SharedChat, images: ImageAddresses): string {
  const parts = [`# ${inline(title)}`, ...turns.flatMap((turn) => turnParts(turn, images))];
  return `${parts.join("\n\n")}\n`;
}

function turnParts({ question, answer }: SharedTurn, images: ImageAddresses): readonly string[] {
  const asked = question.map((part) => partText(part, images));
  const answered = answer?.parts.map((part) => partText(part, images)) ?? [];
  return [
    "---",
    ...(asked.length > 0 ? ["**Question**", ...asked] : []),
    ...(answer === null ? [] : [`**${inline(answer.label)}**`, ...answered]),
  ];
}

function partText(part: SharedPart, images: ImageAddresses): string {
  switch (part.type) {
    case "text":
      return withoutHtml(closed(part.text));
    case "image":
      return imageText(part, images);
    case "call":
      return callText(part, images);
  }
}

/** A fence that the text left open would swallow all that follows. */
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
  images: ImageAddresses,
): string {
  const address = images.get(file);
  const words = inline(alt === "" ? file : alt);
  return address === undefined ? `(not here: ${words})` : `![${words}](${address})`;
}

function callText(call: SharedCall, images: ImageAddresses): string {
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

/** One line in which nothing is markup. */
function inline(text: string): string {
  return visible(text).replace(/[\\`*_{}[\]()<>#!|~&]/g, "\\$&");
}
