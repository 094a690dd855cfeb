/** The connection to Neovim and its end. */
import { NeovimClient } from "neovim";
import * as z from "zod";
import { createHost, type Host } from "./host.ts";
import { log } from "./log.ts";
import { createLua, inTurn } from "./lua.ts";

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

/** The longest the host lives on after Neovim is gone, its children included. */
const exitDeadlineMs = 900;

/** Answers Neovim on this connection until it closes. */
export async function serve(
  nvim: NeovimClient,
  options: { readonly ownProcess: boolean; readonly keepCode: () => void },
): Promise<Host> {
  const host = createHost(createLua(nvim), options.keepCode);
  nvim.on("notification", (method: string, parameters: unknown[]) => {
    if (method === "parley") inTurn(() => host.receive(parameters[0]));
  });
  const channel = await nvim.channelId;
  await host.ready(channel, options.ownProcess);
  return host;
}

/**
 * Ends the process when its connection to Neovim, stdin and stdout, does: what `close` ends comes first. The
 * package itself would let it live on after a Neovim that was killed.
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
  // A pipe whose other end is gone reports here first when Neovim was killed.
  process.stdout.on("error", leave);
  for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"] as const) process.on(signal, leave);
}

/** Serves stdin and stdout; the process ends with the connection, its children first. */
export async function connect(keepCode: () => void): Promise<void> {
  // Of `lua/parley/host/paths.lua`, and read by then: programs that the host starts run as they do elsewhere.
  if (process.env.MALLOC_MMAP_THRESHOLD_ === "131072") delete process.env.MALLOC_MMAP_THRESHOLD_;
  process.on("unhandledRejection", (reason) => log.error("unhandled rejection", reason));
  process.on("uncaughtException", (error) => log.error("uncaught exception", error));
  const nvim = openClient(process.stdin, process.stdout);
  let host: Host | null = null;
  endWithNeovim(async () => host?.close());
  host = await serve(nvim, { ownProcess: true, keepCode });
}
