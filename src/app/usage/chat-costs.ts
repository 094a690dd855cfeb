/** The cost of each chat so far, for lists of chats. */
import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { realPath } from "../files/inside.ts";
import { filesOf } from "../state/own-files.ts";
import { readSpent, usageFolder } from "./ledger.ts";

/** US dollars of a chat by its path; null: nothing is known, or none of its prices. */
export type CostOf = (path: string) => number | null;

export interface ChatCosts {
  /** As of the last refresh. */
  readonly of: CostOf;
  /** Reads the costs again if something was spent since; returns whether they were read again. */
  refresh(paths: readonly string[]): Promise<boolean>;
}

export function createChatCosts(stateFolder: string): ChatCosts {
  let read = "";
  let costs: ReadonlyMap<string, number> = new Map();
  /** Real paths of folders, since chats are listed under the folders as the user wrote them. */
  const folders = new Map<string, string>();
  const placeOf = (path: string) =>
    join(folders.get(dirname(path)) ?? dirname(path), basename(path));
  return {
    of: (path) => costs.get(placeOf(path)) ?? null,
    async refresh(paths) {
      for (const folder of new Set(paths.map(dirname))) {
        folders.set(folder, (await realPath(folder)) ?? folder);
      }
      const state = await stateOf(join(stateFolder, usageFolder));
      if (state === read) return false;
      read = state;
      costs = await sums(stateFolder);
      return true;
    },
  };

  async function sums(folder: string): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>();
    for (const { chat, cost } of await readSpent(folder, 0)) {
      if (chat !== null && cost !== null) found.set(chat, (found.get(chat) ?? 0) + cost);
    }
    return found;
  }
}

/** Changes as soon as something is added. */
async function stateOf(folder: string): Promise<string> {
  const names = await filesOf(folder);
  const sizes = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => null)));
  return names.map((name, index) => `${name} ${sizes[index]?.size ?? 0}`).join("\n");
}
