/** Foreign text as it is written into a transcript: every line escaped, as results and questions are. */
import { escapeLine, toLineFeeds } from "../../src/transcript/markers.ts";

export function escapeText(text: string): string {
  return toLineFeeds(text).split("\n").map(escapeLine).join("\n");
}
