/**
 * What a vendor gave with an earlier step (thoughts with their signature, encrypted reasoning, a container) and does
 * not take back: the key is another account's by now, the container is gone, a proxy lost a signature. It comes from
 * the text of the chat, so each further request would be refused as this one. Pure.
 */
import type { Failure, ModelRequest } from "../../conversation/ports.ts";
import { missesSignature, missesThoughts } from "./refusal-words.ts";
import { aboutImages } from "./refused-images.ts";

const aboutState =
  /signature|encrypted[ _]content|thinking`? blocks?|reasoning_(?:content|details)|required (?:following item|'reasoning' item)|extra_content|\bitem\b.{0,80}\b(?:not found|not belong)|duplicate item|\binput\[\d+\]\.id\b|\bcontainer\b/i;

const placeInHistory = /\b(?:messages|input|contents)\b['"]?(?:\[|\.)\d/;

/** What a refusal that teaches nothing else says of a place in the history is of a part that only its vendor knows, or of an image. */
function isUnexplained(words: string): boolean {
  return placeInHistory.test(words) && !aboutImages.test(words);
}

/** The request without it; null: the refusal is about something else. `isLast`: nothing else can be done about it. */
export function withoutRefusedState(
  { kind, said = "", parameter = "" }: Failure,
  request: ModelRequest,
  isLast = false,
): ModelRequest | null {
  if (kind !== "invalid-request" && kind !== "not-found") return null;
  const hasState = request.messages.some((each) => each.role === "assistant" && "state" in each);
  const isAbout = aboutState.test(said) || (isLast && isUnexplained(`${parameter} ${said}`));
  if (!hasState || !isAbout) return null;
  if (missesThoughts.test(said) || missesSignature.test(said)) return null;
  const messages = request.messages.map((message) => {
    if (message.role !== "assistant") return message;
    const { state: _, ...rest } = message;
    return rest;
  });
  return { ...request, messages };
}

export const stateRefused =
  "The vendor does not take back the thoughts that it gave with earlier steps of this answer, so it is asked without them.";
