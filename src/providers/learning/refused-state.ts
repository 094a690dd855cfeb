/**
 * State that a vendor sent with an earlier step (thoughts with their signature, encrypted reasoning, a container) and
 * does not accept back: the key belongs to another account now, the container has expired, a proxy lost a signature.
 * The state is in the chat's text, so every further request would be refused as well. Pure.
 */
import type { Failure, ModelRequest } from "../../conversation/ports.ts";
import { missesSignature, missesThoughts } from "./refusal-words.ts";
import { aboutImages } from "./refused-images.ts";

const aboutState =
  /signature|encrypted[ _]content|thinking`? blocks?|reasoning_(?:content|details)|required (?:following item|'reasoning' item)|extra_content|\bitem\b.{0,80}\b(?:not found|not belong)|duplicate item|\binput\[\d+\]\.id\b|\bcontainer\b/i;

const placeInHistory = /\b(?:messages|input|contents)\b['"]?(?:\[|\.)\d/;

/** Text about a place in the history that taught nothing else: it must be about such state, unless about an image. */
function isUnexplained(words: string): boolean {
  return placeInHistory.test(words) && !aboutImages.test(words);
}

/** The request without state; null if the refusal is about something else. `isLast`: no other remedy is left. */
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
  "The vendor does not accept its own thoughts from earlier steps of this answer, so they are left out.";

export const placeRefused =
  "The vendor refused a part of the history without saying what to change, so it is asked without its own thoughts from earlier steps of this answer.";
