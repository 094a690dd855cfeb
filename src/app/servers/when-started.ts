/** Waits for the start of servers that a user named or a program needs, however long their first one takes. */
import { setTimeout as sleep } from "node:timers/promises";
import type { McpHost } from "../../mcp/mcp-host.ts";
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
      say(stillStarting(pending.map(pendingText)));
    }
    await sleep(lookMs);
  }
}

/** Says every ten seconds which servers are starting while `act` may wait for them. */
export async function sayingStarts<Value>(
  app: { readonly now: { readonly mcp: Pick<McpHost, "starting"> } },
  say: (text: string) => void,
  act: () => Promise<Value>,
): Promise<Value> {
  const timer = setInterval(() => {
    const pending = app.now.mcp.starting().map(({ name, seconds }) => startText(name, seconds));
    if (pending.length > 0) say(stillStarting(pending));
  }, saidEveryMs);
  try {
    return await act();
  } finally {
    clearInterval(timer);
  }
}

/** It is starting, or runs and has not listed its tools yet. */
function isPending({ state, tools, problem }: ListedServer): boolean {
  return state === "starting" || (state === "ready" && tools === null && problem === null);
}

function pendingText({ name, startedAt }: ListedServer): string {
  return startedAt === null ? visible(name) : startText(name, secondsSince(startedAt));
}

const startText = (name: string, seconds: number) => `${visible(name)} (${seconds} s)`;

const stillStarting = (servers: readonly string[]) => `Still starting: ${servers.join(", ")} …`;
