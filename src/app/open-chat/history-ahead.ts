/** Makes ahead what the next request will have of the exchanges above its question. */
import type { ModelName } from "../../conversation/ports.ts";
import { olderMessages } from "../../conversation/request/build-messages.ts";
import { namesFiles, summarisedExchanges } from "../../conversation/request/needed-files.ts";
import { estimateSize } from "../../conversation/request/request-size.ts";
import { chatSettings } from "../../conversation/settings/chat-settings.ts";
import { createYield } from "../../shared/event-loop.ts";
import { ahead, createKept } from "../../shared/kept.ts";
import type { Exchange, Transcript } from "../../transcript/transcript.ts";
import type { Configured } from "../app.ts";
import { buildRequest } from "./prepare.ts";

/**
 * Exchanges of one step: about four milliseconds. The bytes of as many are often more than 128 kB, from where on malloc
 * gives them back to the system when they are freed.
 */
const stepLength = 160;

/** The steps that were made already. */
const steps = createKept<Exchange, true>();

/**
 * Converts and writes the exchanges above the last question, in short steps, so that a key only adds the question.
 * Exchanges that name files are left to the request, which reads them. Does nothing where it was done already.
 * @param isOver whether the rest is of no use any longer
 */
export async function makeHistoryAhead(
  { configuration, models }: Pick<Configured, "configuration" | "models">,
  { header, exchanges }: Transcript,
  model: ModelName,
  isOver: () => boolean,
): Promise<void> {
  const { settings } = chatSettings(header, configuration);
  const request = buildRequest(settings, true, { model, messages: [], tools: [], system: "" });
  const above = exchanges.slice(0, -1);
  const summaries = summarisedExchanges(above, settings.max_full_exchanges);
  const context = JSON.stringify([request, summaries.size]);
  const yieldNow = createYield();
  for (const step of stepsOf(above)) {
    if (steps.has(step, context)) continue;
    ahead(() => {
      const messages = olderMessages(step, summaries, new Map(), new Set());
      estimateSize({ ...request, messages });
      models.write({ ...request, messages });
      steps.keep(step, () => true, context);
    });
    await yieldNow();
    if (isOver()) return;
  }
}

/** Consecutive exchanges without files; a longer chat has the same ones at its beginning. */
function stepsOf(above: readonly Exchange[]): readonly (readonly Exchange[])[] {
  const all: Exchange[][] = [[]];
  for (const exchange of above) {
    const step = all.at(-1) ?? [];
    if (namesFiles(exchange)) all.push([]);
    else if (step.length === stepLength) all.push([exchange]);
    else step.push(exchange);
  }
  return all.filter((step) => step.length > 0);
}
