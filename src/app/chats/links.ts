/** The `🌿:` lines and inline links that connect a chat with its parent and its branches. */

import { clip } from "../../shared/visible.ts";
import { expandHome, isBelow, pathsOf, slashed } from "../../system/paths.ts";
import { thisPlatform } from "../../system/platform.ts";
import { homeFolder } from "../../system/standard-folders.ts";
import { markerAt, markerText, oneLine } from "../../transcript/markers.ts";

export interface BranchLink {
  /** Zero-based. */
  readonly line: number;
  /** As written: relative to the folder of the chat, or absolute. */
  readonly target: string;
  readonly topic: string;
  /** Whether the link is above the first question, and so names the chat that this one branches from. */
  readonly isParent: boolean;
}

const inlinePattern = /\[🌿:([^\][\n]*)\]\(([^()\n]*\.(?:md|markdown))\)/gu;

/** The end of a file's name, followed by the end of the line or a colon. */
const nameEnd = /\.(?:md|markdown)(?=[ \t]{0,100}(?::|$))/g;

/** Reads the Markdown file and the topic after it; the file's name may contain colons. Null when there is no file. */
function readLink(text: string): { readonly target: string; readonly topic: string } | null {
  const line = text.trim();
  for (const { index, 0: end } of line.matchAll(nameEnd)) {
    // The name must have characters before its ending.
    if (index === 0) continue;
    const target = line.slice(0, index + end.length);
    return { target, topic: line.slice(target.length).trimStart().slice(1).trim() };
  }
  return null;
}

/** The links in order. Of several lines above the first question, only the first names the parent. */
export function branchLinks(lines: readonly string[]): readonly BranchLink[] {
  const links: BranchLink[] = [];
  let isAbove = true;
  let hasParent = false;
  for (const [line, text] of lines.entries()) {
    const marker = markerAt(text);
    if (marker?.name === "question") isAbove = false;
    if (marker?.name === "branch") {
      const link = readLink(text.slice(marker.text.length));
      if (link === null) continue;
      links.push({ line, ...link, isParent: isAbove && !hasParent });
      hasParent ||= isAbove;
    } else if (text.includes("[🌿:")) {
      for (const [, topic = "", target = ""] of text.matchAll(inlinePattern)) {
        links.push({ line, target, topic, isParent: false });
      }
    }
  }
  return links;
}

/** The most characters of a topic or a question in a link. */
const wordsLength = 60;

/** The line in the chat at `from` that links to the chat at `to`; both paths are absolute. */
export function branchLine(
  from: string,
  to: string,
  topic: string,
  platform = thisPlatform,
): string {
  const words = clip(oneLine(topic), wordsLength).text;
  const { dirname, relative } = pathsOf(platform);
  const path = slashed(relative(dirname(from), to), platform);
  return `${markerText.branch} ${path}${words === "" ? "" : `: ${words}`}`;
}

/** How the chat at `from` links to the chat at `to`, in the same style as `written` (home, absolute or relative). */
export function linkTo(
  from: string,
  to: string,
  written: string,
  home = homeFolder(),
  platform = thisPlatform,
): string {
  const { dirname, isAbsolute, relative } = pathsOf(platform);
  const path = (text: string) => slashed(text, platform);
  if (written.startsWith("~")) {
    return isBelow(home, to, platform) ? `~/${path(relative(home, to))}` : path(to);
  }
  return path(isAbsolute(written) ? to : relative(dirname(from), to));
}

/** The line with new targets in its links. A link that could not be parsed again with its new target stays. */
export function relinkedLine(line: string, renew: (target: string) => string): string {
  const [marked] = markerAt(line)?.name === "branch" ? branchLinks([line]) : [];
  const renewed =
    marked === undefined
      ? line.replaceAll(inlinePattern, (link, topic: string, target: string) => {
          const to = renew(target);
          const written = `[🌿:${topic}](${to})`;
          return branchLinks([written])[0]?.target === to ? written : link;
        })
      : line.replace(marked.target, () => renew(marked.target));
  if (marked === undefined) return renewed;
  return branchLinks([renewed])[0]?.target === renew(marked.target) ? renewed : line;
}

/** The absolute path that a link in the chat at `from` means. */
export function linkTarget(
  from: string,
  { target }: Pick<BranchLink, "target">,
  home: string,
  platform = thisPlatform,
): string {
  const { dirname, resolve } = pathsOf(platform);
  return resolve(dirname(from), expandHome(target, home, platform));
}
