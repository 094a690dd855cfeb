/** A shared chat as one HTML file: light and dark, with its images in it, without scripts, and loading nothing. */
import { createHash } from "node:crypto";
import { visible } from "../../shared/visible.ts";
import { escapeHtml, markdownHtml } from "./markdown-html.ts";
import { pageStyle } from "./page-style.ts";
import type { SharedCall, SharedChat, SharedPart, SharedTurn } from "./shared-chat.ts";
import { type ImageAddresses, statusWords } from "./shared-words.ts";

const styleHash = createHash("sha256").update(pageStyle).digest("base64");
/** Whatever got past the escapes, a browser would not run or fetch it. */
const policy = `default-src 'none'; img-src data:; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'`;

export function htmlPage({ title, turns }: SharedChat, images: ImageAddresses): string {
  const shown = escapeHtml(visible(title));
  return `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${shown}</title>
<style>${pageStyle}</style>
</head>
<body>
<main>
<h1 dir="auto">${shown}</h1>
${turns.map((turn) => turnHtml(turn, images)).join("\n")}
</main>
</body>
</html>
`;
}

function turnHtml({ question, answer }: SharedTurn, images: ImageAddresses): string {
  const asked =
    question.length === 0
      ? ""
      : `<section class="question" dir="auto">\n${partsHtml(question, images)}\n</section>\n`;
  if (answer === null) return asked;
  const label = `<p class="label">${escapeHtml(visible(answer.label))}</p>`;
  return `${asked}<section class="answer" dir="auto">\n${label}\n${partsHtml(answer.parts, images)}\n</section>`;
}

function partsHtml(parts: readonly SharedPart[], images: ImageAddresses): string {
  return parts.map((part) => partHtml(part, images)).join("\n");
}

function partHtml(part: SharedPart, images: ImageAddresses): string {
  switch (part.type) {
    case "text":
      return markdownHtml(part.text);
    case "image":
      return imageHtml(part, images);
    case "call":
      return callHtml(part, images);
  }
}

function imageHtml(
  { file, alt }: Extract<SharedPart, { type: "image" }>,
  images: ImageAddresses,
): string {
  const address = images.get(file);
  const words = escapeHtml(alt === "" ? file : alt);
  return address === undefined
    ? `<p class="missing">${words}</p>`
    : `<p><img src="${escapeHtml(address)}" alt="${words}"></p>`;
}

function callHtml(call: SharedCall, images: ImageAddresses): string {
  const result = call.result === null || call.result === "" ? "" : `\n${preHtml(call.result)}`;
  const media = call.images.map((image) => `\n${imageHtml(image, images)}`).join("");
  const name = escapeHtml(visible(call.name));
  return `<details>
<summary><code>${name}</code> <span class="status">${statusWords[call.status]}</span></summary>
${preHtml(call.arguments)}${result}${media}
</details>`;
}

function preHtml(text: string): string {
  // A browser drops a line break directly behind the tag.
  return `<pre><code>${escapeHtml(text)}</code></pre>`;
}
