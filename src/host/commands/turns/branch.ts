/** `:Parley branch` and `:Parley tree`: starts another continuation of an exchange, and lists all branches. */

import { basename, dirname } from "node:path";
import { branchChat } from "../../../app/branches/branch-chat.ts";
import { branchLinkEdit, branchPoint, isSaid } from "../../../app/branches/branch-text.ts";
import { chatTree, treeRows } from "../../../app/branches/chat-tree.ts";
import { branchLine } from "../../../app/chats/links.ts";
import { readChat } from "../../../app/chats/read-chat.ts";
import { saveText, willSave } from "../../../conversation/turn/save-before.ts";
import { visible } from "../../../shared/visible.ts";
import { homeFolder } from "../../../system/standard-folders.ts";
import type { HostChat } from "../../chat/host-chat.ts";

/** Writes the chat up to the exchange at this line into a new file, links both, and opens it. */
export async function branch(chat: HostChat, line: number): Promise<void> {
  const { host, path, chat: core } = chat;
  const { transcript } = await core.read();
  const exchange = branchPoint(transcript, line);
  if (exchange === null || path === "") {
    const why =
      path === ""
        ? "This chat has no file yet; save it first."
        : transcript.exchanges.some(isSaid)
          ? "Put the cursor on the question or answer with which the branch ends."
          : "Ask something first.";
    host.notify("warn", `There is nothing to branch from. ${why}`);
    return;
  }
  const { stateFolder } = host.app.options;
  // Text that was just typed, or dates from before origins were kept, is the user's own in the branch, too.
  await willSave(core);
  const child = await branchChat(transcript, exchange, { path, stateFolder });
  const [words = ""] = exchange.question.text.split("\n", 1);
  const link = branchLine(path, child, words);
  await core.edit(core.newUndoGroup(), (now) => {
    const place = branchPoint(now, line);
    return place === null ? null : { edits: [branchLinkEdit(now, place, link)] };
  });
  // The tree is read from the files.
  await saveText(core);
  await chat.refresh();
  await host.lua.call("open", { what: child, options: { title: "branch" } });
}

/** Lists the chats that are linked with this one (as it is on screen), each with its path; `<CR>` opens it. */
export async function showTree(chat: HostChat): Promise<void> {
  const { host, path } = chat;
  const { lines } = await chat.editor.read();
  const tree = await chatTree(path, async (one) =>
    one === path ? lines.join("\n") : readChat(one),
  );
  if (tree.branches.length === 0) {
    const words = "This chat has no branches. :Parley branch starts one, up to the cursor.";
    host.notify("info", words);
    return;
  }
  const folder = dirname(path);
  const show = (one: string) => (dirname(one) === folder ? basename(one) : shortPath(one));
  const rows = treeRows(tree, { current: path, show });
  await host.lua.call("open", {
    what: rows.map(({ text }) => visible(text)),
    options: { title: "tree", files: rows.map((row) => row.path ?? "") },
  });
}

function shortPath(path: string): string {
  const home = homeFolder();
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
