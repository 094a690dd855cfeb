/** Has a test say what Neovim waits for, when it answers nothing. */
import type { NeovimClient } from "neovim";

/** Longer than everything that tests have Neovim do, on a busy machine, and shorter than their own time. */
const patienceMs = 30_000;

/** Makes requests that get no answer fail. Neovim answers few of them while it asks for a key. */
export function withPatience(client: Pick<NeovimClient, "request">): void {
  const request: typeof client.request = client.request.bind(client);
  client.request = async (name, args) => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(async () => {
        const mode = JSON.stringify(await request("nvim_get_mode", []));
        reject(
          new Error(`Neovim does not answer ${name} ${JSON.stringify(args)}, in mode ${mode}.`),
        );
      }, patienceMs);
    });
    try {
      return await Promise.race([request(name, args), late]);
    } finally {
      clearTimeout(timer);
    }
  };
}
