/** The clock of the file system has steps: what is to be written after origins were kept waits for one. */
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";

export async function untilLater(stateFolder: string): Promise<void> {
  const since = (await stat(join(stateFolder, "written", "since"))).ctimeMs;
  const probe = join(stateFolder, "probe");
  await expect
    .poll(async () => {
      await writeFile(probe, "");
      return (await stat(probe)).ctimeMs;
    })
    .toBeGreaterThan(since);
}
