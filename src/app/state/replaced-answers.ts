/** Keeps answers that were replaced by others in the state folder for a while: the user paid for them. */
import { join } from "node:path";
import { removeFile } from "../../system/replace.ts";
import { filesOf, writeOwn } from "./own-files.ts";

const keptDays = 30;
const dayMs = 24 * 60 * 60 * 1000;

/** Keeps the text and returns the path of its file; removes files older than 30 days. */
export async function keepReplaced(stateFolder: string, text: string): Promise<string> {
  const now = Date.now();
  const folder = join(stateFolder, "replaced");
  for (const name of await filesOf(folder)) {
    const at = Number(/^(\d+)\.md$/.exec(name)?.[1]);
    if (now - at > keptDays * dayMs) await removeFile(join(folder, name));
  }
  const taken = new Set(await filesOf(folder));
  let stamp = now;
  while (taken.has(`${stamp}.md`)) stamp += 1;
  await writeOwn(folder, `${stamp}.md`, text);
  return join(folder, `${stamp}.md`);
}
