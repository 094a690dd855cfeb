/** What a person made chats outside of the chat folders: files, and folders of a project, as Lua keeps the answers. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface AttachedChats {
  /** Real paths of folders whose chats, and those of the folders below, are chats. */
  readonly folders: readonly string[];
  /** Real paths of single files. */
  readonly files: readonly string[];
}

/** One small file for each answer in the state folder; `lua/parley/text/chats/attached.lua` writes them. */
const attachedFolder = "attached";

/** A note that cannot be read says nothing. */
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
    // Nothing was said yet.
    return [];
  }
  return names.flatMap((name) => {
    try {
      const [what = "", path = ""] = readFileSync(join(folder, name), "utf8").split("\n");
      return path === "" ? [] : [{ what, path }];
    } catch {
      // Taken back meanwhile.
      return [];
    }
  });
}
