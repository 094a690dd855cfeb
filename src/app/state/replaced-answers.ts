/** Answers that gave way to another one, kept in the state folder for a while: what was paid for can be read again. */
import { join } from "node:path";
import { removeFile } from "../../system/replace.ts";
import { filesOf, writeOwn } from "./own-files.ts";

const keptDays = 30;
const dayMs = 24 * 60 * 60 * 1000;

/** Keeps the text and gives the path of its file; older ones than 30 days are removed. */
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
