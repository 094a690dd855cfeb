/** Saves the text to its file before anything else happens. */

import { unapproved } from "../decide/session.ts";
import type { SaveEnd } from "../editor.ts";
import type { Chat, TurnEnd } from "./chat.ts";

/** Saves the text. Returns how the turn ends when that fails, else null. `quick`: see `Editor.save`. */
export async function saveBefore(
  chat: Chat,
  { quick = false }: { readonly quick?: boolean } = {},
): Promise<TurnEnd | null> {
  return endOfSave(chat, await saveText(chat, quick));
}

/** Writes the text to its file, as this machine's own. `quick`: see `Editor.save`. */
export async function saveText(chat: Chat, quick = false): Promise<SaveEnd> {
  await willSave(chat);
  return chat.ports.editor.save(quick);
}

/** To be awaited before a save: the text then counts as this machine's own even if this process ends right after. */
export async function willSave(chat: Chat): Promise<void> {
  await chat.ports.remembered.willWrite((await chat.read()).transcript);
}

/** How the turn ends after such a save; null: it continues. */
export function endOfSave(chat: Chat, saved: SaveEnd): TurnEnd | null {
  switch (saved) {
    case "saved":
    case "unnamed":
      return null;
    case "conflict":
      // Another program wrote the file, and may run the calls in it: approved calls that have not started are asked
      // again.
      voidApprovals(chat, "seen elsewhere");
      return { type: "conflict" };
    case "reloaded":
      voidApprovals(chat, "seen elsewhere");
      return { type: "refused", message: reloaded };
    case "failed":
      voidApprovals(chat);
      return { type: "unsaved" };
  }
}

const reloaded =
  "The chat was changed outside this Neovim, so it was reloaded and nothing was done. Look at it, then press the key again.";

/** When another program has the file, each decision may be in a file, so none counts as unsaved. */
function voidApprovals(chat: Chat, where: "here" | "seen elsewhere" = "here"): void {
  const approved = chat.session.calls.filter(({ state }) => state === "approved");
  const session = unapproved(chat.session, approved);
  chat.session = where === "here" ? session : { ...session, unsaved: [] };
}
