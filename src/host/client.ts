/** The package's client of Neovim, without what it asks for at its start and throws away. */
import { NeovimClient } from "neovim";
import * as z from "zod";
import { log } from "./log.ts";

const channelInfo = z.object({ id: z.int() });

/**
 * The package asks for a description of all of Neovim's functions, which has 32 kB, for the one number in front of it,
 * and all that Neovim tells waits for the answer.
 */
class QuickClient extends NeovimClient {
  override requestApi(): Promise<number[]> {
    return new Promise((resolve, reject) => {
      this.transport.request("nvim_get_chan_info", [0], (error: unknown, info: unknown) => {
        if (error) reject(error);
        else resolve([channelInfo.parse(info).id]);
      });
    });
  }
}

/** Speaks to the Neovim at the other end. */
export function openClient(
  reader: NodeJS.ReadableStream,
  writer: NodeJS.WritableStream,
): NeovimClient {
  const client = new QuickClient({ logger: log.forNeovimPackage });
  client.attach({ reader, writer });
  return client;
}
