/** The images that all providers take. */
const sendableMimes = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const;

export type SendableMime = (typeof sendableMimes)[number];

export function isSendableMime(mime: string): mime is SendableMime {
  return sendableMimes.some((one) => one === mime);
}
