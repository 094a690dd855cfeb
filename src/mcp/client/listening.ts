/**
 * In revision 2026-07-28 a server announces changes of its lists only on a stream that the client opens
 * (`subscriptions/listen`); in the older revisions it announces them unasked.
 */

import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "@modelcontextprotocol/client";
import { given } from "../../shared/given.ts";
import { messageOf } from "../../shared/json.ts";

export interface ListeningOptions {
  /** Ends the stream. */
  readonly signal: AbortSignal;
  /** The stream was reopened after a break: changes may have been missed. */
  readonly onMissed: () => void;
  readonly log: (text: string) => void;
}

/** Milliseconds before each attempt to reopen a broken stream; after the last attempt it stays closed. */
const pauses = [1000, 5000, 30_000, 120_000] as const;

/** Changes reach the client's notification handlers. Never rejects; opens no stream if the server announces none. */
export async function listenForChanges(client: Client, options: ListeningOptions): Promise<void> {
  const { signal, onMissed, log } = options;
  const filter = changesOf(client);
  if (client.getProtocolEra() !== "modern" || Object.keys(filter).length === 0) return;
  let broken = 0;
  let isAgain = false;
  try {
    for (;;) {
      const startedAt = performance.now();
      const stream = await client.listen(filter, { signal });
      if (isAgain) onMissed();
      if ((await stream.closed) !== "remote" || signal.aborted) return;
      isAgain = true;
      // A stream that lasted long counts as recovered, so the attempts start over.
      broken = performance.now() - startedAt > pauses[3] ? 1 : broken + 1;
      const pause = pauses[broken - 1];
      if (pause === undefined) return log("Its stream of changes kept breaking; Parley gave up.");
      await delay(pause, undefined, { signal });
    }
  } catch (error) {
    if (signal.aborted) return;
    log(`It cannot announce changes of its tools: ${messageOf(error)}`);
  }
}

/** The changes that this server can announce. */
function changesOf(client: Client) {
  const { tools, prompts, resources } = client.getServerCapabilities() ?? {};
  return {
    ...given({
      toolsListChanged: tools?.listChanged ? true : null,
      promptsListChanged: prompts?.listChanged ? true : null,
      resourcesListChanged: resources?.listChanged ? true : null,
    }),
  };
}
