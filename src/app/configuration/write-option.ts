/** Writes one option into config.json and leaves everything else in it as it is, comments too. */
import { chmod, readFile, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { withOption } from "../../mcp/configured/add-entry.ts";
import { isMissing } from "../../system/system-error.ts";
import { realPath } from "../files/inside.ts";
import { writeOwn } from "../state/own-files.ts";

/** `value` undefined takes the option out. Throws a sentence when the file cannot be read as what it should be. */
export async function writeOption(path: string, name: string, value: unknown): Promise<void> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (isMissing(error)) return "{}\n";
    throw error;
  });
  const now = withOption(text, name, value);
  if (now === null) {
    throw new Error(
      `${path} cannot be read as JSON with comments, so nothing was written; mend it first.`,
    );
  }
  const real = (await realPath(path)) ?? path;
  const mode = await stat(real).then(
    (found) => found.mode & 0o777,
    () => null,
  );
  await writeOwn(dirname(real), basename(real), now);
  if (mode !== null) await chmod(real, mode);
}
