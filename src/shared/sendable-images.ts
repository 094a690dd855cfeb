/** The images that all providers take. */
const sendableMimes = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const;

export type SendableMime = (typeof sendableMimes)[number];

export function isSendableMime(mime: string): mime is SendableMime {
  return sendableMimes.some((one) => one === mime);
}

/** The same images, by their first bytes. */
const beginnings = [
  { mime: "image/png", at: 0, bytes: "89504e470d0a1a0a" },
  { mime: "image/jpeg", at: 0, bytes: "ffd8ff" },
  { mime: "image/gif", at: 0, bytes: "47494638" },
  { mime: "image/webp", at: 8, bytes: "57454250" },
] as const satisfies readonly { readonly mime: SendableMime; at: number; bytes: string }[];

/** Null unless the bytes begin like one of the images that can be sent. */
export function imageType(bytes: Uint8Array): SendableMime | null {
  const start = Array.from(bytes.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0"));
  const type = beginnings.find(({ at, bytes: magic }) => start.join("").startsWith(magic, at * 2));
  return type?.mime ?? null;
}
