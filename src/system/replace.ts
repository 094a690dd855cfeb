/** Putting a file in the place of another, also of one that somebody has open. */
import { rename } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

/** Milliseconds between tries: a scanner or an editor lets go of a file within a second. */
const waits = [10, 20, 40, 80, 160, 320, 320];

/** Where a file that is open cannot be replaced, these say so; elsewhere they mean what they say. */
const busy = new Set(["EPERM", "EACCES", "EBUSY"]);

export interface RenameSystem {
  readonly platform: NodeJS.Platform;
  rename(from: string, to: string): Promise<void>;
  delay(milliseconds: number): Promise<void>;
}

const thisSystem: RenameSystem = { platform: process.platform, rename, delay };

/** As `rename`; on Windows it is tried again while the file in its place is open. */
export async function replaceBy(
  from: string,
  to: string,
  system: RenameSystem = thisSystem,
): Promise<void> {
  const tries = system.platform === "win32" ? waits : [];
  for (const milliseconds of tries) {
    try {
      return await system.rename(from, to);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : null;
      if (typeof code !== "string" || !busy.has(code)) throw error;
      await system.delay(milliseconds);
    }
  }
  await system.rename(from, to);
}
