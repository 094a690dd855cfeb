/** The standard folders of a system: those of Neovim and of other programs. */
import { homedir, userInfo } from "node:os";
import { isAbsolute } from "node:path";
import { pathsOf } from "./paths.ts";
import { isWindows, type Platform, thisPlatform } from "./platform.ts";

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home folder. */
  readonly home: string;
  readonly platform?: Platform;
}

/** The home folder that systems give to users without one; it does not exist. */
const nowhere = "/nonexistent";

/**
 * The user's home folder; absolute. A container may run as a user id without a name and without HOME; the result is
 * then a folder that does not exist.
 */
export function homeFolder(
  places: readonly (() => string)[] = [homedir, () => userInfo().homedir],
): string {
  for (const place of places) {
    try {
      const home = place();
      if (isAbsolute(home)) return home;
    } catch {
      // The system does not know this user.
    }
  }
  return nowhere;
}

/** Neovim's folders, as `stdpath()` names them; absolute. */
export interface StandardPaths {
  readonly config: string;
  readonly data: string;
  readonly state: string;
  readonly log: string;
}

/** The result of `stdpath()` in a Neovim started from here (`:help standard-path`). */
export function standardPaths({ env, home, platform = thisPlatform }: Surroundings): StandardPaths {
  const { join, resolve } = pathsOf(platform);
  const app = env.NVIM_APPNAME || "nvim";
  const local = env.LOCALAPPDATA || join(home, "AppData", "Local");
  const folder = (variable: string, unix: string, windowsSuffix: string) => {
    const base = env[variable] || (isWindows(platform) ? local : join(home, unix));
    return resolve(base, isWindows(platform) ? `${app}${windowsSuffix}` : app);
  };
  const state = folder("XDG_STATE_HOME", join(".local", "state"), "-data");
  return {
    config: folder("XDG_CONFIG_HOME", ".config", ""),
    data: folder("XDG_DATA_HOME", join(".local", "share"), "-data"),
    state,
    log: state,
  };
}

/** The result of `stdpath("cache")`. */
export function cacheFolder({ env, home, platform = thisPlatform }: Surroundings): string {
  const { join } = pathsOf(platform);
  const app = env.NVIM_APPNAME || "nvim";
  if (!isWindows(platform)) return join(env.XDG_CACHE_HOME || join(home, ".cache"), app);
  const local = env.LOCALAPPDATA || join(home, "AppData", "Local");
  return join(env.XDG_CACHE_HOME || env.TEMP || join(local, "Temp"), `${app}-data`);
}

/** The folder in which graphical programs keep their settings. */
export function applicationSettings({ env, home, platform = thisPlatform }: Surroundings): string {
  const { join } = pathsOf(platform);
  if (platform === "darwin") return join(home, "Library", "Application Support");
  if (isWindows(platform)) return env.APPDATA || join(home, "AppData", "Roaming");
  return configFolder({ env, home, platform });
}

/** The folder in which terminal programs keep theirs. */
export function configFolder({ env, home, platform = thisPlatform }: Surroundings): string {
  return env.XDG_CONFIG_HOME || pathsOf(platform).join(home, ".config");
}
