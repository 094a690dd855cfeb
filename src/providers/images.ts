/** Which images the known wire APIs take. */
import type { ImagePart } from "../conversation/types.ts";

const mimes = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const;

export type SendableMime = (typeof mimes)[number];

export function isSendableImage(image: ImagePart): image is ImagePart & { mime: SendableMime } {
  return mimes.some((mime) => mime === image.mime);
}

/** Stands for an image that the model cannot be given. */
export function imagePlaceholder({ mime }: ImagePart): string {
  return `(an image of type ${mime} was left out: only JPEG, PNG, GIF and WebP can be sent)`;
}

/** Stands for an image that goes to a model without eyes. */
export const blindPlaceholder = "(an image was left out: this model sees none)";
