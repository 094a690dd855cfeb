/** Chats outside of the chat folders that the user attached: files, and folders of a project, as Lua keeps them. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface AttachedChats {
  /** Real paths of folders; Markdown files in them and below them are chats. */
  readonly folders: readonly string[];
  /** Real paths of single files. */
  readonly files: readonly string[];
}

/** The folder with one small file for each answer; `lua/parley/text/chats/attached.lua` writes them. */
const attachedFolder = "attached";

/** Notes that cannot be read are left out. */
export function attachedChats(stateFolder: string): AttachedChats {
  const notes = notesIn(join(stateFolder, attachedFolder));
  const said = (what: string) => notes.flatMap((note) => (note.what === what ? [note.path] : []));
  return { folders: said("folder"), files: said("file") };
}

function notesIn(folder: string): readonly { readonly what: string; readonly path: string }[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch {
    // Nothing was attached yet.
    return [];
  }
  return names.flatMap((name) => {
    try {
      const [what = "", path = ""] = readFileSync(join(folder, name), "utf8").split("\n");
      return path === "" ? [] : [{ what, path }];
    } catch {
      // The note was removed meanwhile.
      return [];
    }
  });
}
