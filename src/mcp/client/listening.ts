/**
 * In the revision 2026-07-28 a server tells changes of its lists only on a stream that was asked for
 * (`subscriptions/listen`); in the older one it tells them unasked.
 */

import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "@modelcontextprotocol/client";
import { given } from "../../shared/given.ts";
import { messageOf } from "../../shared/json.ts";

export interface ListeningOptions {
  /** Ends the stream. */
  readonly signal: AbortSignal;
  /** The stream broke off and is there again: what was told meanwhile is not known. */
  readonly onMissed: () => void;
  readonly log: (text: string) => void;
}

/** Milliseconds before each attempt to have a broken stream again; after the last one it is left. */
const pauses = [1000, 5000, 30_000, 120_000] as const;

/** Changes come to the client's notification handlers. Never rejects; a server that tells none is not asked. */
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
      // One that was there for long broke for another reason than the one before.
      broken = performance.now() - startedAt > pauses[3] ? 1 : broken + 1;
      const pause = pauses[broken - 1];
      if (pause === undefined) return log("Its stream of changes kept breaking; Parley gave up.");
      await delay(pause, undefined, { signal });
    }
  } catch (error) {
    if (signal.aborted) return;
    log(`Its changes are not heard: ${messageOf(error)}`);
  }
}

/** What this server says it tells. */
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
