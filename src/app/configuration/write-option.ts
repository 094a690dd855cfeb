/** Writes one option into config.json and leaves everything else in it as it is, including comments. */
import { withOption } from "../../mcp/configured/add-entry.ts";
import { readIfThere, writeBehindLinks } from "../state/own-files.ts";

/** An undefined `value` removes the option. Throws a sentence when the file is not JSON with comments. */
export async function writeOption(path: string, name: string, value: unknown): Promise<void> {
  const text = (await readIfThere(path)) ?? "{}\n";
  const now = withOption(text, name, value);
  if (now === null) {
    throw new Error(
      `${path} cannot be read as JSON with comments, so nothing was written; fix it first.`,
    );
  }
  await writeBehindLinks(path, now);
}
