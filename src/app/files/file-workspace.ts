/** The workspace without an editor: only files. */
import { randomUUID } from "node:crypto";
import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { isHeld, makeFolder, removeFile, replaceBy, setRights } from "../../system/replace.ts";
import { endsLinesByCrLf, readTextFile, type Workspace } from "./workspace.ts";

export const fileWorkspace: Workspace = {
  async read(path) {
    const text = await readTextFile(path);
    return text === null ? null : { text, source: "file", isUnsaved: false };
  },
  async write(path, { expected, text }) {
    const check = async () => {
      if ((await readTextFile(path)) !== expected) throw new Error(fileChangedText(path));
    };
    await check();
    if (expected === null) await create(path, text);
    else await replace(path, text, check);
    return text;
  },
  diagnostics: null,
  open: null,
  quickfix: null,
};

/** The model gets this text, and then reads the file again. */
export function fileChangedText(path: string): string {
  return `${path} has changed since it was read, so nothing was written. Read it again with read_file.`;
}

async function create(path: string, text: string): Promise<void> {
  await makeFolder(dirname(path));
  // Another program may have made the file meanwhile; it must not be overwritten.
  await writeFile(path, text, { flag: "wx" });
}

/**
 * By a rename where possible, so no reader sees half of it. Byte order mark, line ends and permissions stay. `check`
 * throws when another program wrote the file while the draft was written.
 */
async function replace(path: string, text: string, check: () => Promise<void>): Promise<void> {
  const { mode } = await stat(path);
  const before = await readFile(path, "utf8");
  const mark = before.startsWith("\ufeff") ? "\ufeff" : "";
  const lines = endsLinesByCrLf(before) ? text.replaceAll("\n", "\r\n") : text;
  const draft = `${path}.${randomUUID()}.new`;
  try {
    // Until it has the permissions of the file, no other user may read it.
    await writeFile(draft, mark + lines, { flag: "wx", mode: 0o600 });
    const rights = { stat: () => stat(draft), chmod: (to: number) => chmod(draft, to) };
    await setRights(rights, mode);
    await check();
    await replaceBy(draft, path);
  } catch (error) {
    if (!isHeld(error)) throw error;
    await writeFile(path, mark + lines);
  } finally {
    await removeFile(draft);
  }
}
