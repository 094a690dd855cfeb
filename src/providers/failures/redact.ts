/** Removes keys from texts for the screen or the log. Pure. */

import { withoutSecretTexts } from "../../shared/secrets.ts";

/** Hides these secrets, and anything that looks like one. */
export function redact(text: string, secrets: readonly string[]): string {
  const known = secrets.filter((secret) => secret.length > 3);
  const hidden = withoutSecretTexts(text, known, "[key]");
  return hidden
    .replace(/\b(?:sk|pk|xai|gsk|csk|key)-[\w*.-]{6,}/gi, "[key]")
    .replace(/\bAIza[\w-]{20,}/g, "[key]")
    .replace(/\bBearer\s+\S+/gi, "Bearer [key]")
    .replace(/\/\/[^/\s@]+@/g, "//[key]@");
}
