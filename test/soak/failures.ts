/** Failures of a soak as they come: hours of it may follow, and a hang must not hide them. */
import { appendFile, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { projectRoot } from "../../scripts/lib/paths.mjs";

const file = join(projectRoot, ".cache", "soak", "failures.log");

export async function keepFailure(what: string, faults: readonly string[]): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await appendFile(file, `== ${what}\n${faults.join("\n")}\n\n`);
}
