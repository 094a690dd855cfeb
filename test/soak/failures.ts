/** Failures of a soak as they come: hours of it may follow, and a hang must not hide them. */
import { appendFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { projectRoot } from "../../scripts/lib/paths.mjs";

const folder = join(projectRoot, ".cache", "soak");
const file = join(folder, "failures.log");

/** What was played, for the page that names figures. */
export async function keepFigure(text: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await appendFile(join(folder, "figures.log"), `${text}\n`);
}

export async function keepFailure(what: string, faults: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  await appendFile(file, `== ${what}\n${faults.join("\n")}\n\n`);
}

/** The faults of what is played, within two minutes; they are kept, with what was done until then. */
export async function faultsOf(
  what: string,
  done: readonly string[],
  ...played: readonly Promise<string[]>[]
): Promise<string[]> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<string[]>((resolve) => {
    timer = setTimeout(() => resolve(["it takes more than two minutes"]), 120_000);
  });
  const faults = await Promise.race([...played, limit]).catch((error: unknown) => [String(error)]);
  clearTimeout(timer);
  if (faults.length > 0) {
    await keepFailure(what, [...faults, `--- what was done\n${done.join("\n")}`]);
  }
  return faults;
}
