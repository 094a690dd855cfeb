/** Applies a changed configuration to the app that is open. */
import type { App } from "../app/app.ts";
import { parleyFolders } from "../app/configuration/parley-folders.ts";
import { type OpenOptions, readConfigurationAgain } from "../app/open-app.ts";
import { versionOf } from "../app/tools/tool-changes.ts";

export interface Reconfigure {
  /** What the configuration is read from, from now on. */
  use(sources: OpenOptions): void;
  /** Reads the configuration and puts it in force, unless its file is broken. One change follows another. */
  apply(): Promise<void>;
  /** config.json was written in this Neovim, whose half of Parley has not read it yet, even where the host has. */
  saved(): Promise<void>;
  /** Applies config.json if it is not as it was read last, whoever has changed it; waits for a change under way. */
  look(): Promise<void>;
}

/** `heard` is called when another config.json was read, before it is in force; not by `apply`. */
export function createReconfigure(
  opened: Promise<{ readonly app: App }>,
  heard: () => Promise<void>,
): Reconfigure {
  let sources: OpenOptions | null = null;
  let file = "";
  let version: string | null = null;
  let last: Promise<void> = Promise.resolve();
  const versionNow = () => versionOf(file).found;
  const apply = async (from: OpenOptions, isOther: boolean): Promise<void> => {
    const { app } = await opened;
    const read = await readConfigurationAgain(from, app.now);
    const isBroken = read.configuration === app.now.configuration;
    if (isOther && !isBroken) await heard();
    await app.configure(read);
  };
  const next = (isOther: boolean): Promise<void> => {
    const from = sources;
    if (from === null) return last;
    // Taken now, since every later caller waits for this reading.
    version = versionNow();
    const done = last.then(() => apply(from, isOther));
    last = done.catch(() => {});
    return done;
  };
  return {
    use(given) {
      const isFirst = sources === null;
      sources = given;
      file = parleyFolders(given.paths).configurationFile;
      if (isFirst) version = versionNow();
    },
    apply: () => next(false),
    saved: () => next(true),
    look: () => (versionNow() === version ? last : next(true)),
  };
}
