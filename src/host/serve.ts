/** The connection to Neovim and its end. */
import { NeovimClient } from "neovim";
import * as z from "zod";
import { createHost, type Host } from "./host.ts";
import { log } from "./log.ts";
import { createLua, handleInOrder } from "./lua.ts";

const channelInfo = z.object({ id: z.int() });

/** The package's client, with less work for each request. */
class QuickClient extends NeovimClient {
  /**
   * The package would request the description of all of Neovim's functions, 32 kB, only for the channel number at its
   * beginning, and all messages of Neovim would wait for that answer.
   */
  override async requestApi(): Promise<number[]> {
    const info = channelInfo.parse(await this.request("nvim_get_chan_info", [0]));
    return [info.id];
  }

  /** The package would wait for four promises and build two lines for its log before it sends a request. */
  override request(method: string, parameters: unknown[] = []): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.transport.request(method, parameters, (error: unknown, answer: unknown) => {
        if (error) reject(new Error(`${method}: ${Array.isArray(error) ? error[1] : error}`));
        else resolve(answer);
      });
    });
  }
}

/** Connects to the Neovim at the other end. */
export function openClient(
  reader: NodeJS.ReadableStream,
  writer: NodeJS.WritableStream,
): NeovimClient {
  const client = new QuickClient({ logger: log.forNeovimPackage });
  client.attach({ reader, writer });
  return client;
}

/** The longest time that the host and its children live on after Neovim is gone. */
const exitDeadlineMs = 900;

/** Serves Neovim on this connection until it closes. */
export async function serve(
  nvim: NeovimClient,
  options: { readonly ownProcess: boolean; readonly keepCode: () => void },
): Promise<Host> {
  const host = createHost(createLua(nvim), options.keepCode);
  nvim.on("notification", (method: string, parameters: unknown[]) => {
    if (method === "parley") handleInOrder(() => host.receive(parameters[0]));
  });
  const channel = await nvim.channelId;
  await host.ready(channel, options.ownProcess);
  return host;
}

/**
 * Ends the process when its connection to Neovim (stdin and stdout) ends, after `close` or at the deadline. The package
 * itself would let it live on after a Neovim that was killed.
 */
export function endWithNeovim(close: () => Promise<void>): void {
  let leaving = false;
  const leave = () => {
    if (leaving) return;
    leaving = true;
    const exit = () => process.exit(0);
    setTimeout(exit, exitDeadlineMs).unref();
    close().then(exit, exit);
  };
  process.stdin.on("end", leave);
  process.stdin.on("close", leave);
  // When Neovim was killed, its closed pipe is reported here first.
  process.stdout.on("error", leave);
  for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"] as const) process.on(signal, leave);
}

/** Serves stdin and stdout; the process ends with the connection, after its children. */
export async function connectToNeovim(keepCode: () => void): Promise<void> {
  // Set by `lua/parley/host/paths.lua` for this process, which has read it by now; its children must not get it.
  if (process.env.MALLOC_MMAP_THRESHOLD_ === "131072") delete process.env.MALLOC_MMAP_THRESHOLD_;
  process.on("unhandledRejection", (reason) => log.error("unhandled rejection", reason));
  process.on("uncaughtException", (error) => log.error("uncaught exception", error));
  const nvim = openClient(process.stdin, process.stdout);
  let host: Host | null = null;
  endWithNeovim(async () => host?.close());
  host = await serve(nvim, { ownProcess: true, keepCode });
}
