/** Where Parley's own files are, with and without Neovim. */
import { join } from "node:path";
import type { StandardPaths } from "../../system/standard-folders.ts";

/** Parley's own folder within each standard folder. */
export interface ParleyFolders {
  readonly config: string;
  readonly configurationFile: string;
  /** Chats, unless `chat_dirs` names other folders. */
  readonly chats: string;
  /** Packages that the user adds. */
  readonly data: string;
  /** The secret, remembered tools and the like; readable only by the user. */
  readonly state: string;
  readonly log: string;
}

export function parleyFolders(paths: StandardPaths): ParleyFolders {
  const config = join(paths.config, "parley");
  return {
    config,
    configurationFile: join(config, "config.json"),
    chats: join(paths.data, "parley"),
    data: join(paths.data, "parley"),
    state: join(paths.state, "parley"),
    log: join(paths.log, "parley"),
  };
}
