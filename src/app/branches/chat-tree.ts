/** The tree of chats that are linked by `🌿:`, from its root down. */
import { homeFolder } from "../../system/standard-folders.ts";
import { branchLinks, linkTarget } from "../chats/links.ts";
import { readChat } from "../chats/read-chat.ts";
import { summariseChat } from "../chats/summary.ts";

export interface TreeNode {
  readonly path: string;
  /** From the header, the first question, or the link that names the chat. */
  readonly topic: string;
  /** `gone`: a link names the chat, but its file does not exist. `above`: the chat is already in the tree. */
  readonly state: "here" | "gone" | "above";
  readonly branches: readonly TreeNode[];
}

/** The most chats that are read, since a link may come from anyone. */
const mostChats = 500;

/** The tree that the chat at `path` belongs to. `read` returns the text of an open chat as it is on screen. */
export async function chatTree(
  path: string,
  read: (path: string) => Promise<string | null> = readChat,
): Promise<TreeNode> {
  const walk = { read, seen: new Set<string>(), home: homeFolder() };
  return branchesOf(walk, await rootOf(walk, path), "");
}

interface Walk {
  readonly read: (path: string) => Promise<string | null>;
  readonly seen: Set<string>;
  readonly home: string;
}

async function rootOf({ read, home }: Walk, path: string): Promise<string> {
  const above = new Set([path]);
  let root = path;
  while (above.size < mostChats) {
    const lines = (await read(root))?.split("\n") ?? [];
    const link = branchLinks(lines).find(({ isParent }) => isParent);
    const parent = link === undefined ? null : linkTarget(root, link, home);
    if (parent === null || above.has(parent) || (await read(parent)) === null) return root;
    above.add(parent);
    root = parent;
  }
  return root;
}

async function branchesOf(walk: Walk, path: string, named: string): Promise<TreeNode> {
  const { seen, read, home } = walk;
  if (seen.has(path)) return { path, topic: named, state: "above", branches: [] };
  const text = seen.size < mostChats ? await read(path) : null;
  if (text === null) return { path, topic: named, state: "gone", branches: [] };
  seen.add(path);
  const branches: TreeNode[] = [];
  for (const link of branchLinks(text.split("\n"))) {
    if (!link.isParent)
      branches.push(await branchesOf(walk, linkTarget(path, link, home), link.topic));
  }
  return { path, topic: summariseChat(text).topic || named, state: "here", branches };
}

/** The linked chats that have a `🌿:` link back to the one at `path`, and lose it when that chat is moved or deleted. */
export async function chatsNaming(path: string): Promise<readonly string[]> {
  const home = homeFolder();
  const linksOf = async (one: string) =>
    branchLinks((await readChat(one))?.split("\n") ?? []).map((link) =>
      linkTarget(one, link, home),
    );
  const found: string[] = [];
  for (const near of new Set((await linksOf(path)).slice(0, mostChats))) {
    if (near !== path && (await linksOf(near)).includes(path)) found.push(near);
  }
  return found;
}

export interface TreeRow {
  readonly text: string;
  /** Path of the chat; null when its file no longer exists. */
  readonly path: string | null;
}

/** One row for each chat; `●` marks the chat that the user is in. */
export function treeRows(
  tree: TreeNode,
  { current, show }: { readonly current: string; readonly show: (path: string) => string },
  depth = 0,
): readonly TreeRow[] {
  const sign = tree.path === current ? "●" : "○";
  const about =
    tree.state === "gone" ? " (not there)" : tree.state === "above" ? " (see above)" : "";
  const text = `${"  ".repeat(depth)}${sign} ${tree.topic || "(no topic)"}${about}  ${show(tree.path)}`;
  return [
    { text, path: tree.state === "gone" ? null : tree.path },
    ...tree.branches.flatMap((branch) => treeRows(branch, { current, show }, depth + 1)),
  ];
}
