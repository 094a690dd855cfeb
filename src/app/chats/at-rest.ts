/** What is done to the file of a chat while nobody answers it. */
import { basename } from "node:path";
import { messageOf } from "../../shared/json.ts";
import { Refusal } from "../../shared/refusal.ts";
import { visible } from "../../shared/visible.ts";
import { driveChat } from "../state/locks.ts";

/** No Neovim and no `parley run` answers the chat meanwhile. Throws a sentence where one does now. */
export async function atRest<T>(
  path: string,
  { stateFolder, log }: { readonly stateFolder: string; log(text: string): void },
  work: () => Promise<T>,
): Promise<T> {
  const lock = await driveChat(stateFolder, path).catch((error: unknown) => {
    // As for an answer: the lock is advice.
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
