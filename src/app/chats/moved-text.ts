/** The text of a chat at another path: its links into its files folder and to other chats hold there. */
import { dirname } from "node:path";
import { homeFolder } from "../../system/standard-folders.ts";
import type { Edit } from "../../transcript/transcript.ts";
import { filesFolderRenamer } from "../references/files-link.ts";
import { linkTarget, linkTo, relinkedLine } from "./links.ts";

const latin1 = (text: string) => Buffer.from(text, "utf8").toString("latin1");
const branchSign = "🌿";
const branchBytes = latin1(branchSign);

/** The edits of the lines of the chat, which was at `from` and is at `to`. */
export function movedEdits(lines: readonly string[], from: string, to: string): readonly Edit[] {
  const renewFiles = filesFolderRenamer(from, to);
  const renewChats = chatLinks(from, to);
  return lineEdits(lines, (line) => {
    const renewed = renewFiles(line);
    return renewed.includes(branchSign) ? renewChats(renewed) : renewed;
  });
}

/** The bytes of its file at `to`; both as latin1. */
export function movedBytes(bytes: string, from: string, to: string): string {
  const renewFiles = filesFolderRenamer(from, to, latin1);
  const renewChats = chatLinks(from, to);
  return bytes
    .split("\n")
    .map((line) => {
      const renewed = renewFiles(line);
      if (!renewed.includes(branchBytes)) return renewed;
      const text = Buffer.from(renewed, "latin1").toString("utf8");
      // Invalid UTF-8 would come back as other bytes, so such a line stays.
      return latin1(text) === renewed ? latin1(renewChats(text)) : renewed;
    })
    .join("\n");
}

/** The edits of lines that are renewed one by one. */
export function lineEdits(
  lines: readonly string[],
  renew: (line: string) => string,
): readonly Edit[] {
  return lines.flatMap((line, start) => {
    const renewed = renew(line);
    return renewed === line ? [] : [{ start, end: start + 1, lines: [renewed] }];
  });
}

/** Renews the links of a line to other chats, which are relative to the folder of the chat, and to the chat itself. */
function chatLinks(from: string, to: string) {
  const isSameFolder = dirname(from) === dirname(to);
  return (line: string) =>
    relinkedLine(line, (target) => {
      const path = linkTarget(from, { target }, homeFolder());
      if (path === from) return linkTo(to, to, target);
      return isSameFolder ? target : linkTo(to, path, target);
    });
}
