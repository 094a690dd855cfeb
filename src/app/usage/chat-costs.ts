/** What each chat cost so far, for lists of chats. */
import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { realPath } from "../files/inside.ts";
import { filesOf } from "../state/own-files.ts";
import { readSpent, usageFolder } from "./ledger.ts";

/** US dollars of a chat by its path; null: nothing is known, or no price of it. */
export type CostOf = (path: string) => number | null;

export interface ChatCosts {
  /** As it was known when it was read last. */
  readonly of: CostOf;
  /** Reads it again for these chats where something was spent since; whether it is another now. */
  refresh(paths: readonly string[]): Promise<boolean>;
}

export function createChatCosts(stateFolder: string): ChatCosts {
  let read = "";
  let costs: ReadonlyMap<string, number> = new Map();
  /** Real paths of folders: chats are listed by the folders that the person named. */
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

/** Another text as soon as something was added. */
async function stateOf(folder: string): Promise<string> {
  const names = await filesOf(folder);
  const sizes = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => null)));
  return names.map((name, index) => `${name} ${sizes[index]?.size ?? 0}`).join("\n");
}
