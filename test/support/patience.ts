/** Has a test say what Neovim waits for, when it answers nothing, and that it has ended. */
import type { NeovimClient } from "neovim";

/** Longer than everything that tests have Neovim do, on a busy machine, and shorter than their own time. */
const patienceMs = 30_000;

/** Makes requests that get no answer fail. Neovim answers few while it asks for a key, and none after its end. */
export function withPatience(client: Pick<NeovimClient, "request" | "once">): void {
  const request: typeof client.request = client.request.bind(client);
  const waiting = new Set<(why: Error) => void>();
  let hasEnded = false;
  client.once("disconnect", () => {
    hasEnded = true;
    for (const fail of waiting) fail(new Error("Neovim has ended."));
  });
  client.request = async (name, args) => {
    if (hasEnded) throw new Error("Neovim has ended.");
    let forget = () => {};
    const failed = new Promise<never>((_, fail) => {
      const timer = setTimeout(async () => {
        const mode = JSON.stringify(await request("nvim_get_mode", []));
        fail(new Error(`Neovim does not answer ${name} ${JSON.stringify(args)}, in mode ${mode}.`));
      }, patienceMs);
      waiting.add(fail);
      forget = () => {
        clearTimeout(timer);
        waiting.delete(fail);
      };
    });
    try {
      return await Promise.race([request(name, args), failed]);
    } finally {
      forget();
    }
  };
}
