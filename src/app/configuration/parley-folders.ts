/** Where Parley's own files lie, with and without Neovim. */
import { join } from "node:path";
import type { StandardPaths } from "../../system/standard-folders.ts";

/** Parley's own part of each. */
export interface ParleyFolders {
  readonly config: string;
  readonly configurationFile: string;
  /** Chats, unless `chat_dirs` says otherwise. */
  readonly chats: string;
  /** Packages that the person adds. */
  readonly data: string;
  /** The secret, remembered tools; readable by the person alone. */
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
