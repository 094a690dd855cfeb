/** Updates the `🌿:` links in other chats to one that got another path. */

import { basename, dirname, join } from "node:path";
import { isNetworkPath } from "../../system/paths.ts";
import { homeFolder } from "../../system/standard-folders.ts";
import type { Edit, Transcript } from "../../transcript/transcript.ts";
import { realPath } from "../files/inside.ts";
import { reasonOf } from "../files/reason-of.ts";
import { branchLinks, linkTarget, linkTo, relinkedLine } from "./links.ts";
import { readChat } from "./read-chat.ts";
import { type RewriteSources, rewriteChat } from "./rewrite-chat.ts";

export interface Relinked {
  /** How many links name the chat by its new path now. */
  readonly links: number;
  /** How many chats these links are in. */
  readonly chats: number;
  /** For each chat whose link still has the old path, a sentence part that begins with its name and says why. */
  readonly left: readonly string[];
}

export interface MovedChat {
  /** Both are absolute; `from` no longer exists. */
  readonly from: string;
  readonly to: string;
}

/**
 * `candidates` returns the chats that may have such links. It is asked until it finds no other ones, since a chat may be
 * branched at this moment, with the links that it has.
 */
export async function relinkChats(
  candidates: () => Promise<readonly string[]>,
  moved: MovedChat,
  places: RewriteSources,
): Promise<Relinked> {
  const from = await placeOf(moved.from);
  let links = 0;
  let chats = 0;
  const left: string[] = [];
  for await (const path of eachFound(candidates)) {
    if (path === moved.from || path === moved.to) continue;
    try {
      const named = await targetsNaming(path, from);
      if (named.size === 0) continue;
      let written = 0;
      const rewrite = (transcript: Transcript) => {
        const { edits, count } = linkEdits(transcript, named, { path, to: moved.to });
        written = count;
        return edits;
      };
      await rewriteChat(path, rewrite, places);
      if (written > 0) chats += 1;
      links += written;
      if (written === 0) left.push(`${basename(path)} (a link cannot hold its new path)`);
    } catch (error) {
      left.push(`${basename(path)} (${reasonOf(error)})`);
    }
  }
  return { links, chats, left };
}

/** Each path once, until `find` has no new ones. */
async function* eachFound(find: () => Promise<readonly string[]>): AsyncGenerator<string> {
  const seen = new Set<string>();
  for (;;) {
    const found = (await find()).filter((path) => !seen.has(path));
    if (found.length === 0) return;
    for (const path of new Set(found)) {
      seen.add(path);
      yield path;
    }
  }
}

/** The link targets, as this file writes them, that mean the chat at `from`. */
async function targetsNaming(path: string, from: string): Promise<ReadonlySet<string>> {
  const text = (await readChat(path)) ?? "";
  const found = new Set<string>();
  for (const { target } of branchLinks(text.split("\n"))) {
    if (isNetworkPath(target)) continue;
    if ((await placeOf(linkTarget(path, { target }, homeFolder()))) === from) found.add(target);
  }
  return found;
}

/** The path with its folder made real; the file itself may be gone. */
async function placeOf(path: string): Promise<string> {
  const folder = dirname(path);
  return join((await realPath(folder)) ?? folder, basename(path));
}

function linkEdits(
  { lines }: Transcript,
  named: ReadonlySet<string>,
  { path, to }: { readonly path: string; readonly to: string },
): { readonly edits: readonly Edit[]; readonly count: number } {
  let count = 0;
  const edits: Edit[] = [];
  for (const [line, text] of lines.entries()) {
    const renewed = relinkedLine(text, (target) =>
      named.has(target) ? linkTo(path, to, target) : target,
    );
    if (renewed === text) continue;
    count += branchLinks([text]).filter(({ target }) => named.has(target)).length;
    edits.push({ start: line, end: line + 1, lines: [renewed] });
  }
  return { edits, count };
}
