/** Takes keys out of what goes to the screen or into the log. Pure. */

/** The text without the secrets, and without anything that looks like one. */
export function redact(text: string, secrets: readonly string[]): string {
  const known = secrets.filter((secret) => secret.length > 3);
  const hidden = known.reduce((rest, secret) => rest.replaceAll(secret, "[key]"), text);
  return hidden
    .replace(/\b(?:sk|pk|xai|gsk|csk|key)-[\w*.-]{6,}/gi, "[key]")
    .replace(/\bAIza[\w-]{20,}/g, "[key]")
    .replace(/\bBearer\s+\S+/gi, "Bearer [key]")
    .replace(/\/\/[^/\s@]+@/g, "//[key]@");
}
