/** The `🌿:` lines and inline links by which chats name the chat they branch from and those that branch from them. */

import { clip } from "../../shared/visible.ts";
import { expandHome, isBelow, pathsOf, slashed } from "../../system/paths.ts";
import { thisPlatform } from "../../system/platform.ts";
import { homeFolder } from "../../system/standard-folders.ts";
import { markerAt, markerText, oneLine } from "../../transcript/markers.ts";

export interface BranchLink {
  /** Zero-based. */
  readonly line: number;
  /** As written: a path from the folder of the chat, or an absolute one. */
  readonly target: string;
  readonly topic: string;
  /** It stands above the first question: the chat that this one branches from. */
  readonly isParent: boolean;
}

const inlinePattern = /\[🌿:([^\][\n]*)\]\(([^()\n]*\.(?:md|markdown))\)/gu;

/** The end of a file's name, where the line ends or a colon stands behind it. */
const nameEnd = /\.(?:md|markdown)(?=[ \t]{0,100}(?::|$))/g;

/** A file of Markdown, and what stands behind it: the name may hold colons too. Null where the line names none. */
function readLink(text: string): { readonly target: string; readonly topic: string } | null {
  const line = text.trim();
  for (const { index, 0: end } of line.matchAll(nameEnd)) {
    // It has a name before its end.
    if (index === 0) continue;
    const target = line.slice(0, index + end.length);
    return { target, topic: line.slice(target.length).trimStart().slice(1).trim() };
  }
  return null;
}

/** In order. Of several lines above the first question only the first names the parent. */
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

/** Characters of a topic or a question in a link. */
const wordsLength = 60;

/** The line that names the chat at `to` in the chat at `from`; both are absolute. */
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

/** How a link of the chat at `from` names the chat at `to`, in the way in which it named another one. */
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

/** The line with other targets of its links; one that could not be read there again stays. */
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

/** The absolute path that a link of the chat at `from` means. */
export function linkTarget(
  from: string,
  { target }: Pick<BranchLink, "target">,
  home: string,
  platform = thisPlatform,
): string {
  const { dirname, resolve } = pathsOf(platform);
  return resolve(dirname(from), expandHome(target, home, platform));
}
