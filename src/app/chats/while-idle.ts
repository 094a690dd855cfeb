/** Runs work on the file of a chat while no process is answering that chat. */
import { basename } from "node:path";
import { messageOf } from "../../shared/json.ts";
import { Refusal } from "../../shared/refusal.ts";
import { visible } from "../../shared/visible.ts";
import { driveChat } from "../state/locks.ts";

/** Runs the work while no Neovim and no `parley run` answers the chat. Throws a sentence when one does. */
export async function whileIdle<T>(
  path: string,
  { stateFolder, log }: { readonly stateFolder: string; log(text: string): void },
  work: () => Promise<T>,
): Promise<T> {
  const lock = await driveChat(stateFolder, path).catch((error: unknown) => {
    // The lock is only advice, as it is for an answer.
    log(`driver: ${messageOf(error)}`);
    return null;
  });
  if (lock?.type === "held") {
    const who = lock.pid === process.pid ? "here" : `by another process (pid ${lock.pid})`;
    throw new Refusal(
      `${visible(basename(path))} is being answered ${who}, so its file was left alone. Stop the answer or wait until it ends, then try again.`,
    );
  }
  try {
    return await work();
  } finally {
    await lock?.release();
  }
}
