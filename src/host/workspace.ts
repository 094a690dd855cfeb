/** The workspace in Neovim: loaded buffers before files, and changes through a buffer, so that undo takes them back. */
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
      // The buffer is compared in Neovim; a file that changed under it must not be written over.
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
 * What is in the file by now, whose text the editor says is `text`: autocommands may have had a part in it (`x.gz` is
 * packed). Rejects with a sentence where that is no text.
 */
async function writtenText(path: string, text: string): Promise<string> {
  // Line ends may have taken twice the room.
  if (2 * Buffer.byteLength(text) > largestText) return text;
  const found = await readTextFile(path).catch(() => null);
  if (found !== null) return found;
  throw new Error(
    `The change is in the buffer of ${path}, but its file holds no such text: an autocommand or an option of Neovim writes it in another way.`,
  );
}
