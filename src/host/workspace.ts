/** The workspace in Neovim: loaded buffers come before files, and changes go through a buffer, so that undo works. */
import { largestText } from "../app/files/file-content.ts";
import { fileChangedText, fileWorkspace } from "../app/files/file-workspace.ts";
import { type Diagnostic, readTextFile, type Workspace } from "../app/files/workspace.ts";
import { plainPath } from "../system/paths.ts";
import type { Lua } from "./lua.ts";

export function createWorkspace(lua: Lua): Workspace {
  return {
    async read(path) {
      const open = await lua.call("workspace_read", { path });
      if (open === null) return fileWorkspace.read(path);
      return { text: open.text, source: "buffer", isUnsaved: open.modified };
    },
    async write(path, { expected, text }) {
      // Neovim compares the buffer; a file that changed on disk must not be overwritten, either.
      if ((await readTextFile(path)) !== expected) throw new Error(fileChangedText(path));
      const answer = await lua.call("workspace_write", { path, expected, text });
      if (answer.text === undefined) throw new Error(answer.message ?? fileChangedText(path));
      return writtenText(path, answer.text);
    },
    open: async () => (await lua.call("workspace_open", {})).map((path) => plainPath(path)),
    async quickfix() {
      const places = await lua.call("workspace_quickfix", {});
      return places.map(({ path, ...place }) => ({
        ...place,
        path: path === undefined ? null : plainPath(path),
      }));
    },
    async diagnostics(path): Promise<readonly Diagnostic[]> {
      const found = await lua.call("workspace_diagnostics", { path });
      return found.map((each) => ({ ...each, path: plainPath(each.path) }));
    },
  };
}

/**
 * The text that is in the file after the editor reports having written `text`: autocommands may have changed it (`x.gz`
 * is compressed). Rejects with a sentence when the file is not text.
 */
async function writtenText(path: string, text: string): Promise<string> {
  // Line ends may take twice the room.
  if (2 * Buffer.byteLength(text) > largestText) return text;
  const found = await readTextFile(path).catch(() => null);
  if (found !== null) return found;
  throw new Error(
    `The change is in the buffer of ${path}, but not in its file: an autocommand or an option of Neovim writes it differently.`,
  );
}
