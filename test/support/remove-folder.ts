/** Removes the folder of a Neovim that has ended. Its host ends a moment later, and may still write there. */
import { rm } from "node:fs/promises";

export function removeFolder(folder: string): Promise<void> {
  // Six seconds in all, as a host on a busy machine needs them.
  return rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}
