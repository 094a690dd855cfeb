/** Which hints the user was shown on this machine; each is shown once. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../shared/json.ts";
import { writeOwn } from "./own-files.ts";

export interface Hints {
  /** True the first time; where that cannot be kept, once in each process. */
  first(hint: "tools"): boolean;
}

export function createHints(stateFolder: string, log: (line: string) => void): Hints {
  const given = new Set<string>();
  return {
    first(hint) {
      const file = `hint-${hint}`;
      if (given.has(hint) || existsSync(join(stateFolder, file))) return false;
      given.add(hint);
      writeOwn(stateFolder, file, "").catch((error: unknown) =>
        log(`${file} could not be written: ${messageOf(error)}`),
      );
      return true;
    },
  };
}
