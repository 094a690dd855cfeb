/**
 * A vendor that refuses an image (broken, too large, one too many) refuses each further request of the chat, since all
 * contain the image. So images of results and of earlier questions are left out. Those of the current question stay: if
 * they are refused, the user sees that refusal. Pure.
 */
import type { Failure, ModelRequest } from "../../conversation/ports.ts";
import { withoutImages } from "../request/without-images.ts";
import { refusedPlaceholder } from "../text.ts";

export const aboutImages = /\bimages?\b|image_url|\bpixels?\b|media.?type/i;

const tooLarge = 413;

/** The request without those images; null if the refusal is about something else or there are none. */
export function withoutRefusedImages(
  { kind, said = "", status }: Failure,
  request: ModelRequest,
): ModelRequest | null {
  const isAbout = kind === "invalid-request" && aboutImages.test(said);
  if (!isAbout && status !== tooLarge) return null;
  const asked = request.messages.findLastIndex(({ role }) => role === "user");
  const { messages, count } = withoutImages(request.messages, refusedPlaceholder, asked);
  return count === 0 ? null : { ...request, messages };
}

/** `isKept`: in a chat; a program has no Parley log to look at. */
export function imagesRefused(isKept: boolean): string {
  const what =
    "The vendor refused an image, so it is asked without those of results and of earlier questions";
  return isKept ? `${what}; :Parley log has its words.` : `${what}.`;
}
