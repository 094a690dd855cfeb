/** Where Parley's own files lie, with and without Neovim. */
import { join } from "node:path";

/** Neovim's folders, as `stdpath()` names them; absolute. */
export interface StandardPaths {
  readonly config: string;
  readonly data: string;
  readonly state: string;
  readonly log: string;
}

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** The person's home folder. */
  readonly home: string;
}

/** What `stdpath()` of a Neovim started from here would say (`:help standard-path`). */
export function standardPaths({ env, platform, home }: Surroundings): StandardPaths {
  const app = env.NVIM_APPNAME || "nvim";
  const isWindows = platform === "win32";
  const local = env.LOCALAPPDATA || join(home, "AppData", "Local");
  const folder = (variable: string, unix: string, windowsSuffix: string) => {
    const base = env[variable] || (isWindows ? local : join(home, unix));
    return join(base, isWindows ? `${app}${windowsSuffix}` : app);
  };
  const state = folder("XDG_STATE_HOME", join(".local", "state"), "-data");
  return {
    config: folder("XDG_CONFIG_HOME", ".config", ""),
    data: folder("XDG_DATA_HOME", join(".local", "share"), "-data"),
    state,
    log: state,
  };
}

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
