/** Applies a changed configuration to the app that is open. */
import type { App } from "../app/app.ts";
import { type OpenOptions, readConfigurationAgain } from "../app/open-app.ts";

/** Reads the configuration now and puts it in force, unless its file is broken; `accepted` runs before that. */
export type Reconfigure = (sources: OpenOptions, accepted?: () => Promise<void>) => Promise<void>;

/** One change follows another, in the order in which they were made. */
export function createReconfigure(opened: Promise<{ readonly app: App }>): Reconfigure {
  let last: Promise<unknown> = Promise.resolve();
  return (sources, accepted) => {
    const done = last.then(async () => {
      const { app } = await opened;
      const read = await readConfigurationAgain(sources);
      if (read === null) return;
      await accepted?.();
      await app.configure(read);
    });
    last = done.catch(() => {});
    return done;
  };
}
