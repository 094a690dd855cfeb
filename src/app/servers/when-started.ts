/** Waits for the start of servers for a user who named them, however long their first one takes. */
import { setTimeout as sleep } from "node:timers/promises";
import type { ListedServer, ServerActions } from "../../mcp/registry.ts";
import { secondsSince } from "../../shared/counted.ts";
import { visible } from "../../shared/visible.ts";

interface Waiting {
  /** Null: all servers. */
  readonly server: string | null;
  /** Tells the user what is waited for. */
  readonly say: (text: string) => void;
}

/** The servers of the app as they are now. */
interface Servers {
  readonly now: { readonly mcp: Pick<ServerActions, "status"> };
}

/** Milliseconds between two looks at a server that is starting. */
const lookMs = 250;
const saidEveryMs = 10_000;

/** An answer waits only some seconds for a server, so the first list may lack its tools. */
export async function listWhenStarted<List>(
  app: Servers,
  list: () => Promise<List>,
  waiting: Waiting,
): Promise<List> {
  const first = await list();
  return (await whenStarted(app, waiting)) ? list() : first;
}

/** Waits until none of these servers is starting. Returns whether one was. */
export async function whenStarted(
  { now: { mcp } }: Servers,
  { server, say }: Waiting,
): Promise<boolean> {
  let saidAt: number | null = null;
  for (;;) {
    const { servers } = await mcp.status();
    const pending = servers.filter((one) => isPending(one) && (server ?? one.name) === one.name);
    if (pending.length === 0) return saidAt !== null;
    if (saidAt === null || Date.now() - saidAt >= saidEveryMs) {
      saidAt = Date.now();
      say(`Still starting: ${pending.map(pendingText).join(", ")} …`);
    }
    await sleep(lookMs);
  }
}

/** It is starting, or runs and has not listed its tools yet. */
function isPending({ state, tools, problem }: ListedServer): boolean {
  return state === "starting" || (state === "ready" && tools === null && problem === null);
}

function pendingText({ name, startedAt }: ListedServer): string {
  return startedAt === null ? visible(name) : `${visible(name)} (${secondsSince(startedAt)} s)`;
}
