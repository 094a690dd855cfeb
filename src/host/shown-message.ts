/** What a person is shown of a message, which may contain text of servers, vendors and files. Pure. */
import { clip, shownLines } from "../shared/visible.ts";

/** More is not read, and Neovim, which cannot be left meanwhile, takes minutes to show megabytes. */
const most = { characters: 10_000, lines: 300 };

/** The message made visible, and cut with a sentence that says so. */
export function shownMessage(message: string): string {
  const lines = clip(message, most.characters).text.split("\n").slice(0, most.lines);
  const first = lines.join("\n");
  const left = message.length - first.length;
  const rest = left === 0 ? "" : `\n(${left} more characters are not shown.)`;
  return shownLines(first.replaceAll("\t", "    ")).join("\n") + rest;
}
