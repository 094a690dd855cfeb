/** The file has what the text has, before anything else happens. */
import { meanwhile } from "../../shared/meanwhile.ts";
import { unapproved } from "../decide/session.ts";
import type { Chat, TurnEnd } from "./chat.ts";

/**
 * Saves; how the turn ends when that cannot be, else null. `quick`: as `Editor.save` takes it. `work` is begun while
 * the editor writes, if that takes any time.
 */
export async function saveBefore(
  chat: Chat,
  { quick = false, work = () => {} }: { readonly quick?: boolean; readonly work?: () => void } = {},
): Promise<TurnEnd | null> {
  await chat.ports.remembered.willWrite((await chat.read()).transcript);
  const saved = await meanwhile(chat.ports.editor.save(quick), work);
  if (saved === "conflict") {
    // Somebody else wrote the file, and may run the calls by it: what was approved and not begun is asked again.
    voidApprovals(chat);
    return { type: "conflict" };
  }
  if (saved === "reloaded") {
    voidApprovals(chat);
    return { type: "refused", message: reloaded };
  }
  if (saved !== "failed") return null;
  voidApprovals(chat);
  return { type: "unsaved" };
}

const reloaded =
  "The chat was changed outside this Neovim, so it was read again and nothing was done. Look at it, then press the key again.";

function voidApprovals(chat: Chat): void {
  const approved = chat.session.calls.filter(({ state }) => state === "approved");
  chat.session = unapproved(chat.session, approved);
}
