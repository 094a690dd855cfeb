/**
 * What a vendor gave with an earlier step (thoughts with their signature, encrypted reasoning, a container) and does
 * not take back: the key is another account's by now, the container is gone, a proxy lost a signature. It comes from
 * the text of the chat, so each further request would be refused as this one. Pure.
 */
import type { Failure, ModelRequest } from "../../conversation/ports.ts";
import { missesSignature, missesThoughts } from "./refusal-words.ts";

const aboutState =
  /signature|encrypted[ _]content|thinking`? blocks?|reasoning_(?:content|details)|required following item|extra_content|\bitem\b.{0,80}\bnot found|duplicate item|\binput\[\d+\]\.id\b|\bcontainer\b/i;

/** The request without it; null: the refusal is about something else. */
export function withoutRefusedState(
  { kind, said = "" }: Failure,
  request: ModelRequest,
): ModelRequest | null {
  if (kind !== "invalid-request" && kind !== "not-found") return null;
  const hasState = request.messages.some((each) => each.role === "assistant" && "state" in each);
  if (!hasState || !aboutState.test(said)) return null;
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
